# SPDX-License-Identifier: Apache-2.0
"""Sampling where the system forbids perf events or ptrace, and whether COMMAND notices the
tracer."""
import json
import os
import platform
import subprocess
import sys

from truth import TRACER, Missing, environment, main, need, need_cpu, run, test

SPEED = ["openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-128-cbc"]
NUMBERS = {"x86_64": {"perf_event_open": 298, "ptrace": 101},
           "aarch64": {"perf_event_open": 241, "ptrace": 117}}

# A program that forbids system calls with EPERM, as container engines do, and then executes COMMAND: NUMBERS
# COMMAND...
REFUSE = """
import ctypes, os, struct, sys
numbers = [int(n) for n in sys.argv[1].split(",")]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06     # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
code = [(LOAD, 0, 0, 0)]
code += [(EQUAL, len(numbers) - i, 0, n) for i, n in enumerate(numbers)]
code += [(RETURN, 0, 0, 0x7fff0000), (RETURN, 0, 0, 0x00050001)]   # ALLOW, ERRNO EPERM
filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):   # NO_NEW_PRIVS, SECCOMP
    sys.exit("no seccomp: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def refusing(*names):
    numbers = NUMBERS.get(platform.machine())
    if not numbers:
        raise Missing("no numbers of system calls for " + platform.machine())
    return [sys.executable, "-c", REFUSE, ",".join(str(numbers[n]) for n in names)]


def openssl():
    need("openssl")
    need_cpu("aes")


@test
def without_perf_events_ptrace_samples():
    openssl()
    done = run(*refusing("perf_event_open"), TRACER, "--json", "-o", "/dev/stderr", "--", *SPEED)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stderr[done.stderr.index("{"):])
    text = json.dumps(report)
    assert "ptrace" in text and "perf cpu-clock" not in text, text
    assert "sampled by ptrace" in text, text


@test
def without_both_one_line_says_so():
    done = run(*refusing("perf_event_open", "ptrace"), TRACER, "--", "echo", "not run",
               ASAN_OPTIONS="detect_leaks=0")  # which looks by ptrace
    assert done.returncode == 125, (done.returncode, done.stderr)
    assert done.stderr.count("\n") == 1 and not done.stdout, done.stderr
    assert "perf" in done.stderr and "ptrace" in done.stderr, done.stderr


@test
def a_system_without_perf_events_is_refused_in_one_line():
    done = run(*refusing("perf_event_open"), TRACER, "--system", "-d", "1")
    assert done.returncode == 125 and done.stderr.count("\n") == 1, done.stderr


def same_as_untraced(command):
    for sampler in "perf", "ptrace":
        traced = run(TRACER, "--sampler", sampler, "--", *command)
        if traced.returncode == 125:
            raise Missing(traced.stderr.strip())
        assert traced.stdout == run(*command).stdout, traced.stdout


@test
def the_command_keeps_its_privileges():
    keys = ("CapEff", "CapBnd", "NoNewPrivs", "SigBlk", "SigIgn", "SigCgt")
    same_as_untraced(["grep", "-E", "^(" + "|".join(keys) + "):", "/proc/self/status"])


@test
def the_command_has_no_descriptors_of_ours():
    same_as_untraced(["sh", "-c", "ls /proc/$$/fd"])


@test
def a_user_other_than_root():
    if os.geteuid():
        raise Missing("only root can become another user")
    done = run(TRACER, "--user", "nobody", "--", "id", "-un")
    assert done.returncode == 0 and done.stdout == "nobody\n", (done.stdout, done.stderr)
    done = run(TRACER, "--user", "no-such-user", "--", "id", "-un")
    assert done.returncode == 125 and done.stderr.count("\n") == 1, done.stderr


@test
def a_killed_tracer_leaves_the_command_running():
    for sampler in "perf", "ptrace":
        with subprocess.Popen([TRACER, "--sampler", sampler, "--", "sh", "-c",
                               "echo $$; read line; echo $line"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment()) as tracer:
            if not tracer.stdout.readline():
                raise Missing(tracer.stderr.read().strip())
            tracer.kill()
            tracer.wait()
            tracer.stdin.write("still here\n")
            tracer.stdin.flush()
            assert tracer.stdout.readline() == "still here\n", sampler


main()
