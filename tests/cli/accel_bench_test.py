# SPDX-License-Identifier: Apache-2.0
"""headrace accel bench and calibrate: that they measure, and what they print; never how fast."""
import json
import os
import signal
import subprocess
import tempfile
import time

from cli import HEADRACE, directory, environment, headrace, main, one_line, test

GROUPS = 6  # of lines that have a bar: round trips, throughput, alone, processes, peak, machine


def bench(*words):
    result = headrace("accel", "bench", "--quick", *words)
    assert result.returncode == 0 and not result.stderr.count("headrace: "), result.stderr
    return result.stdout


@test
def bench_prints_json():
    report = json.loads(bench("--json"))
    assert report["cpu"] and report["openssl"] and report["command"][:3] == ["headrace", "accel", "bench"]
    lines = report["lines"]
    assert len({line["what"] for line in lines if "met" in line}) >= GROUPS
    for line in lines:
        assert line["ours_value"] > 0 and line["size"] > 0, line
        assert "theirs" not in line or 0 < line["low"] <= line["ratio"] <= line["high"], line
        assert ("at_least" in line or "at_most" in line) == ("met" in line), line


@test
def bench_prints_a_table():
    for part in "pairs", "machine", "peak":
        text = bench("--only", part)
        assert max(map(len, text.splitlines()[1:])) < 80 and "e+" not in text, text
        for heading in "round trip of the ring: times", "ring, 64 in flight: times":
            assert (heading in text) == (part == "pairs"), text
    text = bench("--only", "machine")
    assert "headrace accel bench" in text.splitlines()[1] and "HMAC-SHA-256" in text
    one_line(headrace("accel", "bench", "--only", "nothing"), 2)


def unit_has(profile, row, size):
    if row.startswith("RSA"):
        return True
    if row.startswith("ECDSA"):
        return profile != "t1"
    return profile == "rf" or profile == "t2" and row != "HMAC-SHA-512" and size >= 1024


def served_by_text(profile):
    """Which operations the service has had, as the table says it."""
    lines = bench("--profile", profile).splitlines()
    assert max(map(len, lines[1:])) < 80 and not any(line.endswith(" ") for line in lines), lines
    first = next(i for i, line in enumerate(lines) if line.split()[:2] == ["bytes", "where"])
    rows = [line.split() for line in lines[first + 1:]]
    assert {len(row) for row in rows} == {10} and {row[3] for row in rows} <= {"service", "program"}, lines
    return {(row[0], row[1], int(row[2])): row[3] == "service" for row in rows}


def served_by_json(profile):
    folder = tempfile.mkdtemp()
    result = headrace("accel", "bench", "--quick", "--profile", profile, "--json", TMPDIR=folder)
    os.rmdir(folder)
    report = json.loads(result.stdout)
    assert report["profile"] == profile and report["cpu"]
    for line in report["lines"]:
        assert line["served"] <= line["jobs"] == 32, line
        assert [ratio["at_once"] for ratio in line["ratios"]] == [1, 16]
        for ratio in line["ratios"]:
            assert ratio["service_ns"] > 0 and ratio["program_ns"] > 0
            assert 0 < ratio["low"] <= ratio["ratio"] <= ratio["high"], line
    return {(line["algorithm"], line["operation"], line["size"]): line["served"] > 0 for line in report["lines"]}


@test
def profiles_limit_what_the_service_computes():
    served = {"t1": served_by_json("t1"), "t2": served_by_text("t2"), "rf": served_by_json("rf")}
    for profile, rows in served.items():
        assert rows.keys() == served["rf"].keys(), served
        for (row, _, size), is_served in rows.items():
            assert is_served == unit_has(profile, row, size), (profile, row, size)
    for words in ["t4"], ["t1", "--only", "peak"], ["t1", "--socket", "/nonexistent/sock"]:
        one_line(headrace("accel", "bench", "--profile", *words, TMPDIR="/nonexistent"), 2)


@test
def bench_leaves_nothing():
    folder = tempfile.mkdtemp()
    headrace("accel", "bench", "--quick", "--only", "machine", TMPDIR=folder)
    assert not os.listdir(folder)
    os.rmdir(folder)


@test
def bench_wants_its_service():
    one_line(headrace("accel", "bench", "--socket", "/nonexistent/sock"), 1)


