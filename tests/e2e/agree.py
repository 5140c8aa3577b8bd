#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agree.py PROGRAM LIBMD: direct calls, the provider, libmd and the preloaded library give the same for random
messages, and each of the last three has served them.  HEADRACE_DIRECT names the preloaded library."""
import os
import subprocess
import sys

import served
from common import Place, Tap

MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_256 = (
    0x0107, 0x0108, 0x0101, 0x0102, 0x0103, 0x0104, 0x0106)
SERVED = {
    "openssl": {MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_256, 0x0501},
    "libmd": {MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_256},
    "direct": {MD5, SHA1, SHA224, SHA256, SHA384, SHA512},
}


def main():
    program, libmd = sys.argv[1:]
    tap, place = Tap(), Place()
    served.new(place.stats)
    env = place.env(False)
    env["LD_PRELOAD"] = ":".join(filter(None, (os.environ.get("HEADRACE_PRELOAD"),
                                               os.environ["HEADRACE_DIRECT"])))
    env["ASAN_OPTIONS"] = "detect_leaks=0"
    with tap.point("digests, HMAC and PBKDF2 of random messages are the same by every way"):
        done = subprocess.run((program, libmd), env=env, capture_output=True, text=True,
                              timeout=200, check=False)
        assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
        assert done.stdout.count("messages agree") == 8, done.stdout
    for via, rows in SERVED.items():
        with tap.point(f"{via} has served what it offers"):
            found = served.total(place.stats, via=via)
            assert rows <= set(found), (via, rows - set(found))
            assert all(found[row][0] >= 50 for row in rows), found
    place.clean()
    tap.end()


main()
