#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the provider for Java with the JDK's and with others, by JMH, in tables on stdout.

jmh.py JAR JDK [ROUNDS [BENCH]]: JAR is the provider (./x java), JDK a folder, ROUNDS how often all is measured
(default 3), BENCH a regular expression of JMH.  Each cell has a JVM of its own.  A ratio is the other's time over
ours, formed in each round; the tables have the medians, our time, and what issue-tracker bars ask ("bar").
"""
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WHO = "JDK", "ACCP", "Conscrypt", "BC"

# The least ratio to the JDK: of Java 25, and of 17.
BARS = {
    "gcm 16": (3.5, None), "gcm 1024": (2.2, 2.0), "gcm 16384": (2.0, 2.0), "ctr 16": (2.2, None), "cbcDecrypt 1024": (1.35, None),
    "hmacSha256 64": (1.6, 1.4), "desedeDecrypt 1024": (20, 20), "desedeDecrypt 16384": (45, 45), "pbkdf2 1000": (2.0, 2.5),
    "sign RSA 2048": (3.5, 3.5), "sign EC 256": (6, 20), "verify EC 256": (5, 15),
    "batchDigest SHA-512 1024": (2.9, 2.9), "batchDigest MD5 1024": (8, 8),
    "handshake EC": (1.5, 2), "handshake RSA": (1.5, 2),
}


def shell(command):
    return subprocess.run(["sh", "-ec", f". scripts/get-maven.sh; {command}"], cwd=SOURCE, check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def artifacts():
    shell(". scripts/common.sh; get_maven bench >&2")
    return [str(SOURCE / "build/sources/maven" / line.split()[1]) for line in shell("maven_sums bench").splitlines()]


def compile_benches(jdk, path, folder):
    sources = [str(p) for p in (SOURCE / "bench/java/src").rglob("*.java")]
    subprocess.run([f"{jdk}/bin/javac", "--release", "17", "-Xlint:all,-processing,-serial,-static", "-processor",
                    "org.openjdk.jmh.generators.BenchmarkProcessor", "-cp", path, "-d", folder, *sources], check=True)


def measure(jdk, path, bench):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        options = ["-jvmArgs", "-Dheadrace.all=true --enable-native-access=ALL-UNNAMED"]
        subprocess.run([f"{jdk}/bin/java", "-cp", path, "org.openjdk.jmh.Main", "-f", "1", "-wi", "2", "-w", "400ms", "-i", "5",
                        "-r", "200ms", "-rf", "json", "-rff", out.name, *options, bench], check=True, stdout=sys.stderr)
        return json.load(open(out.name, encoding="utf-8"))


def cell(result):
    """Returns a name of what was measured, and who did it."""
    params = dict(result["params"])
    who = params.pop("who")
    words = [w for key in ("algorithm", "kind", "len") if key in params for w in params[key].split(" ")[-2:]]
    return " ".join([result["benchmark"].rsplit(".", 1)[1], *words]), who


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    jar, jdk = os.path.realpath(sys.argv[1]), sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    jars = artifacts()
    with tempfile.TemporaryDirectory() as folder:
        path = ":".join([jar, folder, *jars])
        compile_benches(jdk, path, folder)
        times = [collections.defaultdict(dict) for _ in range(rounds)]
        for seen in times:
            for result in measure(jdk, path, sys.argv[4] if len(sys.argv) > 4 else "org.headrace"):
                name, who = cell(result)
                seen[name][who] = statistics.median(x for fork in result["primaryMetric"]["rawData"] for x in fork), \
                    result["primaryMetric"]["scoreUnit"].split("/")[0]
    version = int(re.search(r'JAVA_VERSION="(\d+)', pathlib.Path(jdk, "release").read_text())[1])
    print(f"| Java {version} | ours | " + " | ".join(WHO) + " | bar |\n|---|---|" + "---|" * (len(WHO) + 1))
    for name in times[0]:
        if not all("Headrace" in seen[name] for seen in times):
            continue
        ours = statistics.median(seen[name]["Headrace"][0] for seen in times)
        ratios = [statistics.median([seen[name][who][0] / seen[name]["Headrace"][0] for seen in times])
                  if all(who in seen[name] for seen in times) else None for who in WHO]
        bar = BARS.get(name, (None, None))[version < 22]
        text = [f"{r:.2f}" if r else "–" for r in ratios]
        if bar and ratios[0] and ratios[0] < bar:
            text[0] = f"**{text[0]}**"
        print(f"| {name} | {ours:.4g} {times[0][name]['Headrace'][1]} | " + " | ".join(text) + f" | {bar or '–'} |")


main()
