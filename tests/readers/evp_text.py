# SPDX-License-Identifier: Apache-2.0
"""Stanzas of "Name = value" (OpenSSL's evp_test, section "SYNTAX" of its comments; AWS-LC's and
BoringSSL's file tests) or "Name: value" (AWS-LC's converted CAVP files)."""
import re

from neutral import NotOurs, aead, line, piece, stanzas

KINDS = ("cipher", "digest", "hash", "hmac", "kdf", "pkeykdf", "mac")
# Keywords of a test of another kind, in files that hold some of each.
OTHER = re.compile(r"(sign|verify|derive|encoding|pbe|decrypt|privpubkeypair|fetch\w*"
                   r"|keygen\w*|pairwise\w*)$")


def separator(text):
    return "=" if re.search(r"^\s*(Cipher|Digest|Hash|HMAC|KDF|PKEYKDF|MAC)\s*=", text, re.M | re.I) else ":"


def takes(path, text):
    return bool(re.search(r"^\s*(Cipher|Digest|Hash|HMAC|KDF|PKEYKDF)\s*[=:]", text, re.M | re.I)
                or re.search(r"^MAC *= *(?!Poly1305)[A-Z]", text, re.M))


def to_hex(value):
    """Returns a value in hex: the value is "text" in quotes, or hex."""
    if value.startswith('"'):
        return value.strip('"').encode().hex()
    return value


def read(path, text, registry):
    for _, pairs in stanzas(text, separator(text)):
        kinds = [name for name, _ in pairs if name in KINDS]
        if not kinds:
            other = [name for name, _ in pairs if OTHER.match(name)]
            if other:
                yield f"skip {other[0]} is no cipher or digest"
            continue
        try:
            reader = {"cipher": cipher, "hmac": mac, "kdf": kdf, "pkeykdf": kdf, "mac": evp_mac}
            lines = reader.get(kinds[0], digest)(pairs, registry)
            yield from [lines] if isinstance(lines, str) else lines
        except NotOurs as reason:
            yield f"skip {reason}"


def digest(pairs, registry):
    """Yields a digest's case. Inputs follow each other: Ncopy, Count and Repeat repeat the input before them."""
    symbol, out, parts = None, None, []
    for name, value in pairs:
        if name in KINDS:
            symbol = registry.symbol(value)
        elif name == "input":
            parts.append([to_hex(value), 1])
        elif name in ("ncopy", "count", "repeat"):
            parts[-1][1] *= int(value)
        elif name == "output":
            out = value
    return line(symbol, "xof" if symbol.startswith("shake") else "digest", msg="+".join(piece(*part) for part in parts), out=out)


def mac(pairs, registry):
    fields = dict(pairs)
    return line(registry.hmac(fields["hmac"]), "mac", key=to_hex(fields["key"]), msg=to_hex(fields["input"]),
                out=fields["output"])


def evp_mac(pairs, registry):
    """Returns the case of a `MAC`, whose digest or cipher is `Algorithm`, or a `Ctrl`'s."""
    fields = dict(pairs)
    name = fields["mac"].removesuffix(" by EVP_PKEY").upper()
    if name in ("KMAC128", "KMAC256") and "result" not in fields:
        xof = any("xof:1" in value for key, value in pairs if key.startswith("ctrl"))
        return line(registry.symbol(name), "xof" if xof else "kmac", key=to_hex(fields["key"]), msg=to_hex(fields["input"]),
                    custom=to_hex(fields.get("custom", "")), out=fields["output"])
    if "result" in fields or name not in ("HMAC", "GMAC", "CMAC"):
        raise NotOurs(f"{name}, or a case of OpenSSL's checks of parameters")
    given = fields.get("algorithm") or next((value.partition(":")[2] for key, value in pairs if key.startswith("ctrl")), "")
    values = {"key": to_hex(fields["key"]), "msg": to_hex(fields["input"]), "out": fields["output"]}
    if name == "HMAC":
        return line(registry.hmac(given), "mac", **values)
    if name == "CMAC":
        return line(registry.symbol(re.sub("-CBC$", "-CMAC", given.upper().replace("DES-EDE-", "DES-EDE2-"))), "mac", **values)
    iv = fields.get("iv") or next(value.partition(":")[2] for key, value in pairs if "iv:" in value)
    return line(registry.symbol(re.sub("GCM", "GMAC", given, flags=re.I)), "nmac", iv=iv, **values)


def cipher(pairs, registry):
    fields = dict(pairs)
    if "mode" in fields:
        raise NotOurs("a cipher whose mode is a field of its own")
    symbol = registry.symbol(fields["cipher"])
    if symbol.endswith(("_kw", "_kwp")):
        return line(symbol, "wrap", key=fields["key"], iv=fields.get("iv"), msg=fields["plaintext"], out=fields["ciphertext"],
                    result="fail" if "result" in fields else None)
    plain, sealed = to_hex(fields["plaintext"]), to_hex(fields["ciphertext"])
    mode = symbol.rpartition("_")[2]
    if mode in ("gcm", "ccm", "poly1305"):
        return list(aead(registry, mode, fields["key"], iv=fields["iv"], aad=fields.get("aad", ""), in_=plain, out=sealed,
                         tag=fields["tag"], fail="result" in fields))
    if fields.get("availablein") == "fips":
        raise NotOurs("a case of OpenSSL's FIPS provider")
    op = fields.get("operation", "both").lower()
    swap = op == "decrypt"
    return line(symbol, op, key=fields["key"], iv=fields.get("iv"), in_=sealed if swap else plain,
                out=plain if swap else sealed, next_iv=fields.get("nextiv"),
                result="fail" if "result" in fields else None)


HKDF_MODES = {"EXTRACT_AND_EXPAND": "derive", "EXTRACT_ONLY": "extract", "EXPAND_ONLY": "expand"}


def kdf(pairs, registry):
    """Parameters are `Ctrl.<any> = <name>:<value>`, of which hex<name> holds hex."""
    fields = dict(pairs)
    if "result" in fields:
        raise NotOurs("a case of OpenSSL's checks of parameters")
    symbol = registry.symbol(fields.get("kdf") or fields["pkeykdf"])
    given = {}
    for name, value in pairs:
        if name.startswith("ctrl"):
            parameter, _, text = value.partition(":")
            parameter = parameter.lower()
            is_hex = parameter.startswith("hex")
            given[parameter[3:] if is_hex else parameter] = text if is_hex else text.encode().hex()
    text = {name: bytes.fromhex(given[name]).decode() for name in ("digest", "md", "mode", "iter") if name in given}
    mac_symbol = registry.hmac(text.get("digest") or text["md"])
    key = given.get("pass", given.get("key", given.get("ikm", "")))
    op = HKDF_MODES[text.get("mode", "EXTRACT_AND_EXPAND").upper()]
    return line(symbol, op, mac=mac_symbol, key=key, salt=given.get("salt"), info=given.get("info"),
                iterations=text.get("iter"), out=fields["output"])
