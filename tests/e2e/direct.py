#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""direct.py MAIN HOST MODULE FOREIGN: OpenSSL's one-shot and deprecated calls say the same, to the byte and to
the entries of the error queue, with the preloaded library and without; and it served them.

HEADRACE_DIRECT names the library.  HEADRACE_LIBCRYPTO names folders, separated by colons, with a
libcrypto.so.3 each, beside the system's."""
import os
import subprocess
import sys

import served
from common import Place, Tap, libcrypto_of, unpinned

MAIN, HOST, MODULE, FOREIGN = sys.argv[1:5]
FIPS = """openssl_conf = init
[init]
alg_section = algorithms
[algorithms]
default_properties = fips=yes
"""
DIGESTS = {0x0101, 0x0102, 0x0103, 0x0104, 0x0107, 0x0108}
AES = {number for number in range(0x0301, 0x0307)}
# Scenes in which every row of DIGESTS and AES must be served at least once, and scenes in which nothing may
# be.
EVERYTHING = "plain", "threads", "forks", "legacy"
NOTHING = "environment", "foreign"
# The scene whose calls are those of HMAC_CTX alone, and the rows of HMAC.
ITERATED, MACS = "iterated", set(range(0x0201, 0x0209))


def environment(place, scene, folder, preload):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "HEADRACE_STATS"))}
    env["OPENSSL_CONF"] = place.path("fips.cnf" if scene == "environment" else "default.cnf")
    env["DIRECT_CONFIG"] = place.path("fips.cnf")
    env["ASAN_OPTIONS"] = "detect_leaks=0"
    libraries = [os.environ.get("HEADRACE_PRELOAD", "")]
    if preload:
        env["HEADRACE_STATS"] = place.stats
        libraries.append(os.environ["HEADRACE_DIRECT"])
    modules = os.path.join(folder, "providers")  # of a libcrypto that was built and not installed
    if folder and os.path.exists(modules):
        env["OPENSSL_MODULES"] = modules
    env["LD_PRELOAD"] = ":".join(filter(None, libraries))
    if folder:
        env["LD_LIBRARY_PATH"] = folder + ":" + env.get("LD_LIBRARY_PATH", "")
    return env


def said(place, command, scene, folder, preload):
    done = subprocess.run([*command, scene], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment(place, scene, folder, preload), timeout=250, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:], done.stdout[-300:])
    assert len(done.stdout) > 100, "nothing was said"
    return done.stdout.splitlines()


def compare(place, command, scene, folder):
    theirs = said(place, command, scene, folder, False)
    served.new(place.stats)
    ours = said(place, command, scene, folder, True)
    for number, (left, right) in enumerate(zip(theirs, ours), 1):
        assert left == right, f"line {number}: without {left!r}, with {right!r}"
    assert len(theirs) == len(ours), (len(theirs), len(ours))
    rows = set(served.total(place.stats, via="direct"))
    if scene in EVERYTHING:
        assert DIGESTS | AES <= rows, f"not served: {[hex(n) for n in sorted((DIGESTS | AES) - rows)]}"
        assert any(0x0200 < n < 0x0300 for n in rows), "no HMAC was served"
        assert 0x0501 in rows, "no PBKDF2 was served"
    assert scene != ITERATED or rows == MACS, f"served: {[hex(n) for n in sorted(rows)]}"
    assert bool(rows) == (scene not in NOTHING), f"served: {[hex(n) for n in sorted(rows)]}"


# Unchanged programs, and the row of which each must be served a call.
PROGRAMS = (
    (("openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", "certificate"), 0x0102),
    (("/usr/bin/python3", "-I", "-c", "import hmac; print(hmac.digest(b'k', b'x' * 99, 'sha512').hex())"), 0x0204),
    (("/usr/bin/python3", "-I", "-c",
      "import hashlib; print(hashlib.pbkdf2_hmac('sha1', b'p', b's', 999).hex())"), 0x0501),
)


def program(place, command, row):
    results = []
    for preload in False, True:
        served.new(place.stats)
        env = {**environment(place, "", "", preload), "HEADRACE_STATS": place.stats}
        results.append(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                      cwd=place.dir, timeout=100, check=False))
        rows = served.total(place.stats, via="direct")
        assert (row in rows) == preload, rows
    theirs, ours = results
    assert theirs.returncode == ours.returncode == 0 and theirs.stdout == ours.stdout, (theirs, ours)


def main():
    tap, place = Tap(), Place()
    place.write("fips.cnf", FIPS.encode())
    scenes = subprocess.run([MAIN], stdout=subprocess.PIPE, text=True, check=True,
                            env=environment(place, "", "", False)).stdout.split()
    place.run(False, "openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=x", "-keyout", "key",
              "-out", "certificate")
    for command, row in PROGRAMS:
        with tap.point(" ".join(command[:2]) + f": row 0x{row:04x}"):
            program(place, command, row)
    with tap.point("a function of the same name that is not OpenSSL's"):
        compare(place, [HOST, FOREIGN], "foreign", "")
    with tap.point("libcrypto is unloaded, and loaded again elsewhere, ten times"):
        os.mkdir(place.path("unpinned"))
        name, file = libcrypto_of(MAIN, environment(place, "", "", False))
        place.write("unpinned/" + name, unpinned(file))
        compare(place, [HOST, MODULE, *10 * ["unasked"]], "plain", place.path("unpinned"))
    extra = os.environ.get("HEADRACE_LIBCRYPTO", "")
    for folder in ["", *filter(None, extra.split(":"))]:
        for name, command in ("linked", [MAIN]), ("loaded later", [HOST, MODULE]):
            for scene in scenes:
                which = folder or "the system's libcrypto"
                with tap.point(f"{scene}, libcrypto {name}: {which}"):
                    compare(place, command, scene, folder)
    if not extra:
        tap.skip("another libcrypto", "HEADRACE_LIBCRYPTO names no folder with one")
    place.clean()
    tap.end()


main()
