# SPDX-License-Identifier: Apache-2.0
"""Checksums in the shape of CAVP's response files; the first comment begins with the name. `listed` reads others."""
import re

from neutral import line, stanzas

VALUE = re.compile(r"^\s*(CRC|CHECKSUM)\s*=", re.M)
NAME = re.compile(r"^#\s*([^(:]+?)\s*[(:]")


def takes(path, text):
    return bool(VALUE.search(text) and NAME.match(text))


def read(path, text, registry):
    symbol = registry.symbol(NAME.match(text).group(1))
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "msg" in fields:
            yield line(symbol, "digest", msg=fields["msg"], out=fields.get("crc") or fields["checksum"])
