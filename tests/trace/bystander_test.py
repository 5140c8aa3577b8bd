# SPDX-License-Identifier: Apache-2.0
"""--count: who is not counted is left alone, and every process that is counted is so exactly."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import truth
from truth import Missing, main, need, need_cpu, test, trace, wait_until

PATIENCE = 300  # seconds until something that must come counts as missing
FUNCTION = "sha256_block_data_order_shaext"
BUSY = ("openssl", "speed", "-evp", "sha256", "-bytes", "64", "-seconds", "100")


def need_multi():
    if os.geteuid():
        raise Missing("counts of every call need root")
    if tuple(map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups())) < (6, 10):
        raise Missing("links of single processes need Linux 6.10")
    if os.stat("/proc/self/ns/pid").st_ino != 0xEFFFFFFC:
        raise Missing("links of single processes need the initial pid namespace")
    need("openssl")
    need_cpu("sha_ni")


@contextlib.contextmanager
def running(*words, **more):
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def text(pid, library):
    """What a library's code is in a process, and in the file; None: it has not mapped it."""
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            found = re.match(rf"(\w+)-(\w+) r-xp (\w+) \S+ \d+ +(/.*/{library}\.so\S*)$", line)
            if found:
                start, end, offset = (int(part, 16) for part in found.groups()[:3])
                with open(f"/proc/{pid}/mem", "rb") as memory, open(found[4], "rb") as file:
                    memory.seek(start)
                    file.seek(offset)
                    whole = file.read(end - start)
                    return memory.read(end - start)[:len(whole)], whole
    return None


def breakpoints(pid, library="libcrypto"):
    """How many bytes of its code are int3 there and not in the file; -1: none is mapped."""
    both = text(pid, library)
    if not both:
        return -1
    differ = [ours for ours, whole in zip(*both) if ours != whole] if both[0] != both[1] else []
    assert all(byte == 0xCC for byte in differ), differ
    return len(differ)


def child_of(pid, name):
    """The child with this name; None."""
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        for child in children.read().split():
            with open(f"/proc/{child}/comm") as comm:
                if comm.read().strip() == name:
                    return int(child)
    return None


def nobody_else_pays(target, old):
    """While target has breakpoints: a process from before, and one that begins now."""
    wait_until(lambda: breakpoints(target) > 0)
    with running(*BUSY) as new:
        wait_until(lambda: breakpoints(new.pid) >= 0)
        for _ in range(5):
            assert breakpoints(old) == 0, "a process from before has breakpoints"
            assert breakpoints(new.pid) == 0, "a new process has breakpoints"
            time.sleep(0.1)
        assert breakpoints(target) > 0, "the target has none any more"


@test
def of_a_process():
    need_multi()
    with running(*BUSY) as old, running(*BUSY) as target:
        wait_until(lambda: breakpoints(old.pid) == 0 and breakpoints(target.pid) == 0)
        with running(truth.TRACER, "--count", "--probe-backend", "multi", "-p", target.pid):
            nobody_else_pays(target.pid, old.pid)
        assert breakpoints(target.pid) == 0, "the tracer left breakpoints behind"


@test
def of_a_command():
    need_multi()
    with running(*BUSY) as old:
        wait_until(lambda: breakpoints(old.pid) == 0)
        with running(truth.TRACER, "--count", "--probe-backend", "multi", "--", *BUSY) as tracer:
            wait_until(lambda: child_of(tracer.pid, "openssl"))
            nobody_else_pays(child_of(tracer.pid, "openssl"), old.pid)


@test
def the_loader_of_others():
    """What holds the program until its libraries have probes; a breakpoint there ends valgrind's programs."""
    need_multi()
    with tempfile.TemporaryDirectory() as place:  # a loader that no other trace knows
        program, loader = f"{place}/waits", f"{place}/loader.so"
        shutil.copy(os.path.realpath("/lib64/ld-linux-x86-64.so.2"), loader)
        with open(f"{program}.c", "w") as source:
            source.write("int getchar(void); int main(void) { return getchar() > 0; }")
        truth.must(need("cc"), f"{program}.c", "-o", program, f"-Wl,--dynamic-linker={loader}")
        with running(program, stdin=subprocess.PIPE) as old, \
                running(truth.TRACER, "--count", "--probe-backend", "multi", "--", program,
                        stdin=subprocess.PIPE) as tracer:
            wait_until(lambda: child_of(tracer.pid, "waits"))
            wait_until(lambda: breakpoints(child_of(tracer.pid, "waits"), "loader") > 0)
            with running(program, stdin=subprocess.PIPE) as new:
                wait_until(lambda: breakpoints(new.pid, "loader") >= 0)
                assert breakpoints(old.pid, "loader") == 0 and breakpoints(new.pid, "loader") == 0


