# SPDX-License-Identifier: Apache-2.0
"""What a hostile program can cost the tracer: memory, time, and the end of the trace. Nothing here depends on how
fast the machine is: CPU time is compared with a multiple of what it takes."""
import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from truth import PROGRAMS, TRACER, Missing, cases, catches, compiled, environment, main, need, read, run, test, wait_until

MIB = 1024  # ru_maxrss counts KiB
NOBODY = 65534
with open(TRACER, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()


@contextlib.contextmanager
def hostile(files, mappings, megabytes=0):
    """Runs the hostile program, and gives its process once it has mapped its files."""
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, os.path.join(PROGRAMS, "sparse.py"), place, files, mappings, megabytes]
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, env=environment()) as target:
            try:
                assert target.stdout.readline() == b"mapped\n"
                yield target
            finally:
                target.kill()


class Tracer:
    """A tracer with its report, and what it used when it has ended."""

    def __init__(self, target, *options):
        self.report = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
        words = [TRACER, "--no-cache", "--json", "-o", self.report.name, *options, "-p", target.pid]
        self.process = subprocess.Popen([str(word) for word in words],  # pylint: disable=consider-using-with
                                        stderr=subprocess.PIPE, env=environment())

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Returns the report, the most memory in MiB, and the seconds of CPU time."""
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = status
        error = self.process.stderr.read()
        self.process.stderr.close()
        assert status == 0, (status, error)
        report = json.loads(read(self.report.name))
        self.report.close()
        return report, usage.ru_maxrss / MIB, usage.ru_utime + usage.ru_stime


def gaps(report, word):
    return [gap for gap in report["gaps"] if word in gap["why"]]


def bounded(memory, cpu, most_cpu, most_memory=256):
    if not SANITIZED:
        assert memory <= most_memory, f"{memory:.0f} MiB"
        assert cpu <= most_cpu, f"{cpu:.1f} s of CPU time"


@cases([("3 files", 3, 1), ("12 files, 6000 mappings", 12, 250)])
def sparse_files(files, mappings):
    with hostile(files, mappings) as target:
        report, memory, cpu = Tracer(target, "-d", "1").end()
    bounded(memory, cpu, 10)
    assert not gaps(report, "--max"), report["gaps"]


@test
def sparse_files_in_a_scan():
    with hostile(3, 1) as target, tempfile.TemporaryDirectory() as place:
        scan = os.path.join(place, "headrace-scan")
        os.symlink(TRACER, scan)
        folder = os.readlink(f"/proc/{target.pid}/cwd") and os.path.dirname(next(
            line.split()[-1] for line in open(f"/proc/{target.pid}/maps", encoding="utf8") if "hostile0" in line))
        with subprocess.Popen([scan, "--no-cache", "--json", folder], stdout=subprocess.PIPE, env=environment()) as done:
            report = json.load(done.stdout)
            _, status, usage = os.wait4(done.pid, 0)
            done.returncode = status
    assert status == 0 and report["summary"]["elf"] == 3, report
    bounded(usage.ru_maxrss / MIB, usage.ru_utime + usage.ru_stime, 10)


@test
def large_files_are_read_within_memory_and_time():
    with hostile(4, 1, 40) as target:
        report, memory, cpu = Tracer(target, "-d", ".5", "--max-time", "1", "--max-memory", "64M").end()
    bounded(memory, cpu, 10, 128)
    assert [gap for gap in gaps(report, "--max-time") if "hostile" in gap["what"]], report["gaps"]


@test
def what_needs_more_memory_is_a_gap():
    with hostile(1, 1, 16) as target:
        report, _, _ = Tracer(target, "-d", ".5", "--max-memory", "16M").end()
    assert [gap for gap in gaps(report, "--max-memory") if "hostile0" in gap["what"]], report["gaps"]


@cases([("memory", "--max-memory", "1M"), ("time", "--max-time", ".001")])
def a_condition_is_not_met_by_what_was_not_read(option, value):
    words = [sys.executable, "-c", "import time\nend = time.process_time() + .3\nwhile time.process_time() < end: sum(range(1000))"]
    for condition in "no-sw:aes", "hw:aes", "any-hw":
        done = run(TRACER, "--no-cache", option, value, "--require", condition, "--", *words)
        assert done.returncode == 3, (condition, done.returncode, done.stderr)
        assert option in done.stderr and "NOT COVERED" in done.stderr, done.stderr


@cases([("while it samples", .1), ("while it reads", 1, "--count")])
def a_signal_ends_the_trace(begin, *options):
    """Much reading lies before the tracer when the signal comes, which is when it has used `begin` seconds of CPU."""
    with hostile(6, 1, 32) as target:
        tracer = Tracer(target, "--max-time", "10000", "--max-memory", "4G", *options)
        wait_until(lambda: catches(tracer.process.pid, signal.SIGTERM) and tracer.cpu() >= begin)
        before = tracer.cpu()
        tracer.process.send_signal(signal.SIGTERM)
        report, _, cpu = tracer.end()
    bounded(0, cpu - before, 6)
    assert gaps(report, "the trace ended first"), report["gaps"]


@test
def the_duration_ends_the_trace():
    with hostile(6, 1, 32) as target:
        report, _, cpu = Tracer(target, "--max-time", "10000", "--max-memory", "4G", "-d", ".5").end()
    bounded(0, cpu, 6)
    assert gaps(report, "the trace ended first"), report["gaps"]


@cases([("no number", "--max-memory", "much"), ("too little", "--max-memory", "4K"), ("a unit that is none", "--max-memory", "2Q"),
        ("more than there is", "--max-memory", "1e30T"), ("no time", "--max-time", "0"), ("time without end", "--max-time", "inf")])
def usage(option, value):
    done = run(TRACER, option, value, "--", "true")
    assert done.returncode == 2 and option in done.stderr, (done.returncode, done.stderr)


# ---- jcmd ----

JCMD = """#!/bin/sh
exec >"$(dirname "$0")/out"
id -u
id -G
pwd
env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=
for fd in /proc/$$/fd/*; do echo "$fd $(readlink "$fd")"; done | sed 's,.*/fd/,fd ,' | grep -v jcmd
cat /proc/$$/cgroup
"""


def own_group(pid):
    """Moves a process to a control group of its own, if that can be made, and returns the group's folder."""
    for hierarchy in "", "unified", "systemd", "pids":
        group = os.path.join("/sys/fs/cgroup", hierarchy, f"headrace-test-{os.getpid()}")
        if not os.path.exists(os.path.join(os.path.dirname(group), "cgroup.procs")):
            continue
        try:
            os.mkdir(group)
            with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as procs:
                procs.write(str(pid))
            return group
        except OSError:
            continue
    raise Missing("no control group can be made")


