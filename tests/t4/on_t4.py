# SPDX-License-Identifier: Apache-2.0
"""on_t4.py LAUNCHER [OPTION...] [--] PROGRAM [ARGUMENT...]: a program on the emulated SPARC T4; a
TAP plan that skips everything where there is no QEMU that can.

QEMU's user mode is known to crash, once in thousands of runs, when threads end while others get
signals. Such a death cannot be told from the program's own, since QEMU says nothing of either for
a SPARC. So a program that dies of SIGSEGV is run once more; if that run passes, a skipped point
says that the first did not, for people to see how often this happens."""
import os
import re
import signal
import subprocess
import sys

import t4


def run(command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def with_a_point(tap, point):
    """Returns a TAP stream with one more point, before its plan."""
    def more(plan):
        number = int(plan[1]) + 1
        return f"ok {number} - {point}\n1..{number}"
    return re.sub(r"^1\.\.(\d+)$", more, tap, flags=re.M)


def print_all(out, err):
    for stream, text in (sys.stdout, out), (sys.stderr, err):
        stream.write(text)
        stream.flush()


def main(command):
    t4.skip_without_qemu()
    result = run(command)
    if result.returncode == -signal.SIGSEGV:
        print_all("", result.stderr)
        result = run(command)
        result.stdout = with_a_point(result.stdout, "the first run comes to its end # SKIP it died of SIGSEGV")
    print_all(result.stdout, result.stderr)
    if result.returncode < 0:
        signal.signal(-result.returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -result.returncode)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
