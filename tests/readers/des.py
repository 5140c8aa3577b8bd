# SPDX-License-Identifier: Apache-2.0
"""Botan's vectors of DES: sections [DES] and [TripleDES], whose keys have 16 or 24 bytes, of stanzas Key, In, Out."""
import re

from neutral import des, stanzas


def takes(path, text):
    return path.endswith(".vec") and bool(re.search(r"^\[(Triple)?DES\]\nKey *=", text, re.M))


def read(path, text, registry):
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "key" in fields:
            yield from des(registry, "ECB", "both", fields["key"], in_=fields["in"], out=fields["out"])
