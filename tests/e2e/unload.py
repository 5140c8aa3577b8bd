#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unload.py HOST LINKED: our provider bears it when a program unloads libcrypto, and loads it again: the system's,
and a copy that does not keep itself loaded.  In a program with more rights than its caller it opens no statistics
file.  HOST is not linked with libcrypto, LINKED is."""
import os
import shutil
import subprocess
import sys

import served
from common import Place, Tap, libcrypto_of, unpinned

HOST, LINKED = sys.argv[1:3]


def run(folder, host=HOST, stats=""):
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": os.environ.get("HEADRACE_PRELOAD", "")}
    if stats:
        env["HEADRACE_STATS"] = stats
    if folder:
        env["LD_LIBRARY_PATH"] = folder
    done = subprocess.run([host, os.environ["HEADRACE_MODULE"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=env, timeout=100, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout.splitlines()


def privileged(place):
    """A copy of HOST with more rights than its caller, or None: it is set-group-ID to another group."""
    program = shutil.copy(HOST, place.path("privileged"))
    os.chmod(place.dir, 0o755)
    for group in {*os.getgroups(), 65534} - {os.getgid()}:
        try:
            os.chown(program, -1, group)
            os.chmod(program, 0o2755)
        except OSError:
            continue
        if not subprocess.run([program], check=False).returncode:
            return program
    return None


def ignores_the_environment(place, program):
    for host, is_counted in (HOST, True), (program, False):
        served.new(place.stats)
        run("", host, place.stats)
        assert bool(list(served.slots(place.stats))) == is_counted, host


def is_found_without_help():
    """Tells whether the loader finds libcrypto where LD_LIBRARY_PATH, or a program's RUNPATH, does not name it."""
    env = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    return not subprocess.run([HOST, os.environ["HEADRACE_MODULE"]], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=env, check=False).returncode


def main():
    tap, place = Tap(), Place()
    name, file = libcrypto_of(LINKED, os.environ)
    with tap.point("the system's libcrypto is closed while the provider is loaded, and after it"):
        run(os.path.dirname(file))
    with tap.point("one that can be unloaded is unloaded, and loaded again"):
        os.mkdir(place.path("unpinned"))
        place.write("unpinned/" + name, unpinned(file))
        assert set(run(place.path("unpinned"))) == {"gone"}
    program = privileged(place) if is_found_without_help() and not os.environ.get("HEADRACE_PRELOAD") else None
    if program:
        with tap.point("a set-group-ID program ignores HEADRACE_STATS"):
            ignores_the_environment(place, program)
    else:
        tap.skip("a set-group-ID program ignores HEADRACE_STATS",
                 "a sanitizer, a folder that is mounted nosuid, or a libcrypto that the loader does not find by itself")
    place.clean()
    tap.end()


main()
