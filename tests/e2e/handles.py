#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys of the accelerator through OpenSSL: evp_handle beside a service of its own, under the
system's libcrypto and each of those whose folders HEADRACE_LIBCRYPTO names, separated by colons.
usage: handles.py EVP_HANDLE HEADRACED FOLDER-OF-LIBHEADRACE-ACCEL"""
import os
import shutil
import subprocess
import sys
import tempfile

KEY = "0123456789abcdefghijklmnopqrstuv"
KEY_FILE = f"""# of evp_handle
algorithm = AES-256-CBC
uid = {os.getuid()}
key = {KEY.encode().hex()}
"""


class Service:
    """A service of its own with the key files of these names and texts."""

    def __init__(self, program, files):
        self.dir = tempfile.mkdtemp(prefix="headrace-e2e-")
        os.chmod(self.dir, 0o755)
        self.socket = os.path.join(self.dir, "accel.sock")
        keys = os.path.join(self.dir, "keys")
        os.mkdir(keys, 0o700)
        for name, text in files.items():
            with open(os.open(os.path.join(keys, name), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as f:
                f.write(text)
        self.command = [program, "--socket=" + self.socket, "--keys=" + keys]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE)
        self.said = []
        for line in self.process.stderr:  # it listens before it has tested itself, and serves after
            self.said.append(line)
            if b": self-test: " in line:
                break

    def end(self):
        self.process.terminate()
        return (b"".join(self.said) + self.process.communicate()[1]).decode(errors="replace")

    def stop(self):
        said = self.end()
        shutil.rmtree(self.dir)
        return said


class OldClient:
    """A folder whose libheadrace-accel has none of the calls that the provider wants: it is a copy
    of another library."""
    socket = "/nonexistent"

    def __init__(self, client):
        self.dir = tempfile.mkdtemp(prefix="headrace-e2e-")
        shutil.copy(os.path.join(client, "../lib/libheadrace.so.0"), os.path.join(self.dir, "libheadrace-accel.so.0"))

    def stop(self):
        shutil.rmtree(self.dir)
        return ""


def run(command, service, folders):
    env = dict(os.environ, HEADRACE_ACCEL=service.socket, LD_LIBRARY_PATH=":".join(folders),
               HEADRACE_TEST_KEY_NAME="backup", HEADRACE_TEST_KEY=KEY)
    if env.get("HEADRACE_PRELOAD"):
        env.update(LD_PRELOAD=env["HEADRACE_PRELOAD"], ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, timeout=100)
    return done.returncode, done.stdout.decode(errors="replace")


def main():
    program, headraced, client = sys.argv[1:]
    libcryptos = [None] + [x for x in os.environ.get("HEADRACE_LIBCRYPTO", "").split(":") if x]
    number = failed = 0
    for libcrypto, old in [(libcrypto, old) for libcrypto in libcryptos for old in (False, True)]:
        service = OldClient(client) if old else Service(headraced, {"backup": KEY_FILE})
        command = [program, "is too old: it has no hr_accel_"] if old else [program]
        folders = [service.dir if old else client] + ([libcrypto] if libcrypto else [])
        status, out = run(command, service, folders)
        said = service.stop()
        name = libcrypto or "the system's libcrypto"
        lines = [line for line in out.splitlines() if line.startswith("ok ")]
        for line in lines:
            number += 1
            print(f"ok {number} - {line.split(' - ', 1)[1].split(' # ')[0]}, under {name}"
                  + (" # " + line.split(" # ")[1] if " # " in line else ""))
        if status or not lines:
            number, failed = number + 1, failed + 1
            print(f"not ok {number} - evp_handle under {name}")
            print("".join("# " + line + "\n" for line in (out + said).splitlines()[-12:]), end="")
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
