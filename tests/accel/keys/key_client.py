# SPDX-License-Identifier: Apache-2.0
"""Keys that stay in the service: their files, and a client that opens them."""
import os
import subprocess

from control import HEADRACE, OPEN
from lent_client import SEED, UnitClient

FILE = f"algorithm = Ed25519\nuse = sign\nuid = 0-70000\nprivate = {SEED.hex()}\n"


def key(folder, *words, stdin=None, **more):
    return subprocess.run([HEADRACE, "accel", "key", *words, f"--keys={folder}"], capture_output=True, input=stdin,
                          check=False, **more)


def openssl(*words, stdin=None):
    return subprocess.run(["openssl", *words], capture_output=True, input=stdin, check=True).stdout


def write_key(s, name, text=FILE):
    path = f"{s.keys}/{name}"
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o600)
    os.chown(path, os.stat(s.keys).st_uid, -1)


class KeyClient(UnitClient):
    def open(self, name):
        reply = self.ask(OPEN, name=name.encode("ascii"))
        return reply["result"], reply["handle"]
