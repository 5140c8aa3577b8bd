# SPDX-License-Identifier: Apache-2.0
"""--count: processes that are not counted get no breakpoints, and calls of those that are counted are counted
exactly."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import truth
from truth import TRACEFS, Missing, cases, main, need, need_cpu, trace, tracer_where, wait_until

# The states of tracefs but "mounted": the tracer behaves in that as in "unmounted", once it has opened
# tracefs.
WITHOUT = TRACEFS[1:]
PATIENCE = 300  # seconds until something that must come counts as missing
FUNCTION = "sha256_block_data_order_shaext"
BUSY = ("openssl", "speed", "-evp", "sha256", "-bytes", "64", "-seconds", "100")


def counting(tracefs, *words):
    return [*tracer_where(tracefs), "--count", "--probe-backend", "multi", *words]


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
    """Returns the bytes of a library's code in a process's memory and in the file; None if the process has
    not mapped the library."""
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            found = re.match(rf"(\w+)-(\w+) r-xp (\w+) \S+ \d+ +/.*/{library}\.so\S*$", line)
            if found:
                start, end, offset = (int(part, 16) for part in found.groups())
                mapped = f"/proc/{pid}/map_files/{start:x}-{end:x}"  # its path may be of another mount namespace
                with open(f"/proc/{pid}/mem", "rb") as memory, open(mapped, "rb") as file:
                    memory.seek(start)
                    file.seek(offset)
                    whole = file.read(end - start)
                    return memory.read(end - start)[:len(whole)], whole
    return None


def breakpoints(pid, library="libcrypto"):
    """Returns how many bytes of a library's code in a process are breakpoints (int3) and not so in the file;
    -1 if the process has not mapped the library."""
    both = text(pid, library)
    if not both:
        return -1
    differ = [ours for ours, whole in zip(*both) if ours != whole] if both[0] != both[1] else []
    assert all(byte == 0xCC for byte in differ), differ
    return len(differ)


def child_of(pid, name):
    """Returns the pid of the child with this name, or None."""
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        for child in children.read().split():
            with open(f"/proc/{child}/comm") as comm:
                if comm.read().strip() == name:
                    return int(child)
    return None


def nobody_else_pays(target, old):
    """Checks that while `target` has breakpoints, neither the older process `old` nor a new process gets any."""
    wait_until(lambda: breakpoints(target) > 0)
    with running(*BUSY) as new:
        wait_until(lambda: breakpoints(new.pid) >= 0)
        for _ in range(5):
            assert breakpoints(old) == 0, "a process from before has breakpoints"
            assert breakpoints(new.pid) == 0, "a new process has breakpoints"
            time.sleep(0.1)
        assert breakpoints(target) > 0, "the target has none any more"


@cases(TRACEFS[:2])
def of_a_process(tracefs):
    need_multi()
    with running(*BUSY) as old, running(*BUSY) as target:
        wait_until(lambda: breakpoints(old.pid) == 0 and breakpoints(target.pid) == 0)
        with running(*counting(tracefs, "-p", target.pid)):
            nobody_else_pays(target.pid, old.pid)
        assert breakpoints(target.pid) == 0, "the tracer left breakpoints behind"


@cases(TRACEFS)
def of_a_command(tracefs):
    need_multi()
    with running(*BUSY) as old:
        wait_until(lambda: breakpoints(old.pid) == 0)
        with running(*counting(tracefs, "--", *BUSY)) as tracer:
            wait_until(lambda: child_of(tracer.pid, "openssl"))
            nobody_else_pays(child_of(tracer.pid, "openssl"), old.pid)


@cases(WITHOUT)
def the_loader_of_others(tracefs):
    """The tracer holds a program by a breakpoint in the loader. Other processes with this loader must get
    none: one would end programs under valgrind."""
    need_multi()
    with tempfile.TemporaryDirectory() as place:  # a loader that no other trace knows
        program, loader = f"{place}/waits", f"{place}/loader.so"
        shutil.copy(os.path.realpath("/lib64/ld-linux-x86-64.so.2"), loader)
        with open(f"{program}.c", "w") as source:
            source.write("int getchar(void); int main(void) { return getchar() > 0; }")
        truth.must(need("cc"), f"{program}.c", "-o", program, f"-Wl,--dynamic-linker={loader}")
        with running(program, stdin=subprocess.PIPE) as old, \
                running(*counting(tracefs, "--", program), stdin=subprocess.PIPE) as tracer:
            wait_until(lambda: child_of(tracer.pid, "waits"))
            wait_until(lambda: breakpoints(child_of(tracer.pid, "waits"), "loader") > 0)
            with running(program, stdin=subprocess.PIPE) as new:
                wait_until(lambda: breakpoints(new.pid, "loader") >= 0)
                assert breakpoints(old.pid, "loader") == 0 and breakpoints(new.pid, "loader") == 0


@cases(WITHOUT)
def of_a_commands_child(tracefs):
    """A shell's child has its own links, after fork and execve."""
    need_multi()
    command = " ".join(BUSY) + "; true"
    with running(*BUSY) as old:
        wait_until(lambda: breakpoints(old.pid) == 0)
        with running(*counting(tracefs, "--", "sh", "-c", command)) as tracer:
            wait_until(lambda: child_of(tracer.pid, "sh"))
            shell = child_of(tracer.pid, "sh")
            wait_until(lambda: child_of(shell, "openssl"))
            openssl = child_of(shell, "openssl")
            try:
                nobody_else_pays(openssl, old.pid)
            finally:
                os.kill(openssl, 15)


