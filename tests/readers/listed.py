# SPDX-License-Identifier: Apache-2.0
"""Lists of `name = value` (or `name: value`) whose words say which algorithm they are of, whoever wrote them: Botan's
.vec files, numbers of Nettle's and other test programs typed over, lists of CRCs and checksums.

A case is a stanza, or all lines up to the next that names a field again. Fields have any of the names of FIELDS. The
algorithm is named by a field of NAMES, the [section], the first comment, the file or its folder, the first of these
that says it: "AES-128/CBC/PKCS7", "CTR-BE(AES-128)", "GMAC(AES-256)", "HMAC(SHA-1)", "TripleDES", "cbc-aes192", "CRC32".
A key tells its own length; a cipher without a mode is ECB if there is no IV. An AEAD without a field for the tag
has it behind the ciphertext. A value is hex, with or without 0x and blanks, or "text" in quotes. A list of no names
has lines of two values, message and checksum, or CRC RevEng's `check=0x... name="CRC-32/ISCSI"`."""
import os
import re

from neutral import NotOurs, aead, des, line, piece

NAMES = "algorithm", "alg", "cipher", "name", "digest", "hash", "mac", "function", "type", "primitive", "mode"
FIELDS = {
    "key": "key k keys secretkey", "key1": "key1", "key2": "key2", "key3": "key3",
    "iv": "iv nonce n counter ctr icb initialcounter initcounter initialvector ivnonce tweak i dataunitseqnumber dataunitnumber",
    "in": "in input plaintext plain pt p cleartext payload msg message data text",
    "out": "out output ciphertext ct c cryptogram",
    "sum": "md digest hash mac tag icv t crc checksum check expected result authtag",
    "folded": "sum", "aad": "aad ad adata a auth header assoc associateddata additionaldata authdata assocdata",
    "times": "ncopy repeat repeats times iterations",
}
FIELD_OF = {name: field for field, names in FIELDS.items() for name in names.split()}
FAMILIES = (("CAMELLIA", r"camellia"), ("KASUMI", r"kasumi"), ("AES", r"aes(?!ni)|rijndael"),
            ("DES", r"(?<![a-z])(?:triple|3|t)?des(?!ert|cri|ign|x)|tdea|desede"))
MODE = re.compile(r"gmac|gcm|ccm|xts|ecb|cbc|cfb[-_(]?(?:128|64|8|1)?(?!\d)|ofb|ctr|f8|f9")
CRC_NAMES = {"iso-hdlc": "CRC-32", "crc32": "CRC-32", "crc-32": "CRC-32", "adccp": "CRC-32", "v-42": "CRC-32", "pkzip": "CRC-32",
             "iscsi": "CRC-32C", "castagnoli": "CRC-32C", "crc32c": "CRC-32C", "crc-32c": "CRC-32C"}
SUM_NAME = re.compile(r"(internet|ip)[-_ ]?(check)?sum|rfc[-_ ]?1071|checksum|ipsum")
DIGEST = re.compile(r"\b(md5|sha(?:[-_]?(?:2[-_])?(?:1|224|256|384|512))(?:[-_/](?:224|256))?)(?![\d_-]*\d)")
NO_NAMES = r"(en|de)crypt|cases?|tests?|sets?|vectors?|count|section|examples?|l *=|keylen|ivlen|ptlen|aadlen|taglen|iv length"
KNOWN = (*(words for _, words in FAMILIES), MODE.pattern, DIGEST.pattern, SUM_NAME.pattern, r"crc|castagnoli|poly1305|hmac", NO_NAMES)
# Algorithms of which a part is named like one of ours.
OTHERS = (r"serpent|twofish|blowfish|idea|cast|seed|aria|sm[34]|gost|xtea|noekeon|threefish|shacal|kuznyechik|chacha|salsa|rc[245]|rc4",
          r"desx|whirlpool|blake|skein|ripemd|tiger|sha-?3|shake|keccak|streebog|adler|eax|ocb|siv|cmac|cwc|kmac|siphash|cts",
          r"kdf|scrypt|argon|bcrypt|drbg|rng|prf|rsa|(?<!a)dsa|ecdh|ecies|ed25519|x25519|mgf|tls|ssl|keywrap")
HEX = re.compile(r"(?:[0-9a-f]{2})*", re.I)


def takes(path, text):
    return True  # the last reader: `read` finds out


def to_hex(value):
    """Returns a value in hex, or raises NotOurs."""
    value = value.strip().rstrip(";,")
    if re.fullmatch(r'".*"', value, re.S):
        return value[1:-1].encode().hex()
    hexed = re.sub(r"[\s:_]|0x", "", value)
    if not HEX.fullmatch(hexed):
        raise NotOurs(f"a value that is not hex: {value[:20]}")
    return hexed


