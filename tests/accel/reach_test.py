# SPDX-License-Identifier: Apache-2.0
"""The service's memory is out of reach: of other users, of processes of its own user, of debuggers, of swap and of
dumps.  A key of RSA that has signed is looked for in all of it, in every form that key_search.py knows."""
import ctypes
import errno
import os
import re
import signal
import subprocess
import sys
import tempfile

FIND_PIECES, HOLDER = sys.argv.pop(), sys.argv.pop()  # control.py takes the other arguments

from control import HEADRACE, MORE, NOBODY, RELOAD, SOURCE, Client, Service, as_user, service, test_as_root  # noqa: E402
from cli import main  # noqa: E402

sys.path.append(f"{SOURCE}/tests/e2e")
import key_search  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
PIDFD_OPEN, PIDFD_GETFD = 434, 438  # system calls, of the same number on all CPUs
SECRET = ("d", "p", "q", "dp", "dq", "qinv")


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


def failure(result):
    return -ctypes.get_errno() if result < 0 else 0


def trace(request):
    return lambda pid: failure(LIBC.ptrace(ctypes.c_long(request), pid, None, None))


def read_vector(pid):
    start, _, _ = next(key_search.spans(os.getpid()))  # the service's addresses are not known; these are as good
    out = ctypes.create_string_buffer(16)
    here, there = Vector(ctypes.addressof(out), 16), Vector(start, 16)
    return failure(LIBC.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))


def take_descriptor(pid):
    pidfd = LIBC.syscall(PIDFD_OPEN, pid, 0)
    return failure(LIBC.syscall(PIDFD_GETFD, pidfd, 3, 0)) if pidfd >= 0 else -errno.ENOSYS


def opening(name):
    def of(pid):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as f:
                f.read(1)
        except OSError as error:
            return -error.errno
        return 0
    return of


WAYS = {"mem": opening("mem"), "maps": opening("maps"), "environ": opening("environ"), "attach": trace(PTRACE_ATTACH),
        "seize": trace(PTRACE_SEIZE), "process_vm_readv": read_vector, "pidfd_getfd": take_descriptor}


@test_as_root
def other_processes_do_not_reach_it():
    with service("--user=nobody", owner=NOBODY) as s:
        for user in (NOBODY, 1000):
            for name, way in WAYS.items():
                result = as_user(user, lambda way=way: way(s.process.pid))
                assert result in (-errno.EACCES, -errno.EPERM), (user, name, result)
        sleeper = subprocess.Popen(["sleep", "60"], user=NOBODY, group=NOBODY, extra_groups=())
        try:  # a process of the same user that does not forbid it is reached
            assert as_user(NOBODY, lambda: WAYS["environ"](sleeper.pid)) == 0
        finally:
            sleeper.kill()
            sleeper.wait()


@test_as_root
def it_leaves_no_core():
    with tempfile.TemporaryDirectory() as folder:
        s = Service(folder, cwd=folder, preexec_fn=key_search.allow_cores).ready()
        with open(f"/proc/{s.process.pid}/limits", encoding="ascii") as f:
            assert re.search(r"^Max core file size +0 +0 ", f.read(), re.M)
        assert key_search.abort(s.process.pid) is None and s.wait() == -signal.SIGABRT
        s.log_file.close()
        other = subprocess.Popen(["sleep", "60"], cwd=folder, preexec_fn=key_search.allow_cores)
        path = key_search.abort(other.pid)  # one that leaves a core, where the kernel writes any
        assert other.wait() == -signal.SIGABRT and (path is not None) == key_search.kernel_writes_cores()


def key_file(folder):
    made = subprocess.run([HEADRACE, "accel", "key", "new", "web", "--algorithm=RSA-2048", "--uid=0-70000",
                           f"--keys={folder}"], capture_output=True, check=False)
    assert made.returncode == 0, made
    numbers = {}
    for word, digits in re.findall(r"^([a-z]+) = ([0-9a-f]+)$", open(f"{folder}/web", encoding="ascii").read(), re.M):
        numbers[word] = numbers.get(word, b"") + bytes.fromhex(digits)
    return {word: numbers[word] for word in SECRET}


@test_as_root
def keys_lie_in_locked_memory_only():
    """Spans with parts of the key: lo, locked; dd, in no dump; dc, in no child of a fork."""
    if MORE:
        return  # a sanitizer keeps what was freed
    with service() as s, tempfile.TemporaryDirectory() as folder:
        pieces = key_search.Pieces(FIND_PIECES, f"{folder}/pieces", [(key_file(s.keys), b"")])
        assert Client(s.path).result(RELOAD) == 0
        holder = subprocess.Popen([HOLDER, s.path, "web"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout.readline() == b"signed\n"
        pid = s.process.pid
        found = {span: pieces.in_parts(key_search.contents(pid, span[0], span[1]))
                 for span in ((start, end, tuple(flags)) for start, end, flags in key_search.spans(pid))}
        assert sum(found.values()), "the search finds nothing"
        for (start, end, flags), count in found.items():
            assert not count or {"lo", "dd", "dc"} <= set(flags), (hex(start), hex(end), flags, count)
        assert not pieces.in_file(key_search.dump(pid, f"{folder}/dump"))
        assert not pieces.in_memory([holder.pid])
        holder.communicate(b"\n")


if __name__ == "__main__":
    main()