def removed(group):
    """Whether the group could be removed: what ran in it leaves it a moment after it was killed and waited for."""
    try:
        os.rmdir(group)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False
    return True


@test
def jcmd_gets_nothing_of_ours():
    if os.geteuid():
        raise Missing("only root asks JVMs of other users")
    need("gcc")
    with tempfile.TemporaryDirectory() as place:
        for name, text in ("jcmd", JCMD), ("libjvm.so", "x" * 8192):
            with open(os.path.join(place, name), "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(os.path.join(place, name), 0o755)
        java = shutil.copy(compiled("jvm", "c/jvm.c"), os.path.join(place, "java"))
        os.chmod(place, 0o777)
        with subprocess.Popen([java, os.path.join(place, "libjvm.so")], stdout=subprocess.PIPE, user=NOBODY, group=NOBODY,
                              extra_groups=[]) as target:
            group = None
            secret = os.open("/etc/hostname", os.O_RDONLY)
            try:
                assert target.stdout.readline() == b"ready\n"
                group = own_group(target.pid)
                words = [TRACER, "--no-cache", "--json", "-p", str(target.pid), "-d", "3"]
                done = subprocess.run(words, stdout=subprocess.PIPE, pass_fds=[secret], check=False, cwd="/tmp",
                                      env=environment(SECRET="ours", PATH=os.environ["PATH"] + ":/secret"))
                assert done.returncode == 0, done.returncode
                lines = read(os.path.join(place, "out")).splitlines()
                theirs = read(f"/proc/{target.pid}/cgroup").splitlines()
            finally:
                os.close(secret)
                target.kill()
                target.wait()
                if group:
                    wait_until(lambda: removed(group))
    assert lines[:3] == [str(NOBODY), str(NOBODY), "/"], lines
    assert lines[3] == "PATH=/usr/local/bin:/usr/bin:/bin" and lines[4].startswith("fd "), lines
    fds = [line for line in lines if line.startswith("fd ")]
    assert sorted(line.split()[1] for line in fds if "/dev/null" in line or "/out" in line) == ["0", "1", "2"], lines
    assert all("hostname" not in line for line in fds), lines
    assert lines[-len(theirs):] == theirs, (lines, theirs)


main()
