# SPDX-License-Identifier: Apache-2.0
"""md5sum ... sha512sum beside the system's coreutils: the same files and lists, byte by byte."""
import ctypes
import hashlib
import itertools
import os
import random
import re
import shutil
import subprocess
import tempfile

from cli import HEADRACE, STEP, environment, main, test

NAMES = {"md5sum": "MD5", "sha1sum": "SHA1", "sha224sum": "SHA224", "sha256sum": "SHA256",
         "sha384sum": "SHA384", "sha512sum": "SHA512"}
REFERENCE = "9.1"  # of coreutils; other versions print some details differently


def version_of(name):
    path = shutil.which(name)
    text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout if path else ""
    found = re.match(r"\w+ \(GNU coreutils\) (\S+)", text)
    return found.group(1) if found else "none"


SKIP = "" if version_of("md5sum") == REFERENCE else \
    f" # SKIP compares with coreutils {REFERENCE}, and {version_of('md5sum')} is here"


def beside(function):
    function.skip = SKIP
    return test(function)


FOLDER = tempfile.TemporaryDirectory(prefix="headrace-test.")
LINKS = f"{FOLDER.name}/bin"
FILES = f"{FOLDER.name}/files"
os.mkdir(LINKS)
os.mkdir(FILES)
for link in NAMES:
    os.symlink(HEADRACE, f"{LINKS}/{link}")

CONTENT = {b"f": b"", b"g": b"abc", b"a b": b"1", b" x": b"2", b"*y": b"3", b"new\nline": b"4",
           b"back\\slash": b"5", b"r\rr": b"6", b"c:d": b"7", b"p)q (r": b"8", b"'": b"9",
           b"\xff\x01": b"10", "é".encode(): b"11", b"-b": b"12", b"big": bytes(300000)}
for path, content in CONTENT.items():
    with open(os.path.join(FILES.encode(), path), "wb") as out:
        out.write(content)
os.mkdir(f"{FILES}/d")
os.mkfifo(f"{FILES}/fifo")
with open(f"{FILES}/locked", "w") as out:
    os.fchmod(out.fileno(), 0)
REAL = {name: shutil.which(name) for name in NAMES}


PRCTL, CAPBSET_DROP, DAC = ctypes.CDLL(None).prctl, 24, (1, 2)  # DAC_OVERRIDE, DAC_READ_SEARCH


def outcome(program, name, words, stdin, closed=(), **env):
    """Runs a program; returns exit code, output and messages. Root's right to read everything is
    dropped, so that permissions matter."""
    def prepare():
        for fd in closed:
            os.close(fd)
        for capability in DAC if os.getuid() == 0 else ():
            PRCTL(CAPBSET_DROP, capability, 0, 0, 0)
    result = subprocess.run([name.encode(), *words], executable=program, input=stdin, cwd=FILES,
                            capture_output=True, preexec_fn=prepare, timeout=60,
                            env={**environment(), "LC_ALL": "C.UTF-8", **env})
    return result.returncode, result.stdout, result.stderr


def same(name, *words, stdin=b"", **more):
    words = [word if isinstance(word, bytes) else word.encode() for word in words]
    theirs = outcome(REAL[name], name, words, stdin, **more)
    ours = outcome(f"{LINKS}/{name}", name, words, stdin, **more)
    assert ours == theirs, (name, words, stdin, more, theirs, ours)
    return ours


def digest(name, content):
    return hashlib.new(NAMES[name], content, usedforsecurity=False).hexdigest().encode()


def listed(name, form=b"%(digest)s  %(path)s\n", paths=CONTENT):
    return b"".join(form % {b"digest": digest(name, CONTENT[path]), b"path": path}
                    for path in paths)


def a_list(text):
    with open(f"{FILES}/list", "wb") as out:
        out.write(text)
    return "list"


# ---- digests ----

@test
def digests_are_those_of_python():
    for name in NAMES:
        for path, content in CONTENT.items():
            code, text, errors = outcome(f"{LINKS}/{name}", name, [b"-z", b"--", path], b"")
            assert (code, text, errors) == (0, digest(name, content) + b"  " + path + b"\0", b"")


@test
def commands_of_headrace_have_the_same_names():
    for name in NAMES:
        run = subprocess.run([HEADRACE, name], input=b"abc", capture_output=True,
                             env=environment())
        assert run.stdout == digest(name, b"abc") + b"  -\n" and not run.stderr, run


@beside
def every_option_on_every_name():
    for name in NAMES:
        for words in [], ["-b"], ["-t"], ["--tag"], ["-z"], ["--tag", "-z"], ["-b", "-z"], \
                ["-bt"], ["-tb"], ["--tag", "-b"], ["-t", "--tag"]:
            assert same(name, *words, "--", *CONTENT)[0] == 0
        same(name, stdin=b"abc")
        same(name, "-", "f", "-", stdin=b"abc")


