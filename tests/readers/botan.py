# SPDX-License-Identifier: Apache-2.0
"""Botan's vectors of block ciphers: sections [Camellia-128] of stanzas Key, In, Out."""
import re

from neutral import line, stanzas


def takes(path, text):
    return path.endswith(".vec") and bool(re.search(r"^\[[\w-]+\]\nKey *=", text, re.M))


def read(path, text, registry):
    for section, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "key" in fields:
            yield line(registry.symbol(f"{section}-ECB"), "both", key=fields["key"], in_=fields["in"], out=fields["out"])
