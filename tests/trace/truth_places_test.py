# SPDX-License-Identifier: Apache-2.0
"""OpenSSL where users have it: linked statically, opened late, deleted, in other namespaces, in
programs that are short or have children."""
import os
import shutil
import subprocess
import tempfile

from truth import (TRACER, Missing, Report, attach, compiled, environment, main, mostly, must, need, need_cpu, read,
                   test, trace, without_sections)

NO_AES = "~0x200000200000000"


def static_program():
    return compiled("evp", "c/evp.c", options=("-static", "-s"), libraries=("-lcrypto", "-lpthread", "-ldl"))


@test
def stripped_static_program():
    program = static_program()
    need_cpu("aes")
    mostly(trace(program, "aes-128-cbc", 1), .90, algorithm="AES", how="hardware")
    mostly(trace(program, "aes-128-cbc", 1, OPENSSL_ia32cap=NO_AES), .90, algorithm="AES", how="software")
    mostly(trace(program, "md5", 1), .90, algorithm="MD5", how="software")


@test
def program_without_section_headers():
    program = without_sections(static_program())
    need_cpu("aes")
    mostly(trace(program, "aes-128-cbc", 1), .90, algorithm="AES", how="hardware")
    mostly(trace(program, "aes-128-cbc", 1, OPENSSL_ia32cap=NO_AES), .90, algorithm="AES", how="software")


@test
def library_opened_while_running():
    need_cpu("aes")
    program = compiled("dlopen", "c/dlopen.c")
    mostly(trace(program, "libcrypto.so.3", "aes-128-cbc", 2), .80, algorithm="AES", how="hardware")


def libcrypto():
    for line in must("ldconfig", "-p").stdout.splitlines():
        if "libcrypto.so.3" in line and "x86-64" in line:
            return line.split("=> ")[1]
    raise Missing("libcrypto.so.3 is not installed")


@test
def library_deleted_while_running():
    need_cpu("aes")
    with tempfile.TemporaryDirectory() as place:
        copy = shutil.copy(libcrypto(), place + "/libcrypto.so.3")
        program = subprocess.Popen([compiled("dlopen", "c/dlopen.c"), copy, "aes-128-cbc", "600"],
                                   env=environment(UNLINK=1))
        try:
            while os.path.exists(copy):
                assert program.poll() is None
            mostly(attach(program.pid, 2), .90, algorithm="AES", how="hardware")
        finally:
            program.kill()
            program.wait()


@test
def tables_that_no_file_holds():
    program = compiled("tables", "c/tables.c", options=("-fno-asynchronous-unwind-tables", "-s"))
    mostly(trace(program, 2), .60, algorithm="AES", how="software")


@test
def short_programs_in_a_shell_loop():
    need_cpu("sha_ni")
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(200_000_000)
        report = trace("sh", "-c", f"for i in 1 2 3 4 5 6 7 8 9; do openssl dgst -sha256 {file.name}; done")
    # The kernel takes as long to read so large a file as the program takes to hash it.
    mostly(report, .60, algorithm="SHA-256", how="hardware")


@test
def children_of_children():
    need_cpu("aes")
    report = trace("sh", "-c", "(sh -c 'openssl speed -seconds 1 -bytes 8192 -evp aes-128-cbc' & wait) 2>&1")
    mostly(report, .90, algorithm="AES", how="hardware")


@test
def other_root_and_namespaces():
    need_cpu("aes")
    program = static_program()
    if os.geteuid():
        raise Missing("chroot needs root")
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(program, root + "/program")
        report = trace("chroot", root, "/program", "aes-128-cbc", 1)
    mostly(report, .90, algorithm="AES", how="hardware")


@test
def place_without_sys():
    """Without /sys, as in a chroot, the CPUs are learned from /proc; each of them must be sampled."""
    need_cpu("aes")
    words = [need("unshare"), "--mount"]
    if subprocess.run([*words, "umount", "-l", "/sys"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("a mount namespace without /sys cannot be made here")

    def traced(cpu):
        with tempfile.NamedTemporaryFile() as out:
            done = must(*words, "sh", "-c", 'umount -l /sys && exec "$@"', "sh", TRACER, "--json", "-o", out.name, "--",
                        need("taskset"), "-c", cpu, static_program(), "aes-128-cbc", 1)
            return Report(read(out.name), done, lambda: traced(cpu))
    for cpu in sorted(os.sched_getaffinity(0))[:2]:
        mostly(traced(cpu), .90, algorithm="AES", how="hardware")


@test
def mount_and_user_namespaces():
    need_cpu("aes")
    program = static_program()
    words = need("unshare"), "--mount", "--user", "--map-root-user", "--pid", "--fork"
    if subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("user namespaces are not allowed here")
    mostly(trace(*words, program, "aes-128-cbc", 1), .90, algorithm="AES", how="hardware")


@test
def pythons_hashlib():
    need_cpu("sha_ni")
    code = ("import hashlib, time\nd = bytes(1 << 20)\ne = time.time() + 1\n"
            "while time.time() < e: hashlib.sha256(d).digest()")
    interpreter = next((path for path in ("/usr/bin/python3",) if os.path.exists(path)), None)
    if not interpreter:
        raise Missing("Debian's python3 is not installed")
    mostly(trace(interpreter, "-c", code), .80, algorithm="SHA-256", how="hardware")


main()
