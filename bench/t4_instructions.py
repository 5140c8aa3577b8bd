#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of one operation on the emulated SPARC T4: those that the emulator executes, and all others.

t4_instructions.py BUILD PROGRAM [ARGUMENT...]: runs the program of a cross build with 2 and with 3 as its last argument,
which is how often it does the operation, and prints the difference: instructions of the T4 by name, then the others by
object file and function, of which --functions N (10) are named.  QEMU logs each instruction that it executes; those of the
emulator's own library are left out, and so are libc's, which the emulator calls.  qemu-sparc64 10 or later is in PATH, or HEADRACE_QEMU.
"""
import argparse
import bisect
import collections
import os
import pathlib
import re
import subprocess
import tempfile
import threading

MAIN = 0x10000000000  # where QEMU puts a program that may be anywhere


def symbols(path):
    """Sorted addresses of an object's functions, and their names."""
    for option in [], ["-D"]:
        text = subprocess.run(["sparc64-linux-gnu-nm", *option, path], capture_output=True, text=True).stdout
        found = sorted((int(line[:16], 16), line.split()[-1]) for line in text.splitlines() if re.match(r"\S+ [tTwWi] ", line))
        if found:
            break
    return [address for address, _ in found], [name for _, name in found]


def maps(log, program):
    """[(start, end, path)] of a log of system calls: each object is opened, then mapped."""
    found, path = [(MAIN, MAIN + os.path.getsize(program) * 4, program)], None
    for line in log.splitlines():
        if opened := re.search(r'open(?:at)?\((?:AT_FDCWD,)?"([^"]*)".* = \d+$', line):
            path = opened[1]
        elif mapped := re.search(r"mmap\(\w+,(\d+),.*PROT_EXEC\|PROT_READ,.*,0\) = (0x\w+)$", line):
            start = int(mapped[2], 16)
            found.append((start, start + int(mapped[1]), path))
    return found


class Runner:
    """Runs the program under the launcher.  Its objects are at the same addresses each time, but for rare runs."""

    def __init__(self, build, command):
        self.launcher = ["setarch", "-R", f"{build}/t4emu/headrace-t4emu", "--library", f"{build}/t4emu/libheadrace-t4emu.so"]
        self.command = command

    def run(self, times, stats, **environment):
        return subprocess.run([*self.launcher, "--stats", stats, "--", *self.command, str(times)], check=True, text=True,
                              env=dict(os.environ, **environment), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr

    def count(self, times, folder):
        """Counters of T4 instructions by name, and of executed addresses."""
        while not (counted := self.try_count(times, folder)):
            pass
        return counted

    def try_count(self, times, folder):
        """The same, or None if an object was elsewhere than in the run before."""
        fifo, stats = f"{folder}/log", f"{folder}/stats{times}"
        if not os.path.exists(fifo):
            os.mkfifo(fifo)
        pathlib.Path(stats).unlink(missing_ok=True)
        seen, calls = collections.Counter(), []

        def read():
            with open(fifo, encoding="ascii", errors="replace") as log:
                for line in log:
                    if line.startswith("Trace"):
                        seen[line[line.index("[") + 1:].split("/")[1]] += 1
                    else:
                        calls.append(line)
        reader = threading.Thread(target=read)
        reader.start()
        self.find_objects(folder)
        ranges = ",".join(f"{start:#x}..{end:#x}" for start, end, _ in self.objects)
        self.run(times, stats, QEMU_LOG="exec,nochain", QEMU_LOG_FILENAME=fifo, QEMU_ONE_INSN_PER_TB="1", QEMU_DFILTER=ranges,
                 QEMU_STRACE="1")
        reader.join()
        if self.objects_of("".join(calls)) != self.objects:
            return None
        t4 = collections.Counter()
        for line in pathlib.Path(stats).read_text(encoding="ascii").splitlines():
            words = line.split()
            if words[:1] == ["opcode"]:
                t4[" ".join(words[1:-1])] += int(words[-1])
        return t4, seen

    def objects_of(self, log):
        return [one for one in maps(log, self.command[0]) if not re.search(r"t4emu|/libc\.so", one[2])]

    def find_objects(self, folder):
        self.objects = self.objects_of(self.run(1, f"{folder}/stats", QEMU_STRACE="1"))


def by_function(seen, objects):
    """Counter of (object, function) of a counter of addresses."""
    tables = {path: symbols(path) for _, _, path in objects}
    counts = collections.Counter()
    for address, n in seen.items():
        at = int(address, 16)
        start, path = next((start, path) for start, end, path in objects if start <= at < end)
        addresses, names = tables[path]
        i = bisect.bisect(addresses, at - start) - 1
        counts[os.path.basename(path), names[i] if i >= 0 else "?"] += n
    return counts


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--functions", type=int, default=10)
    parser.add_argument("build")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    runner = Runner(given.build, given.command)
    t4, places = [], []
    with tempfile.TemporaryDirectory(prefix="headrace-t4-") as folder:
        for times in 2, 3:
            opcodes, seen = runner.count(times, folder)
            t4.append(opcodes)
            places.append(by_function(seen, runner.objects))
    (t4_less, t4_more), (less, more) = t4, places
    t4_more.subtract(t4_less)
    more.subtract(less)
    crypto = {name: n for name, n in t4_more.items() if n and name.split("_")[0] in
              ("aes", "camellia", "des", "md5", "sha1", "sha256", "sha512", "mpmul", "montmul", "montsqr", "crc32c")}
    print(", ".join(f"{n} {name}" for name, n in sorted(crypto.items())) or "no instruction of the T4")
    print(f"{sum(more.values()) - sum(crypto.values()):10} others")
    objects = collections.Counter()
    for (name, _), n in more.items():
        objects[name] += n
    for name, n in objects.most_common():
        if n:
            print(f"{n:10} {name}")
    for (_, name), n in more.most_common(given.functions):
        print(f"{n:10}   {name}")


if __name__ == "__main__":
    main()
