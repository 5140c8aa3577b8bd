#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the win map that is shipped with the provider: bind/openssl/win.def, on stdout.

winmap.py BUILD [LIBCRYPTO...]: for each feature set that this CPU has or can be masked down to,
`headrace calibrate` runs three times against each libcrypto (the system's where none is named).  An
algorithm wins if the medians of its cells obey the rule against every libcrypto; a set that this CPU
cannot stand in for gets no row, and so no wins.
"""
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import textwrap

RUNS = 3
# Bits of OPENSSL_ia32cap(3), first and second word
AES, PCLMUL, AVX = 1 << 57, 1 << 33, 1 << 60
AVX2, BMI2, ADX, SHA = 1 << 5, 1 << 8, 1 << 19, 1 << 29
AVX512 = 1 << 16 | 1 << 17 | 1 << 21 | 1 << 30 | 1 << 31  # F, DQ, IFMA, BW, VL
VAES = 1 << 41 | 1 << 42  # and VPCLMULQDQ

Set = collections.namedtuple("Set", "words needs lacks mask first second")
SETS = (
    Set("VAES, AVX-512, SHA-NI: since Ice Lake, Zen 4", "VAES AVX512VL AVX512BW SHANI", "", "", 0, 0),
    Set("VAES, SHA-NI, no AVX-512: Alder Lake, Zen 3", "VAES SHANI", "AVX512F",
        "-avx512", 0, AVX512),
    Set("AVX-512, no VAES, no SHA-NI: Skylake-SP, Cascade Lake", "AESNI AVX512VL AVX512BW BMI2",
        "VAES SHANI", "-vaes,-vpclmulqdq,-gfni,-shani", 0, VAES | SHA),
    Set("AES-NI, AVX2, SHA-NI: Zen, Zen 2", "AESNI AVX2 BMI2 SHANI", "VAES AVX512F",
        "-avx512,-vaes,-vpclmulqdq,-gfni", 0, AVX512 | VAES),
    Set("AES-NI, AVX2: Haswell to Comet Lake", "AESNI AVX2 BMI2", "VAES AVX512F SHANI",
        "-avx512,-vaes,-vpclmulqdq,-gfni,-shani", 0, AVX512 | VAES | SHA),
    Set("AES-NI, no AVX2: Westmere to Ivy Bridge", "AESNI", "AVX2 SHANI",
        "-avx,-bmi2,-adx,-vaes,-vpclmulqdq,-gfni,-shani", AVX,
        AVX2 | BMI2 | ADX | AVX512 | VAES | SHA),
)
HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* The win map that is shipped: what bench/winmap.py measured, per set of CPU features, on
 * {cpu},
 * its features masked down to each set, against {versions}.
 * HR_WIN(needs, lacks, symbols): the first row counts of whose `needs` the CPU has all and of
 * whose `lacks` it has none; without a row nothing wins.  A symbol is here only if no direction and
 * size was below 0.98 of the default provider and at least one above 1.1, medians of {runs} runs. */
/* clang-format off */"""


def cpu_model():
    text = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    field = dict(re.split(r"\s*: ?", line, maxsplit=1) for line in text.splitlines())
    return f"{field['model name']} (family {field['cpu family']}, model {field['model']})"


def calibrate(program, cpu_set, libcrypto):
    environment = dict(os.environ, HEADRACE_CPU=cpu_set.mask,
                       OPENSSL_ia32cap=f"~{cpu_set.first:#x}:~{cpu_set.second:#x}")
    words = ["--libcrypto", libcrypto] if libcrypto else []
    text = subprocess.run([program, "calibrate", "--json", *words], env=environment, check=True,
                          stdout=subprocess.PIPE).stdout
    return json.loads(text)


def bits(names):
    return " | ".join(f"HR_CPU_BIT({name})" for name in names.split()) or "0"


def cells_of(row):
    return [v for direction in row.values() if isinstance(direction, dict) for v in direction.values()]


def rows_of(report):
    return report["ratios"] + report["public_key"]


def winners(reports):
    """Symbols of the algorithms whose median cells obey the rule, from runs against one libcrypto."""
    names = set()
    for rows in zip(*map(rows_of, reports)):
        cells = [statistics.median(runs) for runs in zip(*map(cells_of, rows))]
        wins = min(cells) >= reports[0]["floor"] and max(cells) > reports[0]["gain"]
        names |= {rows[0]["symbol"]} if wins else set()
        print(f"{rows[0]['algorithm']}\t{wins}\t" + " ".join(f"{c:.3f}" for c in cells),
              file=sys.stderr)
    return names


def measure(program, cpu_set, libcryptos):
    """Winning symbols in the order of the registry, and the versions of OpenSSL."""
    names, versions = None, []
    for path in libcryptos:
        reports = [calibrate(program, cpu_set, path) for _ in range(RUNS)]
        versions.append(" ".join(reports[0]["openssl"].split()[:2]))
        print(f"# {cpu_set.words}; {versions[-1]}", file=sys.stderr)
        won = winners(reports)
        names = won if names is None else names & won
    order = [row["symbol"] for row in rows_of(reports[0])]
    return [symbol for symbol in order if symbol in names], versions


def have(program):
    text = subprocess.run([program, "info", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return {f["name"] for f in json.loads(text)["features"] if f["state"] == "present"}


def main():
    program = str(pathlib.Path(sys.argv[1], "tools/headrace").resolve())
    libcryptos = sys.argv[2:] or [None]
    present = {name.replace(".", "").upper() for name in have(program)}
    rows, versions = [], []
    for cpu_set in SETS:
        if not set(cpu_set.needs.split()) <= present:
            continue
        wins, versions = measure(program, cpu_set, libcryptos)
        text = "\n".join(f'       "{line}"' for line in textwrap.wrap(
            " ".join(wins), 86, drop_whitespace=False)) or '       ""'
        rows.append(f"/* {cpu_set.words} */\nHR_WIN({bits(cpu_set.needs)},\n"
                    f"       {bits(cpu_set.lacks)},\n{text})")
    print(HEAD.format(cpu=cpu_model(), versions=" and ".join(versions), runs=RUNS))
    print("\n".join(rows))
    print("/* clang-format on */\n#undef HR_WIN")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
