# SPDX-License-Identifier: Apache-2.0
"""NIST CAVP response files (SHAVS, AESAVS, GCMVS, CCMVS, XTSVS) and what other projects write in their shape."""
import os
import re

from neutral import NotOurs, aead, des, line, stanzas

SHA_NAME = re.compile(r"\bSHA[-_ ]?(\d+(?:[/_-]\d+)?)")
RFC_NAME = re.compile(r"\brfc[-_ ]?(\d+)", re.I)
HMAC_OF = {20: "SHA1", 28: "SHA-224", 32: "SHA-256", 48: "SHA-384", 64: "SHA-512"}
RFC_DIGESTS = {"1321": "MD5"}
MODE_HEADER = re.compile(r"test data for ([A-Z]+[0-9]*)", re.I)
MODE_NAME = re.compile(r"(ECB|CBC|CFB(?:128|64|8|1)?|OFB|CTR|CCM|GCM|XTS)", re.I)


def takes(path, text):
    return bool(re.search(r"^\s*(COUNT|Len|Seed|KEY|MD)\s*=", text, re.M)) or "CAVS" in comments(text)


def comments(text):
    return "\n".join(row for row in text.splitlines() if row.lstrip().startswith("#"))


def read(path, text, registry):
    if re.search(r"\bHMAC\b", comments(text)):
        return macs(text, registry)
    if re.search(r"\bTDES\b|tdes_", comments(text)):
        return triple_des(path, text, registry)
    if re.search(r"^\s*(MD|Seed)\s*=", text, re.M):
        return digests(path, text, registry)
    if re.search(r"\bSHAKE\d+\b", comments(text)):
        return outputs(text, registry)
    return ciphers(path, text, registry)


# ---- SHAVS ----

def digest_symbol(path, text, registry):
    """Returns the digest's symbol by the header's name, or else the file's: "SHA-512/256" or
    SHA512_256ShortMsg.rsp; vectors of an RFC have its number in their name."""
    for source in (comments(text), os.path.basename(path).upper()):
        match = SHA_NAME.search(source)
        if match:
            number = re.sub(r"[-_]", "/", match.group(1))
            return registry.symbol(f"SHA-{number}", f"SHA{number.replace('/', '_')}")
    rfc = RFC_NAME.search(os.path.basename(path))
    if rfc and rfc.group(1) in RFC_DIGESTS:
        return registry.symbol(RFC_DIGESTS[rfc.group(1)])
    raise NotOurs("no digest named in the header or the file name")


