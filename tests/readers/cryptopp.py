# SPDX-License-Identifier: Apache-2.0
"""Crypto++'s TestVectors: `Name: value` lines; a field keeps its value until it is named again, and
each `Test:` is a case of all that there is by then."""
import re

import listed
from neutral import NotOurs, aead, line

CONTINUED = re.compile(r"\\[ \t]*\n")


def takes(path, text):
    return bool(re.search(r"^AlgorithmType:", text, re.M))


def to_hex(value):
    """Returns a value in hex: groups of hex, "text" in quotes, and `rN` for N times what follows."""
    out, repeat = "", 1
    for word in value.split():
        if re.fullmatch(r"r\d+", word):
            repeat = int(word[1:])
            continue
        out += (word.strip('"').encode().hex() if word.startswith('"') else word) * repeat
        repeat = 1
    return out


def read(path, text, registry):
    fields = {}
    for row in CONTINUED.sub(" ", text).splitlines():
        name, colon, value = row.partition(":")
        if not colon or row.startswith("#"):
            continue
        name, value = name.strip().lower(), value.strip()
        if name == "test":
            try:
                yield from case(fields, value, registry)
            except NotOurs as reason:
                yield f"skip {reason}"
        else:
            fields[name] = value if name in ("name", "source", "comment") else to_hex(value)


def case(fields, test, registry):
    tests = {"Encrypt": False, "Verify": False, "NotVerify": True}
    if test not in tests:
        raise NotOurs(f"a test of the kind {test}")
    fail = tests[test]
    if fields["name"] == "Poly1305(AES)":
        yield line(registry.symbol("Poly1305-AES"), "nmac", key=fields["key"], iv=fields["iv"],
                   msg=fields["message"], out=fields["mac"], result="fail" if fail else None)
        return
    mode = fields["name"].rpartition("/")[2]
    if mode not in ("GCM", "CCM") or not fields["name"].startswith("AES"):
        yield from other(fields, fail, registry)
        return
    yield from aead(registry, mode, fields["key"], iv=fields["iv"], aad=fields.get("header", ""),
                    in_=fields.get("plaintext", ""), out=fields.get("ciphertext", ""), tag=fields["mac"], fail=fail)


def other(fields, fail, registry):
    """Yields a case of a cipher, a digest or a MAC."""
    values = {"key": "key", "iv": "iv", "in": "plaintext", "out": "ciphertext"}
    if "digest" in fields or "mac" in fields:
        values = {"key": "key", "iv": "iv", "in": "message", "out": "digest" if "digest" in fields else "mac"}
    if fail:
        raise NotOurs("a wrong result of what has no tag")
    given = {name: fields[other] for name, other in values.items() if other in fields}
    yield from listed.emit(registry, [fields["name"].lower()], given, None)
