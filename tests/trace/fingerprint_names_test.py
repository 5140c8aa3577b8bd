# SPDX-License-Identifier: Apache-2.0
"""fingerprint_names_test.py HEADRACE-TRACE SOURCE: names for the functions of stripped libraries."""
import os
import shutil
import subprocess
import sys
import tempfile

SYSTEM = "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"
ARCHIVE = "/usr/lib/x86_64-linux-gnu/libcrypto.a"
ENOUGH = 0.95

program, source = sys.argv[1:3]
shipped = os.path.join(source, "trace", "names", "fingerprints.txt")
points = failed = 0


def result(passed, text):
    global points, failed
    points += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {points} - {text}")


def skip(text, reason):
    global points
    points += 1
    print(f"ok {points} - {text} # SKIP {reason}")


def run(name, *args, database="/dev/null"):
    """Runs the tracer under the name of one of its commands."""
    return subprocess.run([name, *args], executable=program, capture_output=True, text=True,
                          env=dict(os.environ, HEADRACE_FINGERPRINTS=database))


def hardware_names(path, database):
    """Printed names of functions that hold crypto instructions."""
    out = run("headrace-scan", "--no-cache", "-v", path, database=database).stdout
    rows = [line.split() for line in out.splitlines() if line.startswith("      ")]
    return {row[2] for row in rows if len(row) > 2 and row[1] == "hardware"}


def test_named(text, path, database):
    found = hardware_names(path, database)
    named = {name for name in found if not name.startswith("+0x")}
    result(found and len(named) >= ENOUGH * len(found), f"{text}: {len(named)} of {len(found)} named")


def test_system(folder):
    text = "the system's stripped libcrypto"
    if not os.path.exists(SYSTEM):
        skip(text, f"no {SYSTEM}")
        return
    test_named(text + ", by the shipped database", SYSTEM, shipped)
    none = hardware_names(SYSTEM, "/dev/null")
    result(any(name.startswith("+0x") for name in none), "without a database it has functions without names")
    other = os.path.join(folder, "other.txt")
    with open(shipped, encoding="ascii") as lines, open(other, "w", encoding="ascii") as out:
        out.writelines(line for line in lines if line.rstrip().endswith((" OpenSSL 1.1.1w", " OpenSSL")))
    found = hardware_names(SYSTEM, other)
    named = {name for name in found if not name.startswith("+0x")}
    result(found and len(named) >= 0.8 * len(found),
           f"by what several versions of OpenSSL share: {len(named)} of {len(found)} named")


def test_own(folder):
    """Checks that a database built of an archive names the same functions once they are linked and stripped."""
    text = "a library linked of an archive, and stripped"
    if not os.path.exists(ARCHIVE) or not shutil.which("cc") or not shutil.which("strip"):
        skip(text, f"no {ARCHIVE}, cc or strip")
        return
    library = os.path.join(folder, "linked.so")
    subprocess.run(["cc", "-shared", "-o", library, "-Wl,--whole-archive", ARCHIVE, "-Wl,--no-whole-archive",
                    "-Wl,-Bsymbolic"], check=True, capture_output=True)
    database = os.path.join(folder, "own.txt")
    built = run("headrace-fingerprints", "--origin", "My library 1", ARCHIVE)
    with open(database, "w", encoding="ascii") as out:
        out.write(built.stdout)
    lines = [line for line in built.stdout.splitlines() if not line.startswith("#")]
    result(built.returncode == 0 and lines == sorted(lines) and
           all(line.endswith(" My library 1") for line in lines), f"{len(lines)} lines, sorted, with their origin")
    again = run("headrace-fingerprints", database, database)
    result(again.stdout == built.stdout, "a database is merged with itself to itself")
    subprocess.run(["strip", library], check=True)
    test_named(text, library, database)


def test_errors(folder):
    bad = run("headrace-fingerprints", __file__)
    result(bad.returncode == 1 and bad.stderr.startswith("headrace: "), "neither a library nor a database")
    none = run("headrace-fingerprints")
    result(none.returncode == 2, "no library named")


def test_shipped():
    with open(shipped, encoding="ascii") as lines:
        rows = [line.rstrip("\n") for line in lines if not line.startswith("#")]
    hashes = [row.split()[0] for row in rows]
    result(hashes == sorted(set(hashes)), f"the shipped database: {len(rows)} lines, sorted, no hash twice")


with tempfile.TemporaryDirectory() as tmp:
    test_shipped()
    test_system(tmp)
    test_own(tmp)
    test_errors(tmp)
print(f"1..{points}")
sys.exit(1 if failed else 0)
