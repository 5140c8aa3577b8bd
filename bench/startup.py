#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a process pays for Headrace at its start: CPU time and page faults of whole commands, enabled less off.

startup.py BUILD [PAIRS [COMMAND...]]: runs each command once under a configuration with Headrace for its measured wins,
and once under OpenSSL's own, in turns (A B B A), PAIRS times (200); once also with Debian's legacy provider.  Printed:
the medians of user and system time in ms, and of the page faults that need no disk.
"""
import os
import pathlib
import shlex
import statistics
import sys
import tempfile

CONFIG = pathlib.Path(__file__).resolve().parent.parent / "tests/openssl.cnf"
COMMANDS = ["openssl version", "curl --version", "python3 -c 'import hashlib'", "openssl dgst -sha256 FILE"]


def cost(command, config):
    """CPU ms and page faults of one process."""
    words = shlex.split(command)
    null = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    pid = os.posix_spawnp(words[0], words, dict(os.environ, OPENSSL_CONF=config), file_actions=null)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, (command, status)
    return 1000 * (used.ru_utime + used.ru_stime), used.ru_minflt


def main():
    build, pairs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory(prefix="headrace-startup-") as folder:
        text = CONFIG.read_text(encoding="ascii")
        text = text.replace("@MODULE@", str(build / "bind/openssl/headrace.so")).replace("@PROPERTIES@", "?headrace.win=yes")
        configs = {
            "on": text,
            "legacy": "openssl_conf = init\n[init]\nproviders = both\n[both]\ndefault = active\nlegacy = active\n[active]\nactivate = 1\n",
            "off": "",
        }
        for name, contents in configs.items():
            pathlib.Path(folder, name).write_text(contents, encoding="ascii")
        pathlib.Path(folder, "file").write_bytes(bytes(1024))
        print(f"{'command':28} {'off':>15} {'on':>15} {'on - off':>18} {'legacy - off':>18}")
        for command in sys.argv[3:] or COMMANDS:
            command = command.replace("FILE", f"{folder}/file")
            seen = {name: [] for name in configs}
            for i in range(pairs):
                for name in list(configs)[::-1 if i % 2 else 1]:
                    seen[name].append(cost(command, f"{folder}/{name}"))
            ms, faults = ({name: statistics.median(run[which] for run in runs) for name, runs in seen.items()} for which in (0, 1))
            shown = command.replace(folder, "")[:28]
            print(f"{shown:28} {ms['off']:7.2f} ms {faults['off']:4.0f} {ms['on']:7.2f} ms {faults['on']:4.0f}", end="")
            for name in ("on", "legacy"):
                print(f" {ms[name] - ms['off']:6.2f} ms {faults[name] - faults['off']:3.0f} fl.", end="")
            print()


if __name__ == "__main__":
    main()