@beside
def files_that_cannot_be_read():
    for name in NAMES:
        code, text, errors = same(name, "no", "f", "d", "locked", "", "g", "f/x", "x" * 5000)
        assert code == 1 and text.count(b"\n") == 2 and errors.count(b"\n") == 6
    same("md5sum", "-", "f", closed=[0])
    same("md5sum", "f", closed=[1])
    same("md5sum", "--status", "-c", a_list(listed("md5sum")), closed=[1])
    same("md5sum", "-c", closed=[0])
    same("md5sum", "-c", "list", "-", closed=[0])


@beside
def a_full_disk():
    for words in ["f"], ["-z", "f"], ["-c", a_list(listed("sha256sum"))]:
        results = []
        for program in REAL["sha256sum"], f"{LINKS}/sha256sum":
            with open("/dev/full", "w") as full:
                run = subprocess.run(["sha256sum", *words], executable=program, cwd=FILES,
                                     stdout=full, stderr=subprocess.PIPE, env=environment())
            results.append((run.returncode, run.stderr))
        assert results[0] == results[1] and results[0][0] == 1, (words, results)


@beside
def options_that_contradict_or_are_not_there():
    options = ["-b", "-t", "-c", "-w", "-z", "--tag", "--ignore-missing", "--quiet", "--status",
               "--strict"]
    a_list(listed("sha1sum", paths=[b"f", b"g"]) + b"wrong\n" + listed("sha1sum", paths=[b" x"]))
    for num in range(4):
        for words in itertools.islice(itertools.permutations(options, num), 0, None, STEP):
            if num < 3 or "--tag" in words or words[0] in ("--quiet", "--status", "-w"):
                same("sha1sum", *words, "list")
    for words in ["-x"], ["--bogus"], ["--t"], ["--s"], ["--st"], ["--check=1"], ["--ta", "f"], \
            ["-qx"], ["--ig"], ["--", "-b"], ["f", "-b"], ["-", "--tag"], ["-bx", "f"], ["--"], \
            ["--che", "list"], ["-z", "--zer", "f"], ["--zero=", "f"], ["-cx"], ["--w"]:
        same("md5sum", *words)
        same("md5sum", *words, POSIXLY_CORRECT="1")


@beside
def messages_begin_with_the_name_as_it_was_called():
    for called in "md5sum", "./md5sum", "/x y/md5sum":
        for words in [b"--bogus"], [b"no"], [b"-c", b"no"], [b"--tag", b"-t"]:
            theirs = outcome(REAL["md5sum"], called, words, b"")
            assert outcome(f"{LINKS}/md5sum", called, words, b"") == theirs


@test
def help_and_version():
    for name in NAMES:
        code, text, errors = outcome(f"{LINKS}/{name}", name, [b"--help"], b"")
        assert code == 0 and not errors and text.startswith(b"Usage: " + name.encode())
        assert all(option in text for option in (b"--binary", b"--check", b"--tag", b"--text",
                   b"--zero", b"--ignore-missing", b"--quiet", b"--status", b"--strict", b"--warn"))
        code, text, errors = outcome(f"{LINKS}/{name}", name, [b"--version", b"--bogus"], b"")
        assert code == 0 and not errors and text.startswith(name.encode() + b" (Headrace) ")


# ---- lists ----

@beside
def own_output_is_checked():
    for name in NAMES:
        for words in [], ["-b"], ["--tag"]:
            text = same(name, *words, "--", *CONTENT)[1]
            for more in [], ["--quiet"], ["--status"], ["-w"], ["--strict"]:
                code, _, errors = same(name, "-c", *more, stdin=text)
                assert code == 0 and not errors, (name, words, more)
            assert same(name, "-c", "--strict", stdin=text.replace(b"\n", b"\r\n"))[0] == 0
            assert same(name, "-c", stdin=text.rstrip(b"\n"))[0] == 0


