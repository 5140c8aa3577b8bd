# SPDX-License-Identifier: Apache-2.0
"""headrace scan: what it finds in files, whatever else is in the folder."""
import glob
import json
import os
import shutil
import subprocess
import tempfile

from truth import TRACER, Missing, compiled, environment, main, must, need, need_cpu, run, test

PLACE = tempfile.TemporaryDirectory()
SCAN = os.path.join(PLACE.name, "headrace-scan")
os.symlink(TRACER, SCAN)


def scan(*words, **more):
    return run(SCAN, *words, **more)


def scan_json(*words):
    return json.loads(must(SCAN, "--json", "--no-cache", *words).stdout)


def entries():
    return compiled("entries", "c/entries.c", "c/entries.S")


def libcrypto():
    found = glob.glob("/usr/lib/*/libcrypto.so.3") + glob.glob("/lib64/libcrypto.so.3")
    if not found:
        raise Missing("libcrypto.so.3 is not installed")
    return found[0]


def ways(file):
    return {(row["algorithm"], row["how"]) for row in file["crypto"]}


@test
def a_library_with_both():
    file = scan_json(libcrypto())["files"][0]
    for wanted in (("AES", "hardware"), ("AES", "software"), ("SHA-256", "hardware"), ("SHA-256", "software"),
                   ("MD5", "software"), ("GHASH", "hardware"), ("DES", "software")):
        assert wanted in ways(file), (wanted, ways(file))


@test
def names_of_a_stripped_library():
    rows = [row for row in scan_json(libcrypto())["files"][0]["crypto"] if row["how"] == "hardware"]
    named = [row for row in rows if row["function"]]
    assert rows and len(named) >= .95 * len(rows), [row for row in rows if not row["function"]]


@test
def a_folder_of_all_kinds():
    program = entries()
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(program, place + "/program")
        os.link(place + "/program", place + "/same")
        os.symlink("program", place + "/link")
        os.symlink(".", place + "/loop")
        os.mkfifo(place + "/pipe")
        with open(place + "/text", "w", encoding="ascii") as file:
            file.write("AESENC\n")
        open(place + "/empty", "w", encoding="ascii").close()
        with open(place + "/cut", "wb") as cut, open(program, "rb") as whole:
            cut.write(whole.read()[:100])
        found = scan_json(place)
        assert [os.path.basename(file["file"]) for file in found["files"] if "crypto" in file] == ["program"], found
        assert ("AES", "hardware") in ways(next(f for f in found["files"] if "crypto" in f)), found
        assert found["summary"]["files"] == 4, found["summary"]   # program, text, empty, cut
        text = scan("-v", place).stdout
        assert "/cut" in text and "not read" in text, text


@test
def the_same_each_time():
    folder = os.path.dirname(libcrypto()) + "/ossl-modules"
    words = [libcrypto(), folder] if os.path.isdir(folder) else [libcrypto()]
    first = must(SCAN, "--json", "--no-cache", "-j", 1, *words).stdout
    assert must(SCAN, "--json", "--no-cache", "-j", 4, *words).stdout == first
    assert must(SCAN, "--json", *words).stdout == first      # fills the cache
    assert must(SCAN, "--json", *words).stdout == first      # reads it


@test
def a_line_a_file():
    lines = [json.loads(line) for line in must(SCAN, "--ndjson", libcrypto(), entries()).stdout.splitlines()]
    assert len(lines) == 3 and "summary" in lines[2], lines


@test
def a_file_that_is_not_there():
    done = scan("/no/such/file", entries())
    assert done.returncode == 1 and done.stderr.startswith("headrace: /no/such/file: "), done
    assert "1 files" in done.stdout, done.stdout             # and the other one is read


@test
def usage():
    for words in [], ["--json", "--ndjson", "/"], ["-j", "0", "/"], ["-j", "x", "/"]:
        done = scan(*words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done


CRASH = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    if (strstr(path, "poison"))
        raise(SIGSEGV);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
"""


@test
def a_reader_that_crashes_is_one_file():
    need("gcc")
    program = entries()
    with open(TRACER, "rb") as file:
        if b"__asan_init" in file.read():
            raise Missing("a sanitizer reports the crash as its own")
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/crash.c", "w", encoding="ascii") as file:
            file.write(CRASH)
        must("gcc", "-shared", "-fPIC", "-o", place + "/crash.so", place + "/crash.c")
        os.mkdir(place + "/files")
        for name in "a", "poison", "z":
            shutil.copy(program, f"{place}/files/{name}")
        done = subprocess.run([SCAN, "--json", "-j", "1", place + "/files"], stdout=subprocess.PIPE, check=False,
                              env=environment(LD_PRELOAD=place + "/crash.so"))
        files = json.loads(done.stdout)["files"]
        assert [bool(file.get("error")) for file in files] == [False, True, False], files
        assert "crashed" in files[1]["error"], files


@test
def fixed_instructions():
    """Finds classes of crypto instructions in a test program built here."""
    need_cpu("aes")
    rows = scan_json(entries())["files"][0]["crypto"]
    assert {row["function"] for row in rows if row["how"] == "hardware"} >= {"aes_push", "aes_loop_at_entry"}, rows


main()
