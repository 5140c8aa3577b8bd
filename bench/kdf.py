#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Key derivation in unmodified programs, with the provider and without, in turns.

kdf.py BUILD [ROUNDS]: each round starts every program once under a configuration with Headrace for
its measured wins, and once under one with OpenSSL's default provider alone (A B A B); a program
times its own calls.  Printed: the medians, and the median of the rounds' ratios.  Node is started
with --openssl-shared-config: without it, it does not read openssl.cnf.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

CONFIG = pathlib.Path(__file__).resolve().parent.parent / "tests/openssl.cnf"

# Each program prints milliseconds and the derived key, which has to be the same for all.
PYTHON = """import hashlib, time
def run(call):
    begin = time.perf_counter()
    out = call()
    return 1e3 * (time.perf_counter() - begin), out
ms, out = min(run(lambda: {call}) for _ in range(3))
print(ms, out.hex())
"""
NODE = """const crypto = require('crypto');
let best = Infinity, out;
for (let i = 0; i < 3; i++) {
    const begin = process.hrtime.bigint();
    out = CALL;
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1e6);
}
console.log(best, Buffer.from(out).toString('hex'));
"""


def python(call):
    return ["/usr/bin/python3", "-I", "-c", PYTHON.replace("{call}", call)]


def node(call):
    return ["node", "--openssl-shared-config", "-e", NODE.replace("CALL", call)]


PROGRAMS = {
    f"python3 pbkdf2_hmac {digest} 100,000": python(f"hashlib.pbkdf2_hmac('{digest}', b'password', b'salt' * 4, 100000)")
    for digest in ("md5", "sha1", "sha256", "sha512", "sha3_256")
} | {
    "python3 pbkdf2_hmac sha256 4,096": python("hashlib.pbkdf2_hmac('sha256', b'password', b'salt' * 4, 4096)"),
    "python3 scrypt n=16384 r=8": python(
        "hashlib.scrypt(b'password', salt=b'salt' * 4, n=16384, r=8, p=1, maxmem=2**26)"),
    "node pbkdf2Sync sha256 100,000": node("crypto.pbkdf2Sync('password', 'salt', 100000, 32, 'sha256')"),
    "node pbkdf2Sync sha512 100,000": node("crypto.pbkdf2Sync('password', 'salt', 100000, 64, 'sha512')"),
    "node hkdfSync sha256, 1,000 calls": node(
        "(() => { let o; for (let j = 0; j < 1000; j++) o = crypto.hkdfSync('sha256', 'key', 'salt', 'info', 32);"
        " return o; })()"),
}


def run(command, config):
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENSSL_")} | {"OPENSSL_CONF": config}
    ms, out = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return float(ms), out


def compare(command, ours, theirs, rounds):
    times, outputs = ([], []), set()
    for _ in range(rounds):
        for side, config in enumerate((ours, theirs)):
            ms, out = run(command, config)
            times[side].append(ms)
            outputs.add(out)
    assert len(outputs) == 1, f"{command}: the outputs differ"
    ratio = statistics.median(b / a for a, b in zip(*times))
    return statistics.median(times[0]), statistics.median(times[1]), ratio


def main(build, rounds=7):
    module = pathlib.Path(build, "bind/openssl/headrace.so").resolve()
    print(f"{'':36}{'Headrace ms':>12}{'OpenSSL ms':>12}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = (os.path.join(folder, name) for name in ("ours.cnf", "theirs.cnf"))
        text = CONFIG.read_text(encoding="ascii").replace("@MODULE@", str(module))
        pathlib.Path(ours).write_text(text.replace("@PROPERTIES@", "?headrace.win=yes"), encoding="ascii")
        pathlib.Path(theirs).write_text("", encoding="ascii")
        for name, command in PROGRAMS.items():
            if shutil.which(command[0]):
                print("{:36}{:12.2f}{:12.2f}{:8.2f}".format(name, *compare(command, ours, theirs, int(rounds))),
                      flush=True)
            else:
                print(f"{name:36}{command[0]} is not installed")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
