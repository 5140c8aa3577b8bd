# SPDX-License-Identifier: Apache-2.0
"""NIST's response files of key wrap (KWVS): K, P and C, or FAIL instead of P."""
import re

from neutral import line, stanzas

HEADER = re.compile(r"SP 800-38F (T?KWP?)-A[ED] with (\S+) (.*)function")


def takes(path, text):
    return bool(HEADER.search(text))


def read(path, text, registry):
    mode, cipher, which = HEADER.search(text).groups()
    if not cipher.startswith("AES-") or "inverse" in which:
        yield f"skip {mode} with {cipher} {which}function"
        return
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "k" in fields:
            yield line(registry.symbol(f"{cipher}-{mode}"), "wrap", key=fields["k"], msg=fields.get("p", ""), out=fields["c"],
                       result=None if "p" in fields else "fail")