def cases(text):
    """Yields section, {name: value} and the first comment of each case."""
    section, fields, comment = "", {}, None
    for raw in text.splitlines() + [""]:
        row = raw.strip()
        if row.startswith(("#", ";", "//")):
            comment = row.lstrip("#;/ ") if comment is None else comment
            continue
        header = re.fullmatch(r"\[(.*)\]", row)
        pair = re.match(r"([A-Za-z][\w ./-]*?)\s*[=:]\s*(.*)", row)
        name = re.sub(r"[^a-z0-9]", "", pair.group(1).lower()) if pair else None
        if fields and (header or not row or name in fields):
            yield section, fields, comment or ""
            fields = {}
        if header:
            section = header.group(1).strip()
        elif pair:
            fields[name] = pair.group(2)
        elif row and fields:
            last = next(reversed(fields))  # a value may go on in the next line
            fields[last] += " " + row


def first(pattern, sources):
    return next((found for found in (pattern.search(source) for source in sources) if found), None)


def stranger(text):
    """Returns a text that names an algorithm of which no word is known here, else None."""
    known = any(re.search(pattern, text) for pattern in KNOWN)
    return None if known or not re.search(r"[a-z]{3}", text) else text


def checksum_of(sources):
    """Returns the name of a CRC or sum, or None; a CRC that the registry lacks is not ours."""
    for source in sources:
        crc = re.search(r"crc[-_ ]?(\d+)([a-z]?)(?:/([a-z0-9-]+))?", source)
        if crc or "castagnoli" in source:
            word = (crc.group(3) if crc and crc.group(3) else None) or (f"crc{crc.group(1)}{crc.group(2)}" if crc else "castagnoli")
            if "castagnoli" in source or "iscsi" in source:
                word = "iscsi"
            if word not in CRC_NAMES:
                raise NotOurs(f"{crc.group(0)} is not in the registry")
            return CRC_NAMES[word]
        if SUM_NAME.search(source):
            return "Internet checksum"
    return None


def emit(registry, sources, fields, opening):
    """Yields the lines of one case; `sources` are the texts that may name the algorithm, best first."""
    data, out = fields.get("in", ""), fields.get("out", fields.get("sum"))
    digest = first(DIGEST, sources)
    name = digest and digest.group(1).replace("_", "-")
    if "times" in fields and ("key" in fields or not digest):
        fields = {name: value for name, value in fields.items() if name != "times"}  # the number of the case
    if "key" in fields and digest and first(re.compile("hmac"), sources):
        yield line(registry.hmac(name), "mac", key=fields["key"], msg=data, out=out)
    elif "key" in fields:
        yield from keyed(registry, sources, fields, opening)
    elif digest:
        if out is None or len(out) != 2 * registry.out_len[registry.symbol(name)]:
            raise NotOurs(f"no result of the length of {name}")
        yield line(registry.symbol(name), "digest", msg=piece(data, fields.get("times", 1)), out=out)
    else:
        checksum = checksum_of(sources)
        if not checksum:
            raise NotOurs("no algorithm is named")
        if out is None:
            out = f"{0xffff ^ int(fields['folded'], 16):04x}"
        yield line(registry.symbol(checksum), "digest", msg=data, out=out)


