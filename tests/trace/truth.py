# SPDX-License-Identifier: Apache-2.0
"""Ground truth: programs of which it is known what they compute, and what the tracer says of them.

A program is built once and kept under build/truth.  Where a toolchain or the network is missing, the
tests that need it are skipped, and the reason names it."""
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Missing, cases, main, test  # noqa: E402, F401 -- for the tests

TRACER, SOURCE, TRACEFS_RUN = (os.path.abspath(path) for path in sys.argv[1:4])
TRACEFS = [(f"tracefs {state}", state) for state in ("mounted", "unmounted", "refused")]
PROGRAMS = os.path.join(SOURCE, "tests/trace/programs")
BUILT = os.path.join(SOURCE, "build/truth")
CPU = set(next(line for line in open("/proc/cpuinfo", encoding="ascii")
               if line.startswith("flags")).split())
MOST_RUNS = 40  # of a program that has no samples


def need(program):
    found = shutil.which(program)
    if not found:
        raise Missing(f"{program} is not installed")
    return found


def need_cpu(*flags):
    for flag in flags:
        if flag not in CPU:
            raise Missing(f"this CPU has no {flag}")


def environment(**changes):
    """Returns an environment without the caller's variables that decide what a program computes."""
    env = {k: v for k, v in os.environ.items() if k == "HEADRACE_FINGERPRINTS" or
           not k.startswith(("OPENSSL", "HEADRACE", "GODEBUG", "JAVA", "JDK", "NODE_", "NO_COLOR"))}
    env["HEADRACE_FINGERPRINTS"] = os.path.join(SOURCE, "trace/names/fingerprints.txt")
    env.update({k: str(v) for k, v in changes.items()})
    return env


def run(*words, timeout=300, cwd=None, **env):
    return subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=cwd,
                          timeout=timeout, env=environment(**env))


def must(*words, **more):
    done = run(*words, **more)
    assert done.returncode == 0, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


# ---- programs ----

@contextlib.contextmanager
def locked(name):
    os.makedirs(BUILT, exist_ok=True)
    with open(os.path.join(BUILT, name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def built(name, sources, make):
    """Returns BUILT/name, made by make(path) unless it was made of the same sources before."""
    text = hashlib.sha256()
    for source in [__file__, *sources]:
        with open(os.path.join(PROGRAMS, source), "rb") as file:
            text.update(file.read())
    path = os.path.join(BUILT, name)
    with locked(name):
        stamp = path + ".made"
        if os.path.exists(path) and os.path.exists(stamp) and read(stamp) == text.hexdigest():
            return path
        make(path)
        with open(stamp, "w", encoding="ascii") as out:
            out.write(text.hexdigest())
    return path


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def compiled(name, *sources, options=(), libraries=(), cc="gcc"):
    """Builds a C program and returns its path; the options are part of its name."""
    need(cc)
    tag = hashlib.sha256(repr((options, libraries, cc)).encode()).hexdigest()[:8]
    paths = [os.path.join(PROGRAMS, source) for source in sources]
    return built(f"{name}-{tag}", sources,
                 lambda out: must(cc, "-O2", *options, *paths, "-o", out, *libraries))


def without_sections(path):
    """Returns a copy of a program without section headers, as sstrip leaves a file."""
    def cut(out):
        with open(path, "rb") as file:
            image = bytearray(file.read())
        at = int.from_bytes(image[40:48], "little")      # e_shoff
        image[40:48] = bytes(8)
        image[58:64] = bytes(6)                          # e_shentsize, e_shnum, e_shstrndx
        with open(out, "wb") as file:
            file.write(image[:at])
        os.chmod(out, 0o755)
    return built(os.path.basename(path) + "-cut", [path], cut)


# ---- what the tracer says ----

class Report:
    """The tracer's JSON, with questions about it. again: a function that makes one more report of the same
    command."""

    def __init__(self, text, done, again=None):
        self.json, self.status, self.stderr = json.loads(text), done.returncode, done.stderr
        self.samples, self.kernel_samples = self.json["samples"], self.json["kernel_samples"]
        self.rows = self.json["rows"]
        self.again, self.runs = again, 1

    def enough(self, samples=40):
        """Adds reports of further runs until there are enough samples: a program that runs for a second has few if
        other programs have the CPU."""
        while self.samples < samples:
            assert self.can_run_again(), f"only {self.samples} samples in {self.runs} runs"
            self.run_again()
        return self

    def can_run_again(self):
        return self.again and self.runs < MOST_RUNS

    def run_again(self):
        other = self.again()
        self.samples += other.samples
        self.kernel_samples += other.kernel_samples
        self.rows += other.rows
        self.runs += 1

    def select(self, **wanted):
        return [row for row in self.rows
                if all((row[key] or "").lower() == value.lower() for key, value in wanted.items())]

    def share(self, **wanted):
        """Returns the share of all samples that are in rows with these values."""
        return sum(row["samples"] for row in self.select(**wanted)) / max(self.samples, 1)

    def calls(self, function):
        return sum(row["calls"] or 0 for row in self.rows if row["function"].rstrip("~") == function)

    def __str__(self):
        lines = [f"{self.samples} samples"]
        for row in self.rows[:20]:
            lines.append(" ".join(str(row.get(key)) for key in (
                "algorithm", "mode", "how", "samples", "library", "function", "evidence")))
        return "\n".join(lines + [str(gap) for gap in self.json.get("gaps", [])])


def tracer_where(tracefs):
    """Returns the command of a tracer that finds tracefs mounted, unmounted or refused; None: as this machine has
    it."""
    if not tracefs:
        return [TRACER]
    words = [TRACEFS_RUN, tracefs]
    if subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing(f"tracefs cannot be {tracefs} for one process here")
    return [*words, TRACER]


def trace(*words, options=(), check=True, tracefs=None, **env):
    """Traces a command and returns the report."""
    with tempfile.NamedTemporaryFile() as out:
        done = run(*tracer_where(tracefs), "--json", "-o", out.name, *options, "--", *words, **env)
        assert not check or done.returncode == 0, (words, done.returncode, done.stderr[-2000:])
        return Report(read(out.name), done,
                      lambda: trace(*words, options=options, check=check, tracefs=tracefs, **env))


def attach(pid, seconds, options=()):
    done = must(TRACER, "--json", "-p", pid, "-d", seconds, *options)
    return Report(done.stdout, done, lambda: attach(pid, seconds, options))


def wait_until(condition, patience=120):
    """Waits for a condition that other processes bring about; only a machine that hangs makes this fail."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(.02)


def catches(pid, number):
    """Tells whether a process has set its own handler for a signal."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


START = 10  # samples: the loader and the start of a program take some milliseconds


def mostly(report, least, **wanted):
    """Checks that rows with these values have at least this share of the samples outside of the kernel, which has
    work of its own where others have the CPU. The samples at each run's start do not count."""
    report.enough()
    found = sum(row["samples"] for row in report.select(**wanted))
    assert found >= least * (report.samples - report.kernel_samples - START * report.runs), \
        f"{wanted}: {found} is below {least}\n{report}"


MANY = 2000  # samples: 1 % of so many is hardly ever 2 % by chance


def little(report, most, **wanted):
    """Checks that rows with these values have at most this share of the samples. Of few samples they may have more by
    chance: then the program runs again."""
    while report.share(**wanted) > most and report.samples < MANY and report.can_run_again():
        report.run_again()
    share = report.share(**wanted)
    assert share <= most, f"{wanted}: {share:.3f} is above {most}\n{report}"
