# SPDX-License-Identifier: Apache-2.0
"""X25519 and Ed25519: Wycheproof's JSON (schemas xdh_comp and eddsa_verify), the list of RFC 7748's vectors that begins with
INPUT_SCALAR, and OpenSSL's evp_test file of these keys."""
import base64
import hashlib
import json
import re

from neutral import NotOurs, line, stanzas

PREFIX = {"MC4CAQAwBQYDK2Vu": "X25519", "MCowBQYDK2Vu": "X25519", "MC4CAQAwBQYDK2Vw": "ED25519", "MCowBQYDK2Vw": "ED25519"}


def takes(path, text):
    return bool(re.search(r'"algorithm": *"(XDH|EDDSA)"', text[:2000]) or text.count("INPUT_SCALAR")
                or re.search(r"^PrivateKey *= *(Alice-25519|ED25519-1)$", text, re.M))


def read(path, text, registry):
    if text.lstrip().startswith("{"):
        yield from wycheproof(json.loads(text), registry)
    elif "INPUT_SCALAR" in text:
        for _, pairs in stanzas(text, "="):
            fields = dict(pairs)
            if "input_scalar" in fields:
                yield line(registry.symbol("X25519"), "agree", key=fields["input_scalar"], in_=fields["input_u"],
                           out=fields["output_u"])
    else:
        yield from evp(text, registry)


def wycheproof(document, registry):
    for group in document["testGroups"]:
        key = group.get("publicKey", {})
        if group.get("curve", key.get("curve")) not in ("curve25519", "edwards25519"):
            yield from ("skip a curve that is not in the registry" for _ in group["tests"])
            continue
        for test in group["tests"]:
            if "shared" not in test:
                yield line(registry.symbol("Ed25519"), "verify", key=key["pk"], msg=test["msg"], tag=test["sig"],
                           result=None if test["result"] == "valid" else "fail")
            else:  # acceptable: RFC 7748 takes them all, but section 6.1 refuses a secret of zero
                refused = "ZeroSharedSecret" in test["flags"] or test["result"] == "invalid"
                yield line(registry.symbol("X25519"), "agree", key=test["private"], in_=test["public"],
                           out=None if refused else test["shared"], result="fail" if refused else None)


def keys_of(text):
    """Returns {name: (algorithm, hex)} of the keys of an evp_test file."""
    keys = {}
    for name, body in re.findall(r"^(?:Private|Public)Key *= *(\S+)\n-----BEGIN[^\n]*\n(.*?)\n-----END", text, re.M | re.S):
        body = body.replace("\n", "")
        for prefix, algorithm in PREFIX.items():
            if body.startswith(prefix):
                keys[name] = algorithm, base64.b64decode(body)[-32:].hex()
    for name, algorithm, value in re.findall(r"^P\w+KeyRaw *= *([^:\s]+):(\w+):(\w+)$", text, re.M):
        keys[name] = algorithm.upper(), value
    return keys


def evp(text, registry):
    keys = keys_of(text)
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        try:
            yield from stanza(fields, keys, registry, [value for name, value in pairs if name == "ctrl"])
        except NotOurs as reason:
            yield f"skip {reason}"


def known(keys, name):
    if keys.get(name, ("",))[0] not in ("X25519", "ED25519"):
        raise NotOurs("a key of another curve")
    return keys[name]


def stanza(fields, keys, registry, controls):
    if fields.get("availablein") == "fips":
        raise NotOurs("a case of OpenSSL's FIPS provider")
    if "privpubkeypair" in fields and "result" in fields:
        raise NotOurs("a pair of keys that do not fit")
    if "privpubkeypair" in fields:
        private, public = (known(keys, name.strip()) for name in fields["privpubkeypair"].split(":"))
        yield line(registry.symbol(private[0]), "public", key=private[1], out=public[1])
    elif "derive" in fields and "sharedsecret" in fields:
        yield line(registry.symbol(known(keys, fields["derive"])[0]), "agree", key=known(keys, fields["derive"])[1],
                   in_=known(keys, fields["peerkey"])[1], out=fields["sharedsecret"].lower())
    elif "oneshotdigestsign" in fields or "oneshotdigestverify" in fields:
        yield signature(fields, known(keys, fields["key"]), registry, controls)
    elif {"sign", "verify", "derive"} & fields.keys():
        raise NotOurs("a case of OpenSSL's checks of calls")


def signature(fields, key, registry, controls):
    if fields.get("result", "") not in ("", "VERIFY_ERROR"):
        raise NotOurs("a case of OpenSSL's checks of calls")
    text = fields["input"]
    message = text.strip('"').encode().hex() if text.startswith('"') else text
    given = dict(control.split(":", 1) for control in controls)
    prehash = given.get("instance", "").lower() == "ed25519ph"
    if prehash:
        message = hashlib.sha512(bytes.fromhex(message)).hexdigest()
    return line(registry.symbol(key[0]), "sign" if "oneshotdigestsign" in fields else "verify", key=key[1], msg=message,
                info=given.get("hexcontext-string"), flags=2 if prehash else None, tag=fields["output"],
                result="fail" if "result" in fields else None)
