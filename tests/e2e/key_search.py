# SPDX-License-Identifier: Apache-2.0
"""Looks for parts of private keys in the memory of processes, and in their core dumps.

A part is eight bytes that a number of the key may become: in its own order or the other one, so that limbs of
64 and of 32 bits are found in any order, and DER at any byte; as digits in base64 and base 16; as digits of 52
bits in words of 64 bits, or in doubles; as digits of 29 and 28 bits in words of 64 bits, or two of them in one;
and as windows of an exponent, a byte each."""
import array
import base64
import contextlib
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
CERTAIN = 1 << 36  # a smaller number, as the highest of a few digits may be, is in memory by chance


def digits(number, bits):
    """A number's digits of so many bits, the lowest first."""
    return [number >> at & (1 << bits) - 1 for at in range(0, number.bit_length(), bits)]


def word(data):
    return int.from_bytes(data, "little")


def windows(data, step):
    """Eight bytes of data in a row, each time `step` bytes on."""
    return [word(data[i:i + 8]) for i in range(0, len(data) - 7, step)]


def as_limbs(number):
    for limb in (limb for limb in digits(number, 64) if limb >= CERTAIN):
        for order in ("big", "little"):
            data = limb.to_bytes(8, order)
            yield word(data)
            yield word(data[4:] + data[:4])


def as_digits(number):
    for digit in (digit for digit in digits(number, 52) if digit >= CERTAIN):
        yield digit
        yield word(struct.pack("<d", float(digit)))
        yield word(struct.pack("<d", float(digit + (1 << 52))))
    for bits in (28, 29):
        short = digits(number, bits)
        yield from short
        yield from (low | high << 32 for low, high in zip(short, short[1:]))
    for bits in (5, 6):
        for order in (1, -1):
            yield from windows(bytes(digits(number, bits)[::order]), 8)


def as_text(number, der):
    data = number.to_bytes(-(-number.bit_length() // 8), "big")
    yield from windows(data.hex().encode(), 8)
    at = der.find(data)
    if at >= 0:
        text = base64.b64encode(der[at - at % 3:])
        yield from windows(text[4:len(data) * 4 // 3 - 4], 8)


class Pieces:
    """The parts of keys: dictionaries of their private numbers, each with the key's DER."""

    def __init__(self, program, path, keys):
        self.command, self.certain, self.pairs = [program, path], set(), set()
        for numbers, der in keys:
            for data in numbers.values():
                self.add(int.from_bytes(data, "big"), der)
        short = {x for pair in self.pairs for x in pair}
        with open(path, "wb") as f:
            array.array("Q", sorted((self.certain | short) - {0})).tofile(f)

    def add(self, number, der):
        for form in (as_limbs, as_digits):
            self.certain.update(x for x in form(number) if x >= CERTAIN)
        self.certain.update(as_text(number, der))
        for bits in (28, 29):
            short = digits(number, bits)
            self.pairs.update(zip(short, short[1:]))

    def judge(self, found):
        """The parts among what was found: short digits count where two that follow each other were."""
        found = {int(x, 16) for x in found.split()}
        return len(found & self.certain) + sum(a in found and b in found for a, b in self.pairs)

    def in_parts(self, parts):
        """How many parts of the keys these pieces of memory have."""
        search = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for part in parts:
            search.stdin.write(part)
        found = search.communicate()[0]
        assert search.returncode == 0, self.command
        return self.judge(found)

    def in_file(self, path):
        with open(path, "rb") as f:
            return self.judge(subprocess.run(self.command, stdin=f, stdout=subprocess.PIPE, check=True).stdout)

    def in_memory(self, pids):
        """How many parts are in the memory of processes, of which some may have ended."""
        found = 0
        for pid in pids:
            try:
                found += self.in_parts(memory_of(pid))
            except (FileNotFoundError, ProcessLookupError):
                pass
        return found


# ---- memory ----

def touched(pagemap, start, end):
    """The pages of a span that the process has (man 5 proc: pagemap): most of the rings' are never touched."""
    pages = array.array("Q", os.pread(pagemap, (end - start) // PAGE * 8, start // PAGE * 8))
    return [start + i * PAGE for i, page in enumerate(pages) if page >> 62]


def spans(pid):
    """The spans of a process's memory that it can have written, with their flags: start, end, flags."""
    with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as f:
        for head, flags in re.findall(r"^([0-9a-f]+-[0-9a-f]+ .*)$(?:\n\w+:.*)*?\nVmFlags:(.*)$", f.read(), re.M):
            start, end = (int(x, 16) for x in head.split()[0].split("-"))
            if head.split()[1].startswith("rw") and "[v" not in head:
                yield start, end, flags.split()


def contents(pid, start, end):
    with open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for at in touched(pagemap.fileno(), start, end):
            yield os.pread(memory.fileno(), PAGE, at)


def memory_of(pid):
    for start, end, _ in spans(pid):
        yield from contents(pid, start, end)


# ---- core dumps ----

def kernel_writes_cores():
    """Whether a process that aborts leaves a file in its folder; else a program gets it."""
    with open("/proc/sys/kernel/core_pattern", encoding="ascii") as f:
        pattern = f.read().strip()
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    return pattern == "core" and (hard == resource.RLIM_INFINITY or os.getuid() == 0)


def allow_cores():
    """What a server does before it starts, so that it and its children leave core dumps."""
    if kernel_writes_cores():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def abort(pid):
    """Ends a process by SIGABRT, and returns its core dump's path, or None if the kernel wrote none."""
    try:
        folder = os.readlink(f"/proc/{pid}/cwd")
        paths = [os.path.join(folder, name) for name in ("core", f"core.{pid}")]
        for path in filter(os.path.exists, paths):
            os.unlink(path)
        os.kill(pid, signal.SIGABRT)
        os.kill(pid, signal.SIGCONT)
    except (FileNotFoundError, ProcessLookupError):
        return None  # it has ended
    for _ in range(600):
        if is_gone(pid):
            break
        time.sleep(0.02)
    return next(filter(os.path.exists, paths), None)


def has_given_up_root(pid):
    """Whether a process has changed its user, of which the kernel writes no core dump."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
            user = int(re.search(r"^Uid:\t\d+\t(\d+)", f.read(), re.M)[1])
        return os.stat(f"/proc/{pid}/environ").st_uid != user
    except (FileNotFoundError, ProcessLookupError):
        return False


def core_of(pid, folder):
    """A core dump: gdb's, where it is installed, of a process that has given up root, or the kernel's. Or None."""
    path = None
    if has_given_up_root(pid) and shutil.which("gcore"):
        path = os.path.join(folder, f"gcore.{pid}")
        subprocess.run(["gcore", "-o", os.path.join(folder, "gcore"), str(pid)], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=60)
    return abort(pid) or (path if path and os.path.exists(path) else None)


def dump(pid, path):
    """Writes what a core dump would have: spans that the process has not kept out of dumps."""
    with open(path, "wb") as f, contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for start, end, flags in spans(pid):
            if "dd" not in flags:
                f.writelines(contents(pid, start, end))
    return path
