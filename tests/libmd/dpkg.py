#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dpkg --verify on our libmd.so.0: the output that it has on the system's, and MD5 counted.

dpkg.py LIBRARY.  HEADRACE_PRELOAD names the sanitizer runtime that it was built with."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import served  # noqa: E402
from common import Tap  # noqa: E402

MD5 = 0x0107
PACKAGES = ("dpkg", "coreutils", "base-files", "libc6")


def environment(library, stats):
    env = dict(os.environ, LC_ALL="C")
    if library:
        env["LD_LIBRARY_PATH"] = os.path.dirname(library)
        env["HEADRACE_STATS"] = stats
        if os.environ.get("HEADRACE_PRELOAD"):
            env["LD_PRELOAD"] = os.environ["HEADRACE_PRELOAD"]
            env["ASAN_OPTIONS"] = "detect_leaks=0"
    return env


def run(library, stats, *command):
    done = subprocess.run(command, capture_output=True, timeout=120,
                          env=environment(library, stats))
    return done.returncode, done.stdout, done.stderr


def md5_files(package):
    """Returns the existing, readable files of a package of which dpkg has a digest: those it
    must read."""
    listed = subprocess.run(("dpkg-query", "--control-show", package, "md5sums"),
                            capture_output=True, check=True, text=True).stdout.splitlines()
    names = ["/" + line.split(None, 1)[1] for line in listed]
    return [name for name in names if os.path.isfile(name) and os.access(name, os.R_OK)]


def verify(library, stats, package):
    served.new(stats)
    theirs = run(None, stats, "dpkg", "--verify", package)
    ours = run(library, stats, "dpkg", "--verify", package)
    assert ours == theirs, f"{ours} is not {theirs}"
    calls, size = served.total(stats, "dpkg").get(MD5, (0, 0))
    want = sum(os.path.getsize(name) for name in md5_files(package))
    assert calls >= 1 and size >= want > 0, f"{calls} calls, {size} of {want} bytes"


def changed_file(library, stats, place):
    """Checks that dpkg --verify finds a changed file, with a package and a package database made
    here."""
    admin, root = os.path.join(place, "admin"), os.path.join(place, "root")
    for folder in (admin + "/info", admin + "/updates", root + "/usr"):
        os.makedirs(folder)
    name = root + "/usr/file"
    with open(admin + "/status", "w", encoding="ascii") as f:
        f.write("Package: example\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n"
                "Maintainer: none <none@example.org>\nDescription: example\n\n")
    with open(admin + "/info/example.list", "w", encoding="ascii") as f:
        f.write("/.\n/usr\n/usr/file\n")
    with open(admin + "/info/example.md5sums", "w", encoding="ascii") as f:
        f.write("900150983cd24fb0d6963f7d28e17f72  usr/file\n")
    command = ("dpkg", "--admindir=" + admin, "--instdir=" + root, "--verify", "example")
    for text, found in (("abc", b""), ("abd", b"??5??????   /usr/file\n")):
        with open(name, "w", encoding="ascii") as f:
            f.write(text)
        served.new(stats)
        code, out, err = run(library, stats, *command)
        assert out == found, (code, out, err)
        assert served.total(stats, "dpkg") == {MD5: (1, 3)}, served.total(stats)


def main():
    library = os.path.abspath(sys.argv[1])
    os.environ.pop("LD_LIBRARY_PATH", None)  # Meson names our library there
    tap = Tap()
    if not shutil.which("dpkg"):
        tap.skip("dpkg --verify", "no dpkg")
        tap.end()
    place = tempfile.mkdtemp(prefix="headrace-dpkg-")
    stats = os.path.join(place, "stats")
    for package in PACKAGES:
        if subprocess.run(("dpkg-query", "-s", package), capture_output=True).returncode:
            tap.skip(f"dpkg --verify {package}", "not installed")
            continue
        with tap.point(f"dpkg --verify {package}: the same output, its files counted"):
            verify(library, stats, package)
    with tap.point("a changed file is found, and counted once"):
        changed_file(library, stats, place)
    shutil.rmtree(place)
    tap.end()


main()
