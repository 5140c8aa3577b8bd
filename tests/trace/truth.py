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
import traceback

TRACER, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
PROGRAMS = os.path.join(SOURCE, "tests/trace/programs")
BUILT = os.path.join(SOURCE, "build/truth")
CPU = set(next(line for line in open("/proc/cpuinfo", encoding="ascii")
               if line.startswith("flags")).split())
TESTS = []


class Missing(Exception):
    """What a test needs and this machine does not have: it is skipped."""


def test(function):
    TESTS.append((function.__name__, function))
    return function


def cases(rows):
    """A test for each row, whose first word is its name."""
    def add(function):
        for row in rows:
            TESTS.append((f"{function.__name__} {row[0]}", lambda row=row: function(*row[1:])))
        return function
    return add


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
    """Nothing of the caller's that decides what a program computes."""
    env = {k: v for k, v in os.environ.items() if k == "HEADRACE_FINGERPRINTS" or
           not k.startswith(("OPENSSL", "HEADRACE", "GODEBUG", "JAVA", "JDK", "NODE_", "NO_COLOR"))}
    env["HEADRACE_FINGERPRINTS"] = os.path.join(SOURCE, "trace/fingerprints.txt")
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
    """BUILT/name, made by make(path) unless it was made of the same sources before."""
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
    """A C program; the options are part of its name."""
    need(cc)
    tag = hashlib.sha256(repr((options, libraries, cc)).encode()).hexdigest()[:8]
    paths = [os.path.join(PROGRAMS, source) for source in sources]
    return built(f"{name}-{tag}", sources,
                 lambda out: must(cc, "-O2", *options, *paths, "-o", out, *libraries))


def without_sections(path):
    """A copy whose section headers are gone, as sstrip leaves a file."""
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
    """The tracer's JSON, by questions."""

    def __init__(self, text, done):
        self.json, self.status, self.stderr = json.loads(text), done.returncode, done.stderr
        self.samples = self.json["samples"]
        self.rows = self.json["rows"]

    def select(self, **wanted):
        return [row for row in self.rows
                if all((row[key] or "").lower() == value.lower() for key, value in wanted.items())]

    def share(self, **wanted):
        """Of all samples, those in rows with these values."""
        return sum(row["samples"] for row in self.select(**wanted)) / max(self.samples, 1)

    def calls(self, function):
        return sum(row["calls"] or 0 for row in self.rows if row["function"].rstrip("~") == function)

    def __str__(self):
        lines = [f"{self.samples} samples"]
        for row in self.rows[:20]:
            lines.append(" ".join(str(row.get(key)) for key in (
                "algorithm", "mode", "how", "samples", "library", "function", "evidence")))
        return "\n".join(lines + [str(gap) for gap in self.json.get("gaps", [])])


def trace(*words, options=(), check=True, **env):
    """What is said of a command."""
    with tempfile.NamedTemporaryFile() as out:
        done = run(TRACER, "--json", "-o", out.name, *options, "--", *words, **env)
        assert not check or done.returncode == 0, (words, done.returncode, done.stderr[-2000:])
        return Report(read(out.name), done)


def attach(pid, seconds, options=()):
    done = must(TRACER, "--json", "-p", pid, "-d", seconds, *options)
    return Report(done.stdout, done)


def wait_until(condition, patience=120):
    """A condition of other processes; only a machine that hangs makes this fail."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(.02)


def catches(pid, number):
    """Whether a process has set its own handler for a signal."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


START = 10  # samples: the loader and the start of a program take some milliseconds


def mostly(report, least, of_kernel=0, **wanted):
    """At least this share; of a run that other load made short, the start does not count."""
    found = sum(row["samples"] for row in report.select(**wanted))
    assert report.samples >= 40, f"only {report.samples} samples"
    assert found >= least * (report.samples - of_kernel - START), f"{wanted}: {found} is below {least}\n{report}"


def little(report, most, **wanted):
    share = report.share(**wanted)
    assert share <= most, f"{wanted}: {share:.3f} is above {most}\n{report}"


def main():
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, (name, function) in enumerate(TESTS, 1):
        skip = ""
        try:
            function()
        except Missing as missing:
            skip = f" # SKIP {missing}"
        except Exception:  # every failure is reported, and the next test still runs
            failed += 1
            print("\n".join("# " + line for line in traceback.format_exc().splitlines()))
            print(f"not ok {number} - {name}", flush=True)
            continue
        print(f"ok {number} - {name}{skip}", flush=True)
    sys.exit(failed > 0)
