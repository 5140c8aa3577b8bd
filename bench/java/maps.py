#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the win maps in the jar of the provider for Java, and writes them into bind/java's resources.

maps.py BUILD RUNS JAVA...: in each of these JDKs (a folder, or the program java), for each set of features that
this CPU has or can be masked down to, `headrace calibrate --java` runs RUNS times.  A service wins if the medians of
its ratios obey the rule.  CPUs that no set describes get what wins in all sets by far.
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

FLOOR, GAIN = 0.98, 1.02
FAR = 1.25  # what the least ratio must be for a CPU that no set describes
# Old Java has these factories in some updates, with which they compete. In others the signatures and KEMs that we offer
# have no keys without them.
KEPT, OLD = "KeyFactory ML-", 24
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAPS = SOURCE / "bind/java/src/main/resources/org/headrace/jce/win"

# `mask` hides features from Headrace, `options` from the JVM's own code.
Set = collections.namedtuple("Set", "words needs lacks mask options")
SETS = (
    Set("VAES, AVX-512, SHA-NI, Intel: since Ice Lake", "VAES AVX512VL AVX512BW SHANI", "VECTOR2 HALVES512", "", ""),
    Set("VAES, SHA-NI, no AVX-512: Alder Lake, Zen 3", "VAES SHANI", "AVX512F", "-avx512", "-XX:UseAVX=2"),
    Set("AES-NI, AVX2, no VAES, no SHA-NI: Haswell to Comet Lake", "AESNI AVX2 BMI2", "VAES AVX512F SHANI",
        "-avx512,-vaes,-vpclmulqdq,-gfni,-shani", "-XX:UseAVX=2 -XX:-UseSHA"),
)
OTHERS = Set("Others with AES-NI and AVX2: what wins by a quarter at least in all sets above", "AESNI AVX2 BMI2", "", "", "")


def cpu_model():
    text = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    field = dict(re.split(r"\s*: ?", line, maxsplit=1) for line in text.splitlines())
    return f"{field['model name']} (family {field['cpu family']}, model {field['model']})"


def features():
    text = (SOURCE / "include/headrace/cpu.def").read_text(encoding="utf-8")
    return {name: 1 << int(bit) for bit, name in re.findall(r"^HR_CPU\( ?(\d+), (\w+),", text, re.MULTILINE)}


def calibrate(program, java, cpu_set):
    environment = dict(os.environ, HEADRACE_CPU=cpu_set.mask, JDK_JAVA_OPTIONS=cpu_set.options)
    with tempfile.NamedTemporaryFile() as unused:  # else it would be this machine's map
        words = [program, "calibrate", f"--java={java}", "--json", "--output", unused.name]
        report = json.loads(subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE).stdout)
    needs = sum(features()[name] for name in cpu_set.needs.split())
    lacks = sum(features()[name] for name in cpu_set.lacks.split())
    have = int(report["cpu"], 16)
    if needs & ~have or lacks & have:
        sys.exit(f"{cpu_set.words}: this CPU cannot stand in for it")
    return report


def medians(reports):
    """Returns the medians of the ratios of each service, which are none where the JDK has no such service."""
    cells = collections.defaultdict(list)
    for report in reports:
        for service in report["services"]:
            name = f"{service['type']} {service['algorithm']}"
            if service["verdict"] == "new":
                cells[name, None] = []
            for operation in service["operations"]:
                for size, ratio in operation["ratios"].items():
                    cells[name, operation["name"], operation["unit"], size].append(ratio)
    services = collections.defaultdict(list)
    for (name, *cell), ratios in cells.items():
        services[name] += [statistics.median(ratios)] if cell[0] is not None else []
    return services


def wins(ratios):
    return not ratios or (min(ratios) >= FLOOR and max(ratios) > GAIN)


def is_kept(name, java):
    return java < OLD and name.startswith(KEPT)


def section(cpu_set, names):
    needs, lacks = (sum(features()[name] for name in text.split()) for text in (cpu_set.needs, cpu_set.lacks))
    lacking = f"; not {cpu_set.lacks}" if cpu_set.lacks else ""
    return f"\n# {cpu_set.words} ({cpu_set.needs}{lacking})\ncpu {needs:x} {lacks:x}\n" + "".join(f"{n}\n" for n in sorted(names))


def write_map(program, runs, java):
    measured = {}
    for cpu_set in SETS:
        reports = [calibrate(program, java, cpu_set) for _ in range(runs)]
        measured[cpu_set] = medians(reports)
        print(f"Java {reports[0]['java']}, {cpu_set.words}: "
              f"{sum(wins(r) for r in measured[cpu_set].values())} of {len(reports[0]['services'])}", file=sys.stderr)
    java = int(reports[0]["java"])
    text = (f"# SPDX-License-Identifier: Apache-2.0\n# What Headrace computes faster than the providers of the JDK,"
            f" as WinMap.java reads it: what bench/java/maps.py measured\n# in {reports[0]['name']} on {cpu_model()},\n"
            "# its features masked down to each set.\n")
    for cpu_set, services in measured.items():
        text += section(cpu_set, [name for name, ratios in services.items() if wins(ratios) or is_kept(name, java)])
    everywhere = [name for name in services if is_kept(name, java) or all(
        name in s and (not s[name] or min(s[name]) >= FAR) for s in measured.values())]
    MAPS.mkdir(parents=True, exist_ok=True)
    (MAPS / f"java-{java}.map").write_text(text + section(OTHERS, everywhere), encoding="ascii")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    for java in sys.argv[3:]:
        write_map(os.path.join(sys.argv[1], "tools/headrace"), int(sys.argv[2]), java)


main()
