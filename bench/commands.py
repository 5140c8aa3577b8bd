#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unmodified commands, end to end, with the provider and without, in turns.

commands.py BUILD [ROUNDS [MIB]]: each round starts every command once under a configuration with
Headrace for its measured wins, and once under OpenSSL's own (A B A B): whole processes, reading,
writing and start included.  Files of MIB MiB (1024) are in memory; what is decrypted goes to cat
through a pipe, and was compared once.  Printed: medians of the seconds, and the median of the
rounds' ratios; and what no cipher can beat, the same pipe with cat for openssl.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CONFIG = pathlib.Path(__file__).resolve().parent.parent / "tests/openssl.cnf"
KEY = "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f"
IV = "f0e0d0c0b0a0908070605040302010ff"
NAME = "[req]\ndistinguished_name = name\n[name]\n"


def enc(cipher, key, iv):
    return f"openssl enc -{cipher} -K {KEY[:key]} -iv {IV[:iv]}"


# The command that makes the file from a plain one; the command that is timed; the fraction of MIB that is its size.
DECRYPT = {
    "enc -d -aes-256-cfb": (enc("aes-256-cfb", 64, 32), enc("aes-256-cfb", 64, 32) + " -d", 1),
    "enc -d -des3": (enc("des3", 48, 16), enc("des3", 48, 16) + " -d", 1),
    "enc -d -camellia-256-cbc": (enc("camellia-256-cbc", 64, 32), enc("camellia-256-cbc", 64, 32) + " -d", 1),
    "enc -camellia-128-ctr": (None, enc("camellia-128-ctr", 32, 32), 1),
    "smime -decrypt, 3DES": ("openssl smime -encrypt -binary -outform DER -des3 cert.pem",
                             "openssl smime -decrypt -binary -inform DER -inkey key.pem -recip cert.pem", 0.25),
}
DERIVE = {
    "enc -pbkdf2 -iter 2000000": "openssl enc -aes-256-cbc -pbkdf2 -iter 2000000 -S 0011223344556677 -pass pass:word -P",
}


class Place:
    def __init__(self, build, mib):
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.dir = tempfile.mkdtemp(prefix="headrace-commands-", dir=folder)
        self.mib = mib
        text = CONFIG.read_text(encoding="ascii")
        text = text.replace("@MODULE@", str(build / "bind/openssl/headrace.so"))
        self.write("ours.cnf", text.replace("@PROPERTIES@", "?headrace.win=yes") + NAME)
        self.write("default.cnf", NAME)
        self.run("openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=x", False)

    def write(self, name, text):
        pathlib.Path(self.dir, name).write_text(text, encoding="ascii")

    def run(self, shell, ours):
        """Seconds, and what was printed."""
        env = dict(os.environ, OPENSSL_CONF=os.path.join(self.dir, "ours.cnf" if ours else "default.cnf"))
        begin = time.monotonic()
        done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], cwd=self.dir, env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"commands.py: {shell}: {done.stderr.decode(errors='replace')}")
        return time.monotonic() - begin, done.stdout

    def make(self, command, part):
        """`in`: a file of the size, encrypted by the command."""
        size = int(self.mib * part) << 20
        with open(os.path.join(self.dir, "plain"), "wb") as out:
            block = os.urandom(1 << 20)
            for i in range(size >> 20):
                out.write(i.to_bytes(8, "little") + block[8:])
        self.run(f"{command or 'cat'} < plain > in", True)


def compare(place, name, command, rounds, cat=None):
    ours, theirs, pipe = [], [], []
    for _ in range(rounds):
        a, b = place.run(command, True), place.run(command, False)
        if a[1] != b[1]:
            sys.exit(f"commands.py: {name}: the outputs differ")
        ours.append(a[0])
        theirs.append(b[0])
        if cat:
            pipe.append(place.run(cat, False)[0])
    ratio = statistics.median(b / a for a, b in zip(ours, theirs))
    bound = f"{statistics.median(pipe):.2f}" if pipe else "–"
    print(f"| `openssl {name}` | {statistics.median(theirs):.2f} | {statistics.median(ours):.2f} | {bound} "
          f"| {ratio:.2f} |", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    mib = int(sys.argv[3]) if len(sys.argv) > 3 else 1024
    place = Place(build, mib)
    print(f"{rounds} rounds, files of {mib} MiB (smime: a quarter)\n\n"
          "| | OpenSSL, s | Headrace, s | the pipe alone, s | ratio |\n|---|---|---|---|---|")
    for name, (prepare, command, part) in DECRYPT.items():
        place.make(prepare, part)
        if prepare:
            place.run(command + " < in | cmp - plain", True)
        compare(place, name, command + " < in | cat > /dev/null", rounds, "cat < in | cat > /dev/null")
    for name, command in DERIVE.items():
        compare(place, name, command, rounds)
    shutil.rmtree(place.dir)


if __name__ == "__main__":
    main()