@cases(WITHOUT)
def of_a_process_that_forks(tracefs):
    """The tracer cannot hold children of a process that it did not start: it may miss calls, must say so, and
    counts none twice."""
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
            counting(tracefs, "--json", "-o", out.name, "-p", str(target.pid)))
        wait_until(lambda: breakpoints(target.pid) > 0)
        target.stdin.write(b"\n")
        target.stdin.close()
        tracer.wait(PATIENCE)
        report = truth.Report(truth.read(out.name), subprocess.CompletedProcess([], 0, "", ""))
    assert 2000 <= report.calls(FUNCTION) <= 3000, str(report)
    assert not any(row["exact"] for row in report.rows if row["calls"]), str(report)
    told = [gap["why"] for gap in report.json["gaps"] if gap["what"] == "counts"]
    assert len(told) == (tracefs == "refused") and all("tracefs" in why for why in told), told


def calls_of(tracefs, *words):
    report = trace(*words, options=["--count", "--probe-backend", "multi"], tracefs=tracefs)
    assert not [gap for gap in report.json["gaps"] if gap["what"] == "counts"], str(report)
    rows = [row for row in report.rows if row["function"].rstrip("~") == FUNCTION and row["calls"]]
    assert rows and all(row["exact"] for row in rows), str(report)
    return sum(row["calls"] for row in rows)


# More processes than can have links of their own: some are counted by their own links, some by the one for
# all others.
@cases(WITHOUT)
def twelve_that_fork_at_once(tracefs):
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
    counted = calls_of(tracefs, need("python3"), "-c", program)
    assert counted == 2 * 13 * 100, counted


@cases(WITHOUT)
def twelve_that_execute(tracefs):
    need_multi()
    with tempfile.NamedTemporaryFile() as data:
        data.write(bytes(100000))
        data.flush()
        digest = f"openssl dgst -sha256 {data.name} >/dev/null"
        one = calls_of(tracefs, "sh", "-c", f"{digest}; true")
        assert calls_of(tracefs, "openssl", "dgst", "-sha256", data.name) == one
        # Another thread than the first calls execve: the kernel gives it the process's id.
        program = "import os, sys, threading\n" \
            "threading.Thread(target=lambda: os.execvp(sys.argv[1], sys.argv[1:])).start()\n"
        assert calls_of(tracefs, sys.executable, "-c", program, "openssl", "dgst", "-sha256", data.name) == one
        twelve = calls_of(tracefs, "sh", "-c", f"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do {digest}; done")
    assert one and twelve == 12 * one, (one, twelve)


main()
