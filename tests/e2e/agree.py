#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agree.py PROGRAM LIBMD: direct calls, the provider, libmd and the preloaded library give the same for random
messages, and each of the last three has served them.  HEADRACE_DIRECT names the preloaded library."""
import os
import re
import subprocess
import sys

import served
from common import Place, Tap

REGISTRY = os.path.join(os.path.dirname(__file__), "../../include/headrace/algorithms.def")


def served_rows():
    """Returns the numbers of all digest rows, and for each binding those of the rows that it must have
    served itself."""
    with open(REGISTRY, encoding="ascii") as file:
        rows = re.findall(r"^HR_(DIGEST|MAC|KDF)\((0x[0-9a-f]+), *(\w+)", file.read(), re.M)
    numbers = {symbol: int(number, 16) for _, number, symbol in rows}
    digests, macs, kdfs = ({numbers[symbol] for kind, _, symbol in rows if kind == wanted}
                           for wanted in ("DIGEST", "MAC", "KDF"))
    # SHA-3 is in neither libmd nor HMAC; evp_same compares its digests
    digests -= {number for symbol, number in numbers.items() if symbol.startswith("sha3_")}
    assert digests and len(macs) == len(digests) and kdfs, rows
    # libmd has no SHA-512/224; libcrypto has no one-shot call of HKDF
    return digests, {"openssl": digests | kdfs, "libmd": digests - {numbers["sha512_224"]},
                     "direct": digests | macs | {numbers["pbkdf2"]}}


def main():
    program, libmd = sys.argv[1:]
    tap, place = Tap(), Place()
    digests, bindings = served_rows()
    served.new(place.stats)
    env = place.env(False)
    env["LD_PRELOAD"] = ":".join(filter(None, (os.environ.get("HEADRACE_PRELOAD"),
                                               os.environ["HEADRACE_DIRECT"])))
    env["ASAN_OPTIONS"] = "detect_leaks=0"
    with tap.point("digests, HMAC, PBKDF2 and HKDF of random messages are the same by every way"):
        done = subprocess.run((program, libmd), env=env, capture_output=True, text=True,
                              timeout=200, check=False)
        assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
        assert done.stdout.count("messages agree") == len(digests), done.stdout
    for via, rows in bindings.items():
        with tap.point(f"{via} has served what it offers"):
            found = served.total(place.stats, via=via)
            assert rows <= set(found), (via, rows - set(found))
            assert all(found[row][0] >= 50 for row in rows), found
    place.clean()
    tap.end()


main()
