#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The provider in a cross-built libcrypto on an emulated SPARC T4: each row as the default provider, by the instructions of
the T4, strictly used, and without them where the capability register lacks them.

sparc.py LAUNCHER LIBRARY EVP_SAME EVP_KDF OPENSSL HEADRACE"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Tap  # noqa: E402

LAUNCHER, LIBRARY, EVP_SAME, EVP_KDF, OPENSSL, HEADRACE = sys.argv[1:]
# LD_LIBRARY_PATH is set for the emulated programs only: this Python cannot load cross-built libraries.
LIBRARIES = {"LD_LIBRARY_PATH": os.path.join(os.path.dirname(OPENSSL), "../lib")}
# for each capability bit the opcodes that the provider must have executed
OPCODES = {
    "aes": ["aes_kexpand1", "aes_eround01", "aes_eround23", "aes_eround01_l", "aes_eround23_l", "aes_dround01",
            "aes_dround23", "aes_dround01_l", "aes_dround23_l"],
    "md5": ["md5"], "sha1": ["sha1"], "sha256": ["sha256"], "sha512": ["sha512"],
}
ALL = sum(OPCODES.values(), [])


class Run:
    """Runs one command on the T4; has its output, and counts of the T4 opcodes that headrace.so executed."""

    def __init__(self, *command, options=()):
        with tempfile.NamedTemporaryFile() as stats:
            done = subprocess.run([LAUNCHER, "--library", LIBRARY, "--stats", stats.name, *options, "--", *command],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False, env=os.environ | LIBRARIES)
            lines = stats.read().decode()
        self.code, self.out = done.returncode, done.stdout.decode()
        self.err = done.stderr.decode(errors="replace")
        self.counts = {}
        for name, count in re.findall(r"^at \S*/headrace\.so\+0x[0-9a-f]+ (\S+) (\d+)$", lines, re.M):
            self.counts[name] = self.counts.get(name, 0) + int(count)

    def good(self):
        assert self.code == 0 and "not ok" not in self.out, (self.code, self.out[-500:], self.err[-1000:])
        return self

    def ran(self, *opcodes):
        missing = [name for name in opcodes if not self.counts.get(name)]
        assert not missing, f"did not run: {missing}; ran: {self.counts}"

    def ran_not(self, *opcodes):
        there = [name for name in opcodes if self.counts.get(name)]
        assert not there, f"ran: {there}"


def name_of_provider(*options):
    done = Run(HEADRACE, "run", "--all", "--", OPENSSL, "list", "-providers", options=options).good()
    return re.search(r"^  headrace\n    name: (.*)$", done.out, re.M).group(1)


def main():
    tap = Tap()
    probe = subprocess.run([LAUNCHER, "--library", LIBRARY, "--", OPENSSL, "version"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False, env=os.environ | LIBRARIES)
    if probe.returncode == 125:
        print(f"1..0 # SKIP {probe.stderr.decode().strip()}")
        return
    with tap.point("every row of the provider as the default provider's, by the T4's instructions, strictly used"):
        Run(EVP_SAME, "--quick", options=["--strict"]).good().ran(*ALL)
    with tap.point("key derivation, too"):
        Run(EVP_KDF, "--quick", options=["--strict"]).good().ran("md5", "sha1", "sha256", "sha512")
    with tap.point("without any capability bit, by none"):
        Run(EVP_SAME, "--quick", options=["--cfr=none"]).good().ran_not(*ALL)
    for bit, opcodes in OPCODES.items():
        with tap.point(f"without the bit of {bit}, by all others"):
            done = Run(EVP_SAME, "--quick", options=[f"--cfr=-{bit}"]).good()
            done.ran_not(*opcodes)
            done.ran(*[name for name in ALL if name not in opcodes])
    for options, name in (((), "Headrace (SPARC T4)"), (("--cfr=none",), "Headrace (no T4)"),
                          (("--cfr=-aes,-md5",), "Headrace (SPARC T4; no AES, no MD5)")):
        with tap.point(f"the provider's name: {name}"):
            assert name_of_provider(*options) == name, name_of_provider(*options)
    with tap.point("isainfo's line is a T4's"):
        words = " ".join(Run(HEADRACE, "info", "-v").good().out.split()[3:])
        assert words == ("crc32c cbcond pause mont mpmul sha512 sha256 sha1 md5 camellia kasumi des aes ima hpc vis3 fmaf "
                         "asi_blk_init vis2 vis popc"), words
    with tap.point("who emulates is told, times are not taken for a CPU's, and nothing is traced"):
        assert "This CPU is emulated: headrace-t4emu on qemu-sparc64" in Run(HEADRACE, "info").good().out
        assert '"emulator": "headrace-t4emu on qemu-sparc64"' in Run(HEADRACE, "speed", "--quick", "--json", "crc32c").good().out
        assert "say nothing of any processor" in Run(HEADRACE, "speed", "--quick", "crc32c").good().out
        done = Run(HEADRACE, "trace", "--", OPENSSL, "version")
        assert done.code == 1 and "emulated" in done.err, (done.code, done.err)
    tap.end()


main()
