#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Digests of a big file: our md5sum ... sha512sum beside the system's, and beside their bounds; and
checksums by `headrace digest`, of which the system has none.

Every turn of a name times, one after the other: ours; the system's; reading the file alone; and our
kernel alone on as many bytes (from `headrace speed`, 16 KiB at a time). Medians of the turns are
shown, ratios are formed turn by turn. The file is in memory: reading is copying it out of there.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
ROWS = {"md5sum": "MD5", "sha1sum": "SHA-1", "sha224sum": "SHA-224", "sha256sum": "SHA-256",
        "sha384sum": "SHA-384", "sha512sum": "SHA-512"}
CHECKSUMS = {"crc32": "CRC-32", "crc32c": "CRC-32C", "ipsum": "Internet checksum"}
PIECE = 128 << 10


def make(path, size):
    """Bytes that do not repeat soon, and are all in memory."""
    block = bytes(os.urandom(1 << 20))
    with open(path, "wb") as out:
        for i in range(size >> 20):
            out.write(i.to_bytes(8, "little") + block[8:])


def timed(words):
    """(seconds, seconds of CPU, MiB of memory, output)"""
    begin = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
        text = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"sums.py: {words[0]} failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text.split()[0]


def reading(path):
    buffer = [bytearray(PIECE)]
    begin, cpu = time.monotonic(), time.process_time()
    with open(path, "rb", buffering=0) as file:
        while os.readv(file.fileno(), buffer):
            pass
    return time.monotonic() - begin, time.process_time() - cpu


def kernel(tool, row, size):
    text = subprocess.run([tool, "speed", "--json", "--slices", "3", row], check=True,
                          stdout=subprocess.PIPE).stdout
    cell = next(c for c in json.loads(text)["cells"] if c["size"] == 16384)
    return cell["headrace-direct"]["ns"] * 1e-9 * size / 16384


def turn(tool, name, path, size):
    ours = timed([tool, name, path] if name in ROWS else [tool, "digest", "-a", name, path])
    theirs = timed([name, path]) if name in ROWS else ours
    if ours[3] != theirs[3]:
        sys.exit(f"sums.py: {name}: the digests differ")
    read = reading(path)
    own = kernel(tool, {**ROWS, **CHECKSUMS}[name], size)
    return {"ours": ours, "theirs": theirs, "bound": [own + seconds for seconds in read],
            "reading": read, "kernel": (own, own)}


def show(name, turns):
    for kind, words in (0, "wall"), (1, "cpu"):
        def middle(key):
            return statistics.median(t[key][kind] for t in turns)

        def ratio(key):
            return statistics.median(t[key][kind] / t["ours"][kind] for t in turns)
        theirs = f"{middle('theirs'):.2f} | {ratio('theirs'):.2f}" if name in ROWS else "– | –"
        print(f"| {name} {words} | {middle('ours'):.2f} | {theirs} |"
              f" {middle('kernel'):.2f} + {middle('reading'):.2f} |"
              f" {1 / ratio('bound'):.2f} | {max(t['ours'][2] for t in turns):.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all nine, if none is given")
    parser.add_argument("-g", type=float, default=4, metavar="GIB", help="size of the file (4)")
    parser.add_argument("-n", type=int, default=5, metavar="TURNS", help="(5)")
    parser.add_argument("-d", default="/dev/shm", metavar="FOLDER", help="for the file (/dev/shm)")
    parser.add_argument("-b", default=TOP / "build", metavar="BUILD", help="build folder (build)")
    args = parser.parse_args()
    names = args.names or [*ROWS, *CHECKSUMS]
    if not set(names) <= {*ROWS, *CHECKSUMS}:
        parser.error(f"names are {', '.join([*ROWS, *CHECKSUMS])}")
    tool, size = pathlib.Path(args.b, "tools/headrace"), int(args.g * 1024) << 20
    path = pathlib.Path(args.d, f"headrace-sums.{os.getpid()}")
    try:
        make(path, size)
        print(f"Seconds for {args.g:g} GiB, medians of {args.n} turns\n\n| | ours | coreutils | ratio |"
              " kernel + reading | ours over that | MiB |\n|---|---|---|---|---|---|---|")
        for name in names:
            show(name, [turn(tool, name, path, size) for _ in range(args.n)])
    finally:
        path.unlink(missing_ok=True)


main()
