# SPDX-License-Identifier: Apache-2.0
"""What the tests on the emulated SPARC T4 share: QEMU, the launcher, its statistics, TAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

LEAST_QEMU = 10  # 7.2 executes AES opcodes as multiplications
HERE = os.path.dirname(os.path.abspath(__file__))
# The words of --cfr, and the name of each bit's feature in Headrace: montmul and montsqr make one.
CFR = {word: "mont" if word.startswith("mont") else word for word in
       "aes des kasumi camellia md5 sha1 sha256 sha512 mpmul montmul montsqr crc32c".split()}


def find_qemu():
    """Returns the path of QEMU 10 or later and "", or None and the reason: HEADRACE_QEMU,
    qemu-sparc64 in PATH, or the one that tests/get-qemu.sh left in build/qemu."""
    fetched = f"{HERE}/../../build/qemu/usr/bin"
    names = os.environ.get("HEADRACE_QEMU"), "qemu-sparc64", f"{fetched}/qemu-sparc64"
    why = "no qemu-sparc64"
    for name in filter(None, names):
        path = shutil.which(name)
        if not path:
            continue
        text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        version = re.search(r"version (\d+)", text)
        if version and int(version[1]) >= LEAST_QEMU:
            return path, ""
        why = f"{path} is older than {LEAST_QEMU}"
    return None, why + ": tests/get-qemu.sh build fetches one"


def skip_without_qemu():
    """Returns the path of QEMU; without one, prints a plan that skips everything and says why,
    and exits."""
    path, why = find_qemu()
    if not path:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
    os.environ["HEADRACE_QEMU"] = path
    return path


def family(opcode):
    """Returns the --cfr word of the capability bit that an instruction needs, or None."""
    return next((word for word in CFR if opcode == word or opcode.startswith(word + "_")), None)


def read_counts(file):
    """Returns {opcode: count} of a statistics file, all processes together."""
    counts = {}
    for line in file:
        words = line.split(maxsplit=1)
        if words and words[0] == "opcode":
            name, count = words[1].rsplit(maxsplit=1)
            counts[name] = counts.get(name, 0) + int(count)
    return counts


def on_t4(launcher, *command, options=()):
    """Runs a program on the emulated T4; returns its output and {opcode: count}."""
    with tempfile.NamedTemporaryFile("r") as stats:
        result = subprocess.run([launcher, *options, "--stats", stats.name, "--", *command],
                                capture_output=True, text=True)
        counts = read_counts(stats)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {result.returncode}: "
                           f"{result.stderr.strip() or result.stdout[-300:]}")
    return result.stdout, counts


class Tap:
    """TAP output: one line a result, the plan last."""

    def __init__(self):
        self.count = self.failed = 0

    def result(self, what, complaints):
        self.count += 1
        self.failed += bool(complaints)
        print(f"{'not ok' if complaints else 'ok'} {self.count} - {what}", flush=True)
        for complaint in complaints[:8]:
            print("#   " + complaint.replace("\n", "\n#   "))

    def check(self, what, function, *args):
        """Prints one result; `function` returns a list of complaints, or raises RuntimeError."""
        try:
            complaints = function(*args)
        except RuntimeError as error:
            complaints = [str(error)]
        self.result(what, complaints)

    def done(self):
        print(f"1..{self.count}")
        print(f"# {self.count - self.failed} passed, {self.failed} failed, 0 skipped")
        sys.exit(self.failed != 0 or self.count == 0)