@test
def of_a_commands_child():
    """A shell's child has its own links, after fork and execve."""
    need_multi()
    command = " ".join(BUSY) + "; true"
    with running(*BUSY) as old:
        wait_until(lambda: breakpoints(old.pid) == 0)
        with running(truth.TRACER, "--count", "--probe-backend", "multi", "--",
                     "sh", "-c", command) as tracer:
            wait_until(lambda: child_of(tracer.pid, "sh"))
            shell = child_of(tracer.pid, "sh")
            wait_until(lambda: child_of(shell, "openssl"))
            openssl = child_of(shell, "openssl")
            try:
                nobody_else_pays(openssl, old.pid)
            finally:
                os.kill(openssl, 15)


@test
def of_a_process_that_forks():
    """Nobody holds its children: calls may be missed, which is said, and none counts twice."""
    need_multi()
    program = """
import hashlib, os, sys
hashlib.sha256(b"").digest()
sys.stdin.readline()
for i in range(1000): hashlib.sha256(bytes(64)).digest()
if os.fork() == 0:
    for i in range(500): hashlib.sha256(bytes(64)).digest()
    os._exit(0)
os.wait()
"""
    with running(sys.executable, "-c", program, stdin=subprocess.PIPE) as target, \
            tempfile.NamedTemporaryFile() as out:
        wait_until(lambda: breakpoints(target.pid) == 0)
        tracer = subprocess.Popen(
            [truth.TRACER, "--json", "-o", out.name, "--count", "-p", str(target.pid)])
        wait_until(lambda: breakpoints(target.pid) > 0)
        target.stdin.write(b"\n")
        target.stdin.close()
        tracer.wait(PATIENCE)
        report = truth.Report(truth.read(out.name), subprocess.CompletedProcess([], 0, "", ""))
    assert 2000 <= report.calls(FUNCTION) <= 3000, str(report)
    assert not any(row["exact"] for row in report.rows if row["calls"]), str(report)


def calls_of(*words):
    report = trace(*words, options=["--count", "--probe-backend", "multi"])
    rows = [row for row in report.rows if row["function"].rstrip("~") == FUNCTION and row["calls"]]
    assert rows and all(row["exact"] for row in rows), str(report)
    return sum(row["calls"] for row in rows)


# More processes than have links of their own: some are counted by them, some by the rest's.
@test
def twelve_that_fork_at_once():
    need_multi()
    program = """
import hashlib, os
for i in range(100): hashlib.sha256(bytes(64)).digest()
for child in range(12):
    if os.fork() == 0:
        for i in range(100): hashlib.sha256(bytes(64)).digest()
        os._exit(0)
for child in range(12): os.wait()
"""
    counted = calls_of(need("python3"), "-c", program)
    assert counted == 2 * 13 * 100, counted


@test
def twelve_that_execute():
    need_multi()
    with tempfile.NamedTemporaryFile() as data:
        data.write(bytes(100000))
        data.flush()
        digest = f"openssl dgst -sha256 {data.name} >/dev/null"
        one = calls_of("sh", "-c", f"{digest}; true")
        assert calls_of("openssl", "dgst", "-sha256", data.name) == one
        # By another thread than the first, which the kernel puts into the first one's place.
        program = "import os, sys, threading\n" \
            "threading.Thread(target=lambda: os.execvp(sys.argv[1], sys.argv[1:])).start()\n"
        assert calls_of(sys.executable, "-c", program, "openssl", "dgst", "-sha256", data.name) == one
        twelve = calls_of("sh", "-c", f"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do {digest}; done")
    assert one and twelve == 12 * one, (one, twelve)


main()
