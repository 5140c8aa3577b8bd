#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unload.py HOST LINKED: our provider bears it when a program unloads libcrypto, and loads it again: the system's,
and a copy that does not keep itself loaded.  HOST is not linked with libcrypto, LINKED is."""
import os
import subprocess
import sys

from common import Place, Tap, libcrypto_of, unpinned

HOST, LINKED = sys.argv[1:3]


def run(folder):
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": os.environ.get("HEADRACE_PRELOAD", "")}
    if folder:
        env["LD_LIBRARY_PATH"] = folder
    done = subprocess.run([HOST, os.environ["HEADRACE_MODULE"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=env, timeout=100, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout.splitlines()


def main():
    tap, place = Tap(), Place()
    with tap.point("the system's libcrypto is closed while the provider is loaded, and after it"):
        run("")
    with tap.point("one that can be unloaded is unloaded, and loaded again"):
        os.mkdir(place.path("unpinned"))
        place.write("unpinned/libcrypto.so.3", unpinned(libcrypto_of(LINKED, os.environ)))
        assert set(run(place.path("unpinned"))) == {"gone"}
    place.clean()
    tap.end()


main()
