# SPDX-License-Identifier: Apache-2.0
"""A test program in TAP: its tests are functions, and main() runs each of them."""
import shutil
import sys
import traceback

TESTS = []  # (name, function)


class Missing(Exception):
    """Raised by a test that needs something which this machine lacks: the test is skipped."""


def test(function):
    TESTS.append((function.__name__, function))
    return function


def cases(rows):
    """Makes the function one test for each row: row[0] is added to the test's name, the rest are
    arguments."""
    def add(function):
        for row in rows:
            TESTS.append((f"{function.__name__} {row[0]}", lambda row=row: function(*row[1:])))
        return function
    return add


def test_with(program):
    """Makes the function a test that is skipped where `program` is not installed."""
    def add(function):
        if not shutil.which(program):
            function.skip = f" # SKIP {program} is not installed"
        return test(function)
    return add


def report(name, function):
    """Runs a test; returns "ok" or "not ok", and the text that follows the test's number."""
    skip = getattr(function, "skip", "")
    try:
        if not skip:
            function()
    except Missing as missing:
        skip = f" # SKIP {missing}"
    except Exception:  # every failure is reported, and the next test still runs
        print("\n".join("# " + line for line in traceback.format_exc().splitlines()))
        return "not ok", name
    return "ok", name + skip


def main():
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, (name, function) in enumerate(TESTS, 1):
        result, text = report(name, function)
        failed += result != "ok"
        print(f"{result} {number} - {text}", flush=True)
    sys.exit(failed > 0)
