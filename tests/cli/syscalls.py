# SPDX-License-Identifier: Apache-2.0
"""Programs whose system calls are refused or stopped, and the signals that end a program."""
import ctypes
import errno
import os
import platform
import signal
import subprocess

from cli import Missing

# Signals that end a program by default, and are neither SIGKILL nor the report of a fault.
ENDING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1,
          signal.SIGUSR2, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGIO, signal.SIGPWR, signal.SIGRTMIN,
          signal.SIGRTMAX]


# ---- a file system without nameless files ----

class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]


OPENAT = {"x86_64": 257, "aarch64": 56}.get(platform.machine())
LIBC = ctypes.CDLL(None)


def no_nameless_files():
    """Makes openat() with O_TMPFILE fail as on a file system that does not know it, by a seccomp filter
    (seccomp(2))."""
    load, equal, any_set, give_back = 0x20, 0x15, 0x45, 0x06
    tmpfile = os.O_TMPFILE & ~os.O_DIRECTORY
    rows = (Filter * 6)((load, 0, 0, 0), (equal, 0, 3, OPENAT), (load, 0, 0, 16 + 2 * 8), (any_set, 0, 1, tmpfile),
                        (give_back, 0, 0, 0x50000 | errno.EOPNOTSUPP), (give_back, 0, 0, 0x7fff0000))
    program = Program(6, rows)
    if LIBC.prctl(38, 1, 0, 0, 0) or LIBC.prctl(22, 2, ctypes.byref(program), 0, 0):
        raise OSError("no seccomp filter")


WAYS = [None] + ([no_nameless_files] if OPENAT else [])


# ---- a program that is stopped at each of its system calls (ptrace(2)) ----

class Call(ctypes.Structure):
    """What PTRACE_GET_SYSCALL_INFO tells at the entry of a system call."""
    _fields_ = [("op", ctypes.c_uint8), ("pad", ctypes.c_uint8 * 3), ("arch", ctypes.c_uint32), ("ip", ctypes.c_uint64),
                ("sp", ctypes.c_uint64), ("number", ctypes.c_uint64), ("args", ctypes.c_uint64 * 6)]


TRACE_ME, TRACE_CALLS, GET_CALL, SET_OPTIONS = 0, 24, 0x420e, 0x4200
MARK_CALLS, KILL_WITH_TRACER = 1, 1 << 20
LIBC.ptrace.argtypes = ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p


def traced(words, way=None, **more):
    """Starts a program, one of WAYS, that is stopped until calls() lets it go on."""
    def stop_at_exec():
        if way:
            way()
        if LIBC.ptrace(TRACE_ME, 0, None, None):
            raise OSError("no ptrace")
    try:
        return subprocess.Popen(words, preexec_fn=stop_at_exec, **more)
    except subprocess.SubprocessError:
        raise Missing("the system allows no ptrace()") from None


def calls(child):
    """Yields each system call of a traced program's first thread, before it is done. At the end,
    child.returncode is set."""
    signaled = 0
    os.waitpid(child.pid, 0)
    LIBC.ptrace(SET_OPTIONS, child.pid, None, MARK_CALLS | KILL_WITH_TRACER)
    while True:
        LIBC.ptrace(TRACE_CALLS, child.pid, None, signaled)
        status = os.waitpid(child.pid, 0)[1]
        if not os.WIFSTOPPED(status):
            child.returncode = os.waitstatus_to_exitcode(status)
            return
        at_call = os.WSTOPSIG(status) == signal.SIGTRAP | 0x80
        signaled = 0 if at_call else os.WSTOPSIG(status)
        call = Call()
        LIBC.ptrace(GET_CALL, child.pid, ctypes.sizeof(call), ctypes.byref(call))
        if at_call and call.op == 1:
            yield call


def opened_path(child, call):
    """Returns the path that openat() is called with; None for any other call."""
    if call.number != OPENAT:
        return None
    with open(f"/proc/{child.pid}/mem", "rb", buffering=0) as memory: # the path may end a mapping
        memory.seek(call.args[1])
        return memory.read(64).split(b"\0")[0].decode()