@test
def calibrate_writes_a_table_and_checks_it():
    folder = tempfile.mkdtemp()
    table = f"{folder}/table"
    result = headrace("accel", "calibrate", "--quick", "--row", "hmac-sha-256", "--output", table)
    assert result.returncode == 0 and not result.stdout, result.stderr
    with open(table, encoding="ascii") as file:
        lines = file.read().splitlines()
    assert lines[0] == "# headrace accel crossover 1"
    for line in lines[2:]:
        row, operation, *numbers = line.split()
        depth, least, most = map(int, numbers)
        assert row == "HMAC-SHA-256" and operation in ("mac", "verify") and depth and least <= most
    checked = headrace("accel", "calibrate", "--quick", "--row", "hmac-sha-256", "--check",
                       "--table", table)
    assert checked.returncode in (0, 1) and checked.stdout.startswith("worst of 24 measurements: HMAC-SHA-256 ")
    with open(table, "a", encoding="ascii") as file:
        file.write("HMAC-SHA-256 mac 16 64\n")
    for wrong, word in (table, f"line {len(lines) + 1} "), ("/nonexistent/table", "No such file"):
        result = headrace("accel", "calibrate", "--check", "--table", wrong, TMPDIR="/nonexistent")
        one_line(result, 1)  # and starts no service
        assert wrong in result.stderr and word in result.stderr, result.stderr
    with open(table, "w", encoding="ascii") as file:  # one block alone: the way there takes longer
        file.write("# headrace accel crossover 1\nAES-128-CBC encrypt 1 16 16\n")
    for more in [], ["--json"]:
        result = headrace("accel", "calibrate", "--quick", "--row", "aes-128-cbc", "--check", "--table", table, *more)
        assert result.returncode == 1 and result.stdout, result.stderr
    os.remove(table)
    os.rmdir(folder)


@test
def calibrate_writes_rules_for_public_key():
    report = json.loads(headrace("accel", "calibrate", "--quick", "--row", "rsa-1024", "--json").stdout)
    cells = report["public_key"]
    assert not report["cells"] and [cell["processes"] for cell in cells][:5] == [1, 2, 4, 8, 16], cells
    for cell in cells:
        assert (cell["algorithm"], cell["operation"]) == ("RSA-1024", "sign")
        assert cell["load"] <= cell["processes"], cell
    # the ratio is 0 where requests did not come to the unit, which may be so where it had no CPU for long
    assert any(cell["load"] >= 1 and cell["cpu_ratio"] > 0 and cell["rate_ratio"] > 0 for cell in cells), cells
    for row, name in ("ed25519", "Ed25519 sign"), ("x25519", "X25519 derive"):
        title, *_, line = headrace("accel", "calibrate", "--quick", "--row", row).stdout.splitlines()
        rule, load, least, most = line.rsplit(" ", 3)
        assert title == "# headrace accel crossover 1" and (rule, least, most) == (name, "0", "4096"), line
        assert 0 < int(load) < 256, line
    # an operation without lanes, which can only lose, has no rule
    assert "ML-DSA" not in headrace("accel", "calibrate", "--quick", "--row", "ml-dsa-44").stdout
    one_line(headrace("accel", "calibrate", "--check", "--row", "rsa-1024", TMPDIR="/nonexistent"), 2)


@test
def calibrate_tells_what_it_measured():
    cells = json.loads(headrace("accel", "calibrate", "--quick", "--row", "aes-128-cbc", "--json").stdout)["cells"]
    assert {cell["operation"] for cell in cells} == {"encrypt", "decrypt"}
    assert all(cell["ratio"] > 0 for cell in cells)
    for words in ["--row", "crc-32"], ["--row", "no-such"], ["--check", "--output", "x"]:
        one_line(headrace("accel", "calibrate", *words, TMPDIR="/nonexistent"), 2)  # and starts no service


@test
def nothing_is_left_if_it_is_interrupted():
    for row in "aes-128-cbc", "rsa-1024":
        with directory() as d:
            child = subprocess.Popen([HEADRACE, "accel", "calibrate", "--row", row], env=environment(TMPDIR=d),
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while child.poll() is None and not any("sock" in files for _, _, files in os.walk(d)):
                time.sleep(0.01)
            child.send_signal(signal.SIGTERM)
            child.communicate()  # until the last of its processes has closed the pipes
            assert child.returncode == -signal.SIGTERM and not os.listdir(d), (child.returncode, list(os.walk(d)))


main()
