#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nginx with named keys under load, while the accelerator's service is restarted: ended, killed, and replaced by a
new program in turns. No handshake may fail.
usage: named_restarts.py HEADRACED FOLDER-OF-LIBHEADRACE-ACCEL FIND_PIECES RESTARTS"""
import os
import shutil
import signal
import sys
import threading
import time

from common import Tap
from named_stage import Stage
from servers import ECDHE_RSA, ROWS

CLIENTS = 4
PATIENCE = 5  # seconds for which operations wait for a service (HR_ACCEL_PATIENCE)
NGINX = next(row for row in ROWS if row.name == "nginx")


class Load:
    """Clients that make new connections all the time, half of them by ECDSA and half by RSA."""

    def __init__(self, stage, port):
        self.stage, self.port, self.stop = stage, port, threading.Event()
        self.done, self.failed = [0] * CLIENTS, []
        self.threads = [threading.Thread(target=self.ask, args=(i,)) for i in range(CLIENTS)]

    def ask(self, i):
        certificate, ciphers = (("p256", None), ("rsa", ECDHE_RSA))[i % 2]
        while not self.stop.is_set():
            try:
                self.stage.get(self.port, certificate, ciphers)
                self.done[i] += 1
            except (OSError, AssertionError) as error:
                self.failed.append(repr(error))

    def wait_for_more(self):
        """Until each client was served again."""
        before = list(self.done)
        for _ in range(6000):
            if all(now >= then + 2 for now, then in zip(self.done, before)) or self.failed:
                return
            time.sleep(0.01)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def end(service):
    service.end()


def kill(service):
    service.process.send_signal(signal.SIGKILL)
    service.process.communicate()


def upgrade(service):
    """Another file takes the program's place while it runs, as a package does."""
    old, folder = os.path.dirname(os.path.abspath(service.command[0])), os.path.join(service.dir, "accel")
    if not os.path.isdir(folder):
        os.mkdir(folder)
        os.symlink(os.path.join(old, "../lib"), os.path.join(service.dir, "lib"))  # where it looks for the library
    new = os.path.join(folder, "headraced")
    shutil.copy(service.command[0], new + ".new")
    os.replace(new + ".new", new)
    service.end()
    service.command[0] = new


WAYS = (end, kill, upgrade)


def restart(stage, restarts):
    away = []
    with stage.serve(NGINX) as server, Load(stage, server.port) as load:
        load.wait_for_more()
        for i in range(restarts):
            left = time.monotonic()
            WAYS[i % len(WAYS)](stage.service)
            stage.service.start()
            assert stage.service.process.poll() is None, stage.service.said
            away.append(time.monotonic() - left)
            load.wait_for_more()
            if load.failed:
                break
    print(f"# {len(away)} restarts, {sum(load.done)} handshakes, {len(load.failed)} failed; the service was away "
          f"for {sorted(away)[len(away) // 2]:.2f} s, at most {max(away):.2f} s")
    # a machine that has no time for the service may keep it away for longer than operations wait
    assert not load.failed or max(away) > PATIENCE - 1, f"{load.failed[:3]} {server.said[-1500:]}"


def main():
    tap, stage = Tap(), Stage(*sys.argv[1:4])
    what = f"nginx while the service restarts {sys.argv[4]} times"
    if NGINX.missing():
        tap.skip(what, NGINX.missing())
    else:
        with tap.point(what):
            restart(stage, int(sys.argv[4]))
    stage.end()
    tap.end()


if __name__ == "__main__":
    main()