# %d is the digest of an empty file, %D in capitals, %t the tag
LINES = [
    b"%d  f", b"%d *f", b"%d f", b"%d\tf", b"%d\t f", b"%d \tf", b"%d   f", b"%d **f", b"%d  ",
    b"%d ", b"%d", b"%d0  f", b"%D  f", b" %d  f", b"\t %d *f", b"%d  f\r", b"%d  f\r\r",
    b"%d  f\0x", b"%d \0f", b"\0%d  f", b"%d  -", b"%d  no", b"%d  d", b"%d  g", b"%d  locked",
    b"\\%d  f", b"\\%d  f\\n", b"\\%d  f\\", b"\\%d  f\\x", b"\\%d  new\\nline", b"\\%d  f\0\\n",
    b"\\%d  back\\\\slash", b"\\%d  r\\rr", b"%d  r\rr", b"\\ %d  f", b"\\\\%d  f", b" \\%d *f",
    b"\\%d f\\q", b"\\%d  \\n\\r\\\\", b"%t (f) = %d", b"%t(f)= %d", b"%t  (f) = %d", b"%t (f)=%d",
    b"%t (f)  =\t%d", b"%t (f) = %d ", b"%t f = %d", b"%t (f = %d", b"%t (f) %d", b"%t (f) =",
    b"%t (", b"%t (f", b"%t ()", b"%t () = %d", b"%t (p)q (r) = %d", b"%t (f\0) = %d", b"%t",
    b"%t (f) = %d\0)", b"%t (f) = %d)", b"\\%t (new\\nline) = %d", b"\\%t (x\\y) = %d", b"%tx (f) = %d",
    b" %t (f) = %D", b"%t (f) = %d0", b"%t(f) = %d\r", b"", b" ", b"\t", b"#", b"# %d  f", b" #",
    b"\r", b"\0", b"\\", b"xx", b"SHA1 (f) = %d", b"md5 (f) = %d", b"%d  \xff\x01", b"%d  c:d",
    b"%d  '", b"%d  a b", b"(f) = %d", b"%d  (f)", b"%t", b"%d%d", b"%d  " + b"y" * 5000,
]


def filled(name, line):
    empty = digest(name, b"")
    return line.replace(b"%d", empty).replace(b"%D", empty.upper()).replace(
        b"%t", NAMES[name].encode())


@beside
def each_kind_of_line():
    for name in "md5sum", "sha512sum":
        for line in LINES:
            for more in ([], ["-w"], ["--ignore-missing"])[::STEP]:
                same(name, "-c", *more, a_list(filled(name, line) + b"\n"))
            same(name, "-c", "--strict", a_list(filled(name, line)))


def random_line(rng, name):
    line = filled(name, rng.choice(LINES))
    for _ in range(rng.choice((0, 0, 0, 1, 3))):
        at = rng.randrange(len(line) + 1)
        line = line[:at] + bytes(rng.choices(b"\\\0 *()=\tnr'\r#a0\xc3", k=rng.randrange(3))) + \
            line[at + rng.randrange(3):]
    return line


@beside
def lists_of_many_kinds_of_lines():
    rng = random.Random(91)
    options = ["-w", "--quiet", "--status", "--strict", "--ignore-missing"]
    for _ in range(400 // STEP):
        name = rng.choice(list(NAMES))
        text = [random_line(rng, name) + rng.choice((b"\n", b"\n", b"\r\n"))
                for _ in range(rng.randrange(8))]
        words = rng.sample(options, rng.randrange(3))
        same(name, "-c", *words, a_list(b"".join(text)))
        same(name, "-c", *words, stdin=b"".join(text))


@beside
def several_lists_and_what_is_no_list():
    with open(f"{FILES}/one", "wb") as out:
        out.write(filled("md5sum", b"%d f\n"))
    a_list(filled("md5sum", b"%d  f\n"))
    for paths in itertools.permutations(["one", "list", "no", "d", "f", "-", "big"], 3):
        same("md5sum", "-c", *paths, stdin=filled("md5sum", b"%d  g\n"))


@beside
def names_in_messages():
    rng = random.Random(5)
    parts = [bytes([c]) for c in range(1, 128) if c != 0x2f] + \
        ["é".encode(), b"\xc3", b"\xe2\x82", "\u0085".encode(), "日".encode(), b"\xf0\x9f", b"'"] * 4
    names = [part for part in parts if part not in (b"-", b".")] + \
        [b"".join(rng.choices(parts, k=rng.randrange(2, 6))) for _ in range(3000)]
    names = [b"missing/" + n if n in CONTENT or n.startswith(b".") else n for n in names]
    for lang in "C", "C.UTF-8":
        for at in range(0, len(names), 200):
            same("sha224sum", "--", *names[at:at + 200], LC_ALL=lang)


# ---- what a list's author may not do ----

@test
def a_line_without_end_takes_no_memory():
    megabyte, total = b"a" * (1 << 20), 400
    with subprocess.Popen(["sha256sum", "-c", "-w"], executable=f"{LINKS}/sha256sum",
                          env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        for _ in range(total):
            child.stdin.write(megabyte)
        child.stdin.close()
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 1 and b"'standard input': 1: improperly formatted SHA256" in errors
    assert usage.ru_maxrss < total << 9, usage.ru_maxrss  # KiB: half of the line


main()