def digests(path, text, registry):
    symbol = digest_symbol(path, text, registry)
    seed = None
    for section, pairs in stanzas(text, "="):
        length = re.fullmatch(r"L\s*=\s*(\d+)", section)
        if length and int(length.group(1)) not in (registry.out_len[symbol], 8 * registry.out_len[symbol]):  # bits: SHA-3
            raise ValueError(f"{symbol} does not have L = {length.group(1)}")
        fields = dict(pairs)
        if "seed" in fields:
            seed = fields["seed"]
        elif "md" in fields and "msg" in fields:
            bits = int(fields["len"])
            if bits % 8:
                yield f"skip a message of {bits} bits is no whole bytes"
                continue
            yield line(symbol, "digest", msg=fields["msg"][:bits // 4], out=fields["md"])
        elif "md" in fields:
            yield line(symbol, "monte", msg=seed, out=fields["md"])
            seed = fields["md"]


# ---- SHA3VS: outputs of any length ----

def outputs(text, registry):
    """The Monte Carlo test begins with the length of its longest outputs."""
    symbol = registry.symbol(re.search(r"\bSHAKE\d+\b", comments(text)).group())
    least, most = (bounds.group(1) if (bounds := re.search(rf"\[{word} Output Length \(bits\) = (\d+)\]", text)) else 0
                   for word in ("Minimum", "Maximum"))
    lengths = f"{(int(least) + 7) // 8:04x}{int(most) // 8:04x}"
    before, size = None, int(most) // 8
    for section, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "output" in fields and "msg" in fields:
            bits = int(fields.get("len", 4 * len(fields["msg"])))
            if bits % 8:
                yield f"skip a message of {bits} bits is no whole bytes"
                continue
            yield line(symbol, "xof", msg=fields["msg"][:bits // 4], out=fields["output"])
        elif "output" in fields:
            yield line(symbol, "monte", msg=before, out=fields["output"], aad=lengths, size=size)
            before = fields["output"]
            size = int(lengths[:4], 16) + int(before[-4:], 16) % (int(lengths[4:], 16) - int(lengths[:4], 16) + 1)
        elif "msg" in fields:
            before = fields["msg"]


# ---- HMACVS, and the RFCs' cases in its shape ----

def macs(text, registry):
    """The header names the digest: "Test Cases for HMAC-SHA-1"; or the section its length: [L=20]."""
    named = re.search(r"\bHMAC-(MD5|SHA-?\d+(?:/\d+)?)", comments(text))
    digest = named and re.sub(r"SHA-?1$", "SHA1", named.group(1))
    for section, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "md" not in fields and "mac" not in fields:
            continue
        length = re.fullmatch(r"L\s*=\s*(\d+)", section)
        if not digest and not length:
            raise NotOurs("no digest named in the header, and no section [L=...]")
        symbol = registry.hmac(digest or HMAC_OF[int(length.group(1))])
        yield line(symbol, "mac", key=fields["key"], msg=fields["msg"], out=fields.get("md") or fields["mac"])


# ---- AESAVS ----

def mode_of(path, text):
    header = MODE_HEADER.search(comments(text))
    if header:
        return header.group(1)
    folder, name = os.path.split(path)
    for source in (name, comments(text), os.path.basename(folder)):
        found = MODE_NAME.search(source)
        if found:
            return found.group(1)
    raise NotOurs("no mode named in the header, the file name or the folder")


def ciphers(path, text, registry):
    mode = mode_of(path, text)
    special = {"GCM": gcm, "CCM": ccm, "XTS": xts}.get(mode.upper())
    if special:
        yield from special(text, registry)
        return
    monte = "MCT" in comments(text) or "MCT" in os.path.basename(path).upper()
    family = "CAMELLIA" if "CAMELLIA" in comments(text) else "AES"
    last_section = None
    for section, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "key" not in fields:
            continue
        symbol = registry.cipher(family, mode, len(fields["key"]) // 2)
        if mode.upper() != "ECB" and "iv" not in fields:
            raise NotOurs("no field IV")
        opening = section.upper().startswith("DECRYPT")
        source, target = ("ciphertext", "plaintext") if opening else ("plaintext", "ciphertext")
        op = ("monte_" if monte else "") + ("decrypt" if opening else "encrypt")
        chain = 1 if monte and section == last_section else None
        last_section = section
        yield line(symbol, op, key=fields["key"], iv=fields.get("iv"), in_=fields[source],
                   out=fields[target], chain=chain)


# ---- TMOVS (SP 800-20) ----

def triple_des(path, text, registry):
    """Yields the cases of triple DES; the field KEYs is one key for all three."""
    mode = mode_of(path, text)
    if re.search("monte", os.path.basename(path) + comments(text), re.I):
        yield "skip Monte Carlo tests of triple DES"
        return
    for section, pairs in stanzas(text, "="):
        fields = dict(pairs)
        key = fields.get("keys", "") * 3 or "".join(fields.get(f"key{i}", "") for i in (1, 2, 3))
        if not key:
            continue
        opening = section == "DECRYPT"
        source, target = ("ciphertext", "plaintext") if opening else ("plaintext", "ciphertext")
        yield from des(registry, mode, "decrypt" if opening else "encrypt", key, iv=fields.get("iv"),
                       in_=fields[source], out=fields[target])


# ---- GCMVS ----

def gcm(text, registry):
    """Yields the cases of GCM; a stanza with the line FAIL is a forgery. The tag's length is that of the field."""
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "key" in fields:
            yield from aead(registry, "GCM", fields["key"], iv=fields["iv"], aad=fields["aad"], in_=fields.get("pt"),
                            out=fields["ct"], tag=fields["tag"], fail="fail" in fields)


# ---- CCMVS ----

def ccm(text, registry):
    """Yields the cases of CCM. Lengths, key and nonce stand in the header, in sections, or with the cases, and
    hold until the next; a text or AAD of no bytes is written as 00, and the tag stands behind the ciphertext."""
    have = {}
    for section, pairs in stanzas(text, "="):
        have.update((name.lower(), value) for name, value in re.findall(r"(\w+) *= *(\d+)", section))
        have.update(pairs)
        fields = dict(pairs)
        if "ct" not in fields:
            continue
        text_len, aad_len = 2 * int(have["plen"]), 2 * int(have["alen"])
        sealed, tag = have["ct"][:text_len], have["ct"][text_len:]
        if len(tag) != 2 * int(have["tlen"]) or len(have["nonce"]) != 2 * int(have["nlen"]):
            raise ValueError("lengths that are not those of the section")
        yield from aead(registry, "CCM", have["key"], iv=have["nonce"], aad=have["adata"][:aad_len],
                        in_=fields.get("payload", "")[:text_len], out=sealed, tag=tag,
                        fail=fields.get("result", "Pass").startswith("F"))


# ---- XTSVS ----

def tweak(fields):
    """Returns the tweak of a data unit: the field i, or the unit's number, least significant byte first (IEEE 1619
    section 5.1); the number is decimal."""
    if "i" in fields:
        return fields["i"]
    number = next(value for name, value in fields.items() if name.startswith("dataunitseq"))
    return int(number).to_bytes(16, "little").hex()


def xts(text, registry):
    for section, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "key" not in fields:
            continue
        bits = int(fields.get("dataunitlen", 4 * len(fields["pt"])))
        if bits % 8:
            yield f"skip a data unit of {bits} bits is no whole bytes"
            continue
        symbol = registry.cipher("AES", "XTS", len(fields["key"]) // 4)
        opening = section == "DECRYPT"
        source, target = ("ct", "pt") if opening else ("pt", "ct")
        yield line(symbol, "decrypt" if opening else "encrypt", key=fields["key"], iv=tweak(fields), in_=fields[source],
                   out=fields[target])
