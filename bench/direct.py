#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/direct.py BUILD [RUNS]: OpenSSL's one-shot and deprecated calls in one program without and with
libheadrace-direct.so, in turns (A B A B); the median of the runs' ratios, above 1: faster with it."""
import os
import statistics
import subprocess
import sys


def measure(build, preload):
    env = {**os.environ, "LD_PRELOAD": f"{build}/bind/direct/libheadrace-direct.so" if preload else ""}
    text = subprocess.run([f"{build}/bench/direct"], env=env, check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name: float(ns) for name, ns in map(str.split, text.splitlines())}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    pairs = [(measure(build, False), measure(build, True)) for _ in range(int((sys.argv + ["9"])[2]))]
    print(f"{'call':32} {'OpenSSL ns':>11} {'Headrace ns':>11} {'ratio':>6}")
    for name in pairs[0][0]:
        theirs, ours = (statistics.median(run[side][name] for run in pairs) for side in (0, 1))
        ratio = statistics.median(a[name] / b[name] for a, b in pairs)
        print(f"{name:32} {theirs:11.1f} {ours:11.1f} {ratio:6.2f}")


main()
