# SPDX-License-Identifier: Apache-2.0
"""ECDSA and ECDH over the NIST curves: Wycheproof's JSON, NIST's CAVS files (KeyPair, PKV, SigGen, SigVer, KAS validity),
OpenSSL's evp_test of RFC 6979, and Botan's multiples of base points. Messages are digested here."""
import base64
import hashlib
import json
import re

from neutral import NotOurs, line, stanzas

BYTES = {"P-256": 32, "P-384": 48, "P-521": 66}
CURVES = {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"}
# The AlgorithmIdentifier of a public key with a named curve, RFC 5480 section 2.1.1.
SPKI = {"P-256": "301306072a8648ce3d020106082a8648ce3d030107", "P-384": "301006072a8648ce3d020106052b81040022",
        "P-521": "301006072a8648ce3d020106052b81040023"}
KAS = {"EC": "P-256", "ED": "P-384", "EE": "P-521"}
FORMS = (r'"algorithm":\s*"EC(DH|DSA)"', r'^#\s*"(Key Pair|PKV|SigGen|SigVer)" information', r"^#\s*ECC Validity Test",
         r"^Title = RFC 6979", r"^\[secp256r1\]\s+k = ")


def takes(path, text):
    return any(re.search(form, text, re.M) for form in FORMS)


def read(path, text, registry):
    if text.lstrip().startswith("{"):
        return wycheproof(json.loads(text), registry)
    if "RFC 6979" in text:
        return rfc6979(text, registry)
    return sections(text, registry)


def symbol(registry, kind, curve):
    if curve not in BYTES:
        raise NotOurs(f"{curve} is not in the registry")
    return registry.symbol(f"{kind}_p{curve[2:]}")


def number(text, curve):
    """Returns a number with as many bytes as the curve's numbers have, or more if it is larger."""
    value = int(text, 16)
    return value.to_bytes(max(BYTES[curve], (value.bit_length() + 7) // 8), "big").hex()


def digest(name, msg):
    return hashlib.new(name.lower().replace("sha-", "sha"), msg).hexdigest()


def fail(is_good):
    return None if is_good else "fail"


def point_of_spki(spki, curve):
    """Returns the point of a SubjectPublicKeyInfo: what follows the headers in the one form that DER has."""
    algorithm = SPKI.get(curve, "?")
    match = re.fullmatch(rf"30(?:81)?[0-9a-f]{{2}}{algorithm}03(?:81)?[0-9a-f]{{2}}00((?:04|02|03)[0-9a-f]*)", spki)
    if not match:
        raise NotOurs("a form of public key that the library does not read")
    return match.group(1)


# ---- Wycheproof ----

def wycheproof(document, registry):
    for group in document["testGroups"]:
        for test in group["tests"]:
            try:
                yield wycheproof_case(group, test, registry)
            except NotOurs as reason:
                yield f"skip {reason}"


def wycheproof_case(group, test, registry):
    good = test["result"] == "valid"
    if test["result"] == "acceptable":
        raise NotOurs("an acceptable case: a library may take it or not")
    if "shared" in test:
        curve = CURVES.get(group["curve"], group["curve"])
        row = symbol(registry, "ecdh", curve)
        point = test["public"] if group["encoding"] == "ecpoint" else point_of_spki(test["public"], curve)
        return line(row, "agree", key=number(test["private"], curve), in_=point, out=test["shared"], result=fail(good))
    key = group["publicKey"]
    row = symbol(registry, "ecdsa", CURVES.get(key["curve"], key["curve"]))
    op = "verify" if "P1363" in group["type"] else "verify_der"
    return line(row, op, key=key["uncompressed"], msg=digest(group["sha"], bytes.fromhex(test["msg"])), tag=test["sig"],
                result=fail(good))


# ---- OpenSSL: keys in PEM, then signatures in DER ----

def rfc6979(text, registry):
    keys = {}
    for match in re.finditer(r"^P(?:rivate|ublic)Key ?= ?(\S+)\n-----BEGIN.*?-----\n(.*?)-----END", text, re.M | re.S):
        keys[match.group(1)] = base64.b64decode(match.group(2)).hex()
    for stanza in text.split("\n\n"):
        fields = dict(row.split(" = ", 1) for row in stanza.splitlines() if " = " in row and not row.startswith("#"))
        name = fields.get("DigestSign") or fields.get("DigestVerify")
        if not name:
            continue
        try:
            curve = fields["Key"].split("_")[0]
            row = symbol(registry, "ecdsa", curve)
            hashed = digest(name, fields["Input"].strip('"').encode())
            good = "Result" not in fields
            if "DigestVerify" in fields:
                yield line(row, "verify_der", key=point_of_spki(keys[fields["Key"]], curve), msg=hashed,
                           tag=fields["Output"].lower(), result=fail(good))
                continue
            private = re.search(rf"0201010 4{BYTES[curve]:02x}([0-9a-f]{{{2 * BYTES[curve]}}})".replace(" ", ""), keys[fields["Key"]])
            yield line(row, "sign_der", flags=1, mac=registry.hmac(name), key=private.group(1), msg=hashed,
                       tag=fields["Output"].lower())
        except NotOurs as reason:
            yield f"skip {reason}"


# ---- NIST and Botan: [CURVE], [CURVE,DIGEST], [KAS letters - DIGEST] ----

def sections(text, registry):
    text = re.sub(r"^\[B\.4.*\]$", "", text, flags=re.M)  # how KeyPair's numbers were made
    for section, pairs in stanzas(text, "="):
        fields = {name.lower(): value for name, value in pairs}
        match = re.match(r"(\w+)(?:-\d+)?", section or "")
        curve = re.split(r"[, ]", section or "")[0]
        curve = CURVES.get(curve, KAS.get(curve, curve))
        try:
            row = section_case(curve, section, fields, registry) if match else None
            if row:
                yield row
        except NotOurs as reason:
            yield f"skip {reason}"


def point(x, y, curve):
    return "04" + number(x, curve) + number(y, curve)


def section_case(curve, section, fields, registry):
    if "p" in fields and "k" in fields:
        return line(symbol(registry, "ecdh", curve), "public", key=number(fields["k"], curve), out=fields["p"].lower())
    good = fields.get("result", "P").startswith("P")
    if "z" in fields:
        row = symbol(registry, "ecdh", curve)
        if not good and "CAVS" not in fields["result"]:
            raise NotOurs("a wrong value that is no input of the calls")
        return line(row, "agree", key=number(fields["dsiut"], curve), in_=point(fields["qscavsx"], fields["qscavsy"], curve),
                    out=number(fields["z"], curve), result=fail(good))
    if "r" in fields and "s" in fields:
        return line(symbol(registry, "ecdsa", curve), "verify", key=point(fields["qx"], fields["qy"], curve),
                    msg=digest(section.split(",")[1].replace("SHA-253846", "SHA-256"), bytes.fromhex(fields["msg"])),
                    tag=number(fields["r"], curve) + number(fields["s"], curve), result=fail(good))
    if "d" in fields and "qx" in fields:
        return line(symbol(registry, "ecdh", curve), "public", key=number(fields["d"], curve), out=point(fields["qx"], fields["qy"], curve))
    if "qx" in fields:  # the secret of the private key 1 is x
        row = symbol(registry, "ecdh", curve)
        return line(row, "agree", key=number("1", curve), in_=point(fields["qx"], fields["qy"], curve), out=number(fields["qx"], curve),
                    result=fail(good))
    return None
