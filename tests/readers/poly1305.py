# SPDX-License-Identifier: Apache-2.0
"""Poly1305 and Poly1305-AES: stanzas of K, R, N, Msg, MAC; of KEY, MSG, TAG; of OpenSSL's `MAC = Poly1305`;
and the MACs alone that D. J. Bernstein's test-poly1305aes prints."""
import re

from neutral import NotOurs, line, stanzas

ONLY_MACS = re.compile(r"([0-9a-f]{32}\n)+")


def takes(path, text):
    return bool(ONLY_MACS.fullmatch(text) or re.search(r"^R *=", text, re.M) or re.search(r"^MAC *= *Poly1305", text, re.M)
                or (re.search(r"^TAG *=", text, re.M) and "7539" in text))


def read(path, text, registry):
    if ONLY_MACS.fullmatch(text):
        yield from procedure(text.split(), registry.symbol("Poly1305-AES"))
        return
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "k" in fields:
            yield line(registry.symbol("Poly1305-AES"), "nmac", key=fields["k"] + fields["r"], iv=fields["n"],
                       msg=fields["msg"], out=fields["mac"])
        elif "tag" in fields:
            yield line(registry.symbol("Poly1305"), "nmac", key=fields["key"], msg=fields["msg"], out=fields["tag"])
        elif "mac" in fields:
            yield evp(fields, registry)


def evp(fields, registry):
    try:
        symbol = registry.symbol(fields["mac"].removesuffix(" by EVP_PKEY"))
    except NotOurs as reason:
        return f"skip {reason}"
    return line(symbol, "nmac", key=fields["key"], msg=fields["input"], out=fields["output"])


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def procedure(macs, symbol):
    """The first loop of test-poly1305aes.c: from zeros on, each MAC changes nonce, key and message, which
    grows by a byte."""
    k, r, n, message = bytes(16), bytes(16), bytes(16), b""
    for length, text in enumerate(macs):
        yield line(symbol, "nmac", key=(k + r).hex(), iv=n.hex(), msg=message.hex(), out=text)
        mac = bytes.fromhex(text)
        n = xor(n, mac)
        if length % 2:
            k = xor(k, mac)
        if length % 3:
            r = xor(r, mac)
        message += mac[:1]