def keyed(registry, sources, fields, opening):
    """Yields the lines of a case that has a key."""
    key, iv, data, out = fields["key"], fields.get("iv"), fields.get("in", ""), fields.get("out", fields.get("sum"))
    family = next((name for source in sources for name, words in FAMILIES if re.search(words, source)), None)
    if first(re.compile("poly1305"), sources):
        yield line(registry.symbol("Poly1305-AES" if iv else "Poly1305"), "nmac", key=key, iv=iv, msg=data, out=out)
        return
    found = first(MODE, sources)
    mode = found.group(0) if found else None
    if mode is None and iv is None:
        mode = "ecb"
    if first(re.compile(r"gmac"), sources):
        mode, family = "gmac", family or "AES"
    if not family or not mode:
        raise NotOurs("no cipher or mode is named")
    mode = re.sub(r"[^a-z0-9]", "", mode)
    if mode in ("cfb8", "cfb1") or first(re.compile("cts"), sources):
        raise NotOurs(f"{family} in {mode} is not in the registry, or not with stealing")
    pad = 1 if first(re.compile("pkcs"), sources) and mode in ("ecb", "cbc") else None
    if mode == "gmac":
        yield line(registry.cipher(family, "GMAC", len(key) // 2), "nmac", key=key, iv=iv, msg=fields.get("aad", data), out=out)
    elif mode in ("gcm", "ccm"):
        tag = fields.get("sum") if "out" in fields or not data else None
        sealed = fields.get("out", "")
        if tag is None:
            sealed, tag = sealed[:len(data)], sealed[len(data):]
        yield from aead(registry, mode.upper(), key, iv=iv, aad=fields.get("aad", ""), in_=data, out=sealed, tag=tag,
                        family=family, fail=fields.get("fail", False))
    else:
        if out is None or (len(data) != len(out) and not pad):
            raise NotOurs("no result as long as the input")
        op = {None: "both", False: "encrypt", True: "decrypt"}[opening]
        values = {"iv": None if mode == "ecb" else iv, "in_": out if opening else data, "out": data if opening else out, "pad": pad}
        if family == "DES":
            yield from des(registry, "CFB64" if mode.startswith("cfb") else mode.upper(), op, key, **values)
        elif mode == "xts":
            values["iv"] = iv.ljust(32, "0")
            if key[:len(key) // 2] == key[len(key) // 2:]:  # only decrypts, in this library
                op, values["in_"], values["out"] = "decrypt", out, data
            yield line(registry.cipher(family, "XTS", len(key) // 4), op, key=key, **values)
        elif family == "KASUMI":
            yield line(registry.symbol(f"kasumi_{mode}"), op, key=key, **values)
        else:
            yield line(registry.cipher(family, mode.removesuffix("128"), len(key) // 2), op, key=key, **values)


def canonical(fields):
    """Returns a case's fields by their names in FIELDS, in hex."""
    out = {}
    for name, value in fields.items():
        field = FIELD_OF.get(name)
        if field == "times":
            out[field] = int(value) if value.strip().isdigit() else 1
        elif field == "sum" and value.strip().lower() in ("pass", "fail", "p", "f", "valid", "invalid"):
            out["fail"] = value.strip().lower() in ("fail", "f", "invalid")
        elif field and field not in out:
            out[field] = to_hex(value)
    if "key1" in out:
        out["key"] = out["key1"] + out.get("key2", "") + out.get("key3", "")
    return out


def revEng(text, registry):
    """Yields CRC RevEng's check values: the CRC of the text "123456789"."""
    for row in re.findall(r"^\s*width=.*$", text, re.M):
        check, name = re.search(r"check=0x([0-9a-f]+)", row, re.I), re.search(r'name="([^"]*)"', row)
        try:
            yield line(registry.symbol(checksum_of([name.group(1).lower()])), "digest", msg=b"123456789".hex(), out=check.group(1))
        except NotOurs as reason:
            yield f"skip {reason}"


def columns(path, text, registry):
    """Yields the cases of lines `message checksum`, both in hex, or the message "in quotes"."""
    sources = [comment.lower() for comment in re.findall(r"^[#;].*", text, re.M)[:1]] + file_names(path)
    for row in text.splitlines():
        two = re.fullmatch(r'\s*("[^"]*"|(?:0x)?[0-9A-Fa-f]*)[\s,;]+(?:0x)?([0-9A-Fa-f]{4,})\s*', row)
        if two and not row.startswith("#"):
            yield from emit(registry, sources, {"in": to_hex(two.group(1)), "sum": two.group(2)}, None)


def file_names(path):
    return [os.path.basename(path).lower(), os.path.basename(os.path.dirname(path)).lower()]


def read(path, text, registry):
    if re.search(r"^\s*width=\d+\s+poly=", text, re.M):
        yield from revEng(text, registry)
        return
    if re.search(r"monte|mct", os.path.basename(path) + "".join(re.findall(r"^#.*", text, re.M)[:8]), re.I):
        yield "skip a Monte Carlo test in an unknown form"
        return
    known = 0
    for section, fields, comment in cases(text):
        if not {FIELD_OF.get(name) for name in fields} & {"in", "key", "out"} or len(fields) < 2:
            continue
        known += 1
        named = [fields[name].lower() for name in NAMES if name in fields and not FIELD_OF.get(name)]
        opening = {"d": True, "e": False}.get(section[:1].lower()) if re.fullmatch(r"(en|de)crypt\w*", section, re.I) else None
        operation = fields.get("operation", fields.get("direction", "")).lower()
        opening = True if operation.startswith("d") else False if operation.startswith("e") else opening
        # Names such as Botan's digest are fields of values elsewhere: hex is no name.
        named += [fields[name].lower() for name in NAMES if name in fields and FIELD_OF.get(name) and not HEX.fullmatch(fields[name])]
        values = {name: value for name, value in fields.items() if not (name in NAMES and value.lower() in named)}
        try:
            if set(fields) & {"salt", "seed", "passphrase", "password", "ikm", "secret", "label"}:
                raise NotOurs("derives a key")
            strange = next(filter(None, map(stranger, [*named, section.lower()])), None)
            if strange or any(re.search(words, name) for name in [*named, section.lower()] for words in OTHERS):
                raise NotOurs(f"{strange or section} is not in the registry")
            yield from emit(registry, [*named, section.lower(), *file_names(path), comment.lower()], canonical(values), opening)
        except NotOurs as reason:
            yield f"skip {reason}"
    if not known:
        yield from columns(path, text, registry)
