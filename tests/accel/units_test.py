# SPDX-License-Identifier: Apache-2.0
"""units_test.py SOURCE SERVICE HEADRACED: systemd's own judgement of the units of headraced."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, SERVICE, HEADRACED = (os.path.abspath(path) for path in sys.argv[1:4])
MOST = 2.0

if not shutil.which("systemd-analyze"):
    print("1..0 # SKIP systemd-analyze is not installed")
    sys.exit(0)


def analyze(*words):
    done = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def result(number, passed, name, text):
    for line in "" if passed else text.splitlines():
        print("#", line)
    print("ok" if passed else "not ok", number, "-", name)
    return passed


with tempfile.TemporaryDirectory() as folder:
    with open(SERVICE, encoding="ascii") as file:
        text = re.sub(r"^ExecStart=.*", f"ExecStart={HEADRACED}", file.read(), flags=re.M)
    with open(f"{folder}/headraced.service", "w", encoding="ascii") as file:
        file.write(text)
    shutil.copy(f"{SOURCE}/accel/systemd/headraced.socket", folder)
    print("1..2")
    _, text = analyze("verify", "--man=no", f"{folder}/headraced.service", f"{folder}/headraced.socket")
    passed = result(1, "headraced" not in text, "the units are well-formed", text)
    code, text = analyze("security", "--offline=true", f"--threshold={int(MOST * 10)}", f"{folder}/headraced.service")
    found = re.search(r"Overall exposure level for headraced.service: ([0-9.]+)", text)
    figure = float(found[1]) if found else 10
    passed &= result(2, code == 0 and figure <= MOST, f"the service's exposure is {figure}, at most {MOST}", text)
    sys.exit(not passed)
