#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the provider for Java adds to the start of a program that computes one digest: CPU and wall time, medians.

start.py JAR JDK [RUNS]: runs the program without the provider, with it and the map of this machine or of the jar,
with an empty map, and with all services, in turns.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parent / "src/org/headrace/bench"


def run(words):
    """Returns milliseconds of CPU time, and of wall time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, check=True)
    end, after = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), 1e3 * (end - start)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    jar, jdk, runs = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 21
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/empty", "w", encoding="ascii") as file:
            file.write("cpu 0 0\n")
        sources = [str(SOURCES / name) for name in ("Start.java", "Providers.java")]
        subprocess.run([f"{jdk}/bin/javac", "--release", "17", "-d", folder, *sources], check=True)
        java = [f"{jdk}/bin/java", "--enable-native-access=ALL-UNNAMED", "-cp", f"{os.path.realpath(jar)}:{folder}"]
        ways = {"without": [*java, "org.headrace.bench.Start", "JDK"]}
        for name, option in (("with", "-Dx=x"), ("empty map", f"-Dheadrace.map={folder}/empty"), ("all", "-Dheadrace.all=true")):
            ways[name] = [*java, option, "org.headrace.bench.Start", "Headrace"]
        times = {name: [] for name in ways}
        for _ in range(runs):
            for name, words in ways.items():
                times[name].append(run(words))
        for name, seen in times.items():
            more = [statistics.median(t[i] - without[i] for t, without in zip(seen, times["without"])) for i in (0, 1)]
            print(f"{name:10} CPU {statistics.median(t[0] for t in seen):6.1f} ms (+{more[0]:.1f}), "
                  f"wall {statistics.median(t[1] for t in seen):6.1f} ms (+{more[1]:.1f})")


main()
