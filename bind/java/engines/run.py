#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an engine in Java without and with Headrace as the first provider, in turns.

run.py ENGINE CLASS PATH JAR JDK [--rounds N] [--scale F] [--all]

PATH is its class path, JAR the provider's jar, JDK the folder of a JDK.  The results must be the same,
and the statistics of Headrace must show calls.  The CPU time is that of all its processes, from start to
end (median of rounds), and of pieces of work that the engine names.  Without --all the provider offers
what its win map names.
"""
import argparse
import collections
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import served  # noqa: E402

BAR = 1.02
LIMIT_S = 900
HEAP = {"spark": "-Xmx1g"}
# Java 17 refuses what Spark does by reflection; spark-submit would pass these.
OPENED = ("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
          "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch", "sun.nio.cs", "sun.security.action",
          "sun.util.calendar")

Run = collections.namedtuple("Run", "result cpu served")


def names():
    """Rows of algorithms.def by their numbers."""
    text = (ROOT / "include/headrace/algorithms.def").read_text()
    return {int(n, 16): name for n, name in re.findall(r'^HR_\w+\((0x\w+),[^"\n]*"([^"]+)"', text, re.M)}


def make_keys(jdk, folder):
    """Makes a key store with a key of RSA-2048 and one of P-256."""
    store, password = folder / "keys.p12", folder / "password"
    password.write_text("engines")
    for alias, kind in (("rsa", ["-keyalg", "RSA", "-keysize", "2048"]),
                        ("ec", ["-keyalg", "EC", "-groupname", "secp256r1"])):
        subprocess.run([f"{jdk}/bin/keytool", "-genkeypair", "-alias", alias, *kind, "-dname", "CN=localhost",
                        "-ext", "SAN=dns:localhost,ip:127.0.0.1", "-validity", "365", "-storetype", "PKCS12",
                        "-keystore", str(store), "-storepass:file", str(password)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return store


def version(jdk):
    return int(re.search(r'JAVA_VERSION="(\d+)', pathlib.Path(jdk, "release").read_text()).group(1))


def options(args, headrace):
    """Options of every JVM of the run."""
    given = ["-XX:+UseSerialGC", "-XX:-UsePerfData"]
    if headrace:
        given += [f"-Djava.security.properties={ROOT}/examples/java/java.security"]
        given += ["-Dheadrace.all=true"] if args.all else []
        given += ["--enable-native-access=ALL-UNNAMED"] if version(args.jdk) >= 22 else []
    if args.engine == "spark":
        given += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    return given


def spark_home(work, path):
    """Spark's executors are started only where its jars lie in a folder of that name."""
    home = work / "spark"
    (home / "jars").mkdir(parents=True)
    for jar in path.split(":"):
        if jar.endswith(".jar"):
            (home / "jars" / pathlib.Path(jar).name).symlink_to(jar)
    return {"SPARK_HOME": str(home), "SPARK_SCALA_VERSION": "2.13", "JAVA_HOME": "", "SPARK_LOCAL_IP": "127.0.0.1"}


def run(args, keys, headrace):
    """Runs the engine once.  Raises where it fails."""
    work = pathlib.Path(tempfile.mkdtemp(prefix=args.engine + "-", dir=args.work))
    stats = work / "stats"
    served.new(stats)
    # Java looks a provider up by making each that it meets on the path, such as Bouncy Castle's, until it has the name.
    path = (f"{args.jar}:" if headrace else "") + args.path
    jvm = options(args, headrace)
    command = ["nice", "-n", "5", f"{args.jdk}/bin/java", HEAP.get(args.engine, "-Xmx512m"), *jvm,
               f"-Dengine.work={work}", f"-Dengine.keys={keys}", f"-Dengine.scale={args.scale}",
               f"-Dengine.options={' '.join(jvm)}",
               "-cp", path, args.main]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HEADRACE_", "SPARK_", "JAVA_"))}
    environment["HEADRACE_STATS"] = str(stats)
    if args.engine == "spark":
        environment.update(spark_home(work, path), JAVA_HOME=args.jdk)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(work / "stderr", "w+") as log:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=work,
                              timeout=LIMIT_S, stdin=subprocess.DEVNULL)
        log.seek(0)
        if done.returncode:
            sys.exit(f"{args.engine}: exit {done.returncode}, {work} is kept\n{done.stdout}{log.read()[-6000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = {"all": (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000}
    cpu.update((name, float(ms)) for name, ms in re.findall(r"^cpu (\S+) (\d+)$", done.stdout, re.M))
    counts = served.total(stats, via="java")
    shutil.rmtree(work)
    return Run(re.search(r"^result (\w+)$", done.stdout, re.M).group(1), cpu, counts)


def ratios(without, with_headrace):
    """Prints a line for each piece of work, and returns the ratio of all."""
    for name in with_headrace[0].cpu:
        a, b = (statistics.median(r.cpu[name] for r in runs) for runs in (without, with_headrace))
        print(f"  {name:28} {a:9.0f} {b:9.0f} ms  {b / a if a else 1:6.3f}")
    return (statistics.median(r.cpu["all"] for r in with_headrace) /
            statistics.median(r.cpu["all"] for r in without))


def main():
    parser = argparse.ArgumentParser()
    for name in ("engine", "main", "path", "jar", "jdk"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    args.work = tempfile.mkdtemp(prefix="engines-")
    keys = make_keys(args.jdk, pathlib.Path(args.work))
    without, with_headrace = [], []
    for _ in range(args.rounds):
        without.append(run(args, keys, False))
        with_headrace.append(run(args, keys, True))
    print(f"{args.engine}, Java {version(args.jdk)}, {'all' if args.all else 'by the win map'}: CPU without, with, ratio")
    ratio = ratios(without, with_headrace)
    rows = names()
    counts = with_headrace[-1].served
    print("  served: " + (", ".join(f"{rows.get(a, hex(a))} {c}" for a, (c, _) in sorted(counts.items())) or "nothing"))
    shutil.rmtree(args.work)
    faults = []
    if len({r.result for r in without + with_headrace}) > 1:
        faults.append("the results differ")
    if args.all and not counts:
        faults.append("Headrace served nothing")
    if any(r.served for r in without):
        faults.append("Headrace served the runs without it")
    if not args.all and ratio > BAR:
        print(f"  above the bar of {BAR}: {ratio:.3f}")
    for fault in faults:
        print(f"  FAIL {fault}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
