# SPDX-License-Identifier: Apache-2.0
"""Wycheproof's JSON (schemas ind_cpa_test, aead_test, keywrap_test, mac_test, hkdf_test and pbkdf_test), and intel-ipsec-mb's in the same shape."""
import json
import re

from neutral import NotOurs, aead, des, line

CIPHER = re.compile(r"(AES)-(ECB|CBC|CFB|CFB128|CTR)(-PKCS5|-PKCS7)?$", re.I)
AEAD = re.compile(r"(AES|CAMELLIA|CHACHA20)-(GCM|CCM|POLY1305)$")
GMAC = re.compile(r"(AES-?)?GMAC$", re.I)
CMAC = re.compile(r"AES-CMAC$")
WRAP = re.compile(r"AES-(?:KW|WRAP|(KWP))$")
MAC = re.compile(r"HMAC-?(MD5|SHA-?\d+(/\d+)?)$", re.I)
KDF = re.compile(r"(HKDF|PBKDF2)-(?:HMAC)?-?(SHA-?\d+)$", re.I)
DIGEST = re.compile(r"SHA2?([-_]?(224|256|384|512)([-_/](224|256))?)?$", re.I)


def takes(path, text):
    return text.lstrip().startswith("{") and '"testGroups"' in text


def read(path, text, registry):
    document = json.loads(text)
    name = document["algorithm"]
    for group in document["testGroups"]:
        for test in group["tests"]:
            try:
                yield from case(name, group, test, registry)
            except NotOurs as reason:
                yield f"skip {reason}"


def case(name, group, test, registry):
    match = CIPHER.match(name)
    if match and "ct" in test:
        yield from cipher(match, test, registry)
    elif AEAD.match(name):
        if test["result"] == "acceptable":
            raise NotOurs("an acceptable case: a library may take it or not")
        yield from aead(registry, AEAD.match(name).group(2), test["key"], iv=test["iv"], aad=test["aad"], in_=test["msg"],
                        out=test["ct"], tag=test["tag"], fail=test["result"] == "invalid", family=AEAD.match(name).group(1))
    elif name == "Poly1305":
        yield line(registry.symbol(name), "nmac", key=test["key"], msg=test["msg"], out=test["tag"],
                   result=None if test["result"] == "valid" else "fail")
    elif GMAC.match(name):
        yield line(registry.cipher("AES", "GMAC", len(test["key"]) // 2), "nmac", key=test["key"], iv=test["iv"], msg=test["msg"],
                   out=test["tag"], result=None if test["result"] == "valid" else "fail")
    elif CMAC.match(name):
        symbol = registry.cipher("AES", "CMAC", len(test["key"]) // 2)
        good = test["result"] == "valid"
        yield line(symbol, "mac" if good else "verify", key=test["key"], msg=test["msg"], out=test["tag"],
                   result=None if good else "fail")
    elif WRAP.match(name):
        symbol = registry.cipher("AES", WRAP.match(name).group(1) or "KW", len(test["key"]) // 2)
        yield line(symbol, "wrap", key=test["key"], msg=test["msg"], out=test["ct"],
                   result={"valid": None, "invalid": "fail", "acceptable": "any"}[test["result"]])
    elif MAC.match(name) and "tag" in test:
        yield line(registry.hmac(MAC.match(name).group(1)), "mac", key=test["key"], msg=test["msg"],
                   out=test["tag"], result=None if test["result"] == "valid" else "fail")
    elif name in ("KMAC128", "KMAC256") and "tag" in test:
        yield line(registry.symbol(name), "kmac", key=test["key"], msg=test["msg"], out=test["tag"],
                   result=None if test["result"] == "valid" else "fail")
    elif KDF.match(name):
        yield kdf(KDF.match(name), test, registry)
    elif name in ("DES", "3DES"):  # intel-ipsec-mb's, which are of CBC
        yield from des(registry, "CBC", "both", test["key"], iv=test["iv"], in_=test["msg"], out=test["ct"])
    elif DIGEST.match(name) and "tag" in test and not test.get("key"):
        wanted = name if re.search(r"\d{3}", name) else f"SHA{group['tagSize']}"
        symbol = registry.symbol(wanted if wanted != "SHA160" else "SHA1")
        yield line(symbol, "digest", msg=test["msg"], out=test["tag"])
    else:
        raise NotOurs(f"{name} is not in the registry")


def cipher(match, test, registry):
    symbol = registry.cipher(match.group(1), match.group(2), len(test["key"]) // 2)
    iv = test.get("iv", "")
    if match.group(2).upper() == "CTR" and len(iv) == 24:
        iv += "00000001"  # RFC 3686 section 4: nonce, IV, and a counter that starts at one
    fields = {"key": test["key"], "iv": iv, "pad": 1 if match.group(3) else None}
    result = test.get("result", "valid")
    if result == "valid":
        yield line(symbol, "both", in_=test["msg"], out=test["ct"], **fields)
    else:
        yield line(symbol, "decrypt", in_=test["ct"], out=test["msg"],
                   result="fail" if result == "invalid" else "any", **fields)


def kdf(match, test, registry):
    """Returns a case of the schemas hkdf_test or pbkdf_test; the invalid ones ask for an output that is too long."""
    fields = {"mac": registry.hmac(match.group(2)), "salt": test["salt"]}
    if test["result"] == "invalid":
        fields |= {"size": test.get("size", test.get("dkLen")), "result": "fail"}
    if match.group(1).upper() == "HKDF":
        return line("hkdf", "derive", key=test["ikm"], info=test["info"], out=test["okm"], **fields)
    return line("pbkdf2", "derive", key=test["password"], iterations=test["iterationCount"], out=test["dk"], **fields)
