# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's evp_test files of SLH-DSA (FIPS 205)."""
import re

from neutral import NotOurs, line, stanzas

DETERMINISTIC, ENCODED = 1, 8  # enum hr_sign_flags


def takes(path, text):
    return bool(re.search(r"^(KeyGen|Sign-Message|Verify-Message-Public) = SLH-DSA-", text, re.M))


def read(path, text, registry):
    keys = {}
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        for name in ("privatekeyraw", "publickeyraw"):
            if name in fields:
                key, _, value = fields[name].split(":")
                keys[key] = value.lower()
        controls = dict(value.split(":", 1) for name, value in pairs if name in ("ctrl", "ctrlout"))
        try:
            yield from stanza(fields, keys, registry, controls)
        except NotOurs as reason:
            yield f"skip {reason}"


def stanza(fields, keys, registry, controls):
    if "keygen" in fields:
        yield line(registry.symbol(fields["keygen"]), "public", key=controls["hexseed"].lower(), out=controls["hexpub"].lower(),
                   tag=controls["hexpriv"].lower())
    for op, name in (("sign", "sign-message"), ("verify", "verify-message-public")):
        if name in fields:
            yield message(op, *fields[name].split(":"), fields, keys, registry, controls)


def message(op, algorithm, key, fields, keys, registry, controls):
    encoded = controls.get("message-encoding", "1") == "0"
    deterministic = op == "sign" and controls.get("deterministic") == "1"
    random = controls.get("hextest-entropy") if op == "sign" else None
    if op == "sign" and not deterministic and (not random or len(random) != 64):
        raise NotOurs("a signature with fewer than 32 random bytes")
    flags = DETERMINISTIC * deterministic + ENCODED * encoded
    return line(registry.symbol(algorithm), op, key=keys[key], msg=fields["input"], tag=fields["output"],
                info=None if encoded else controls.get("hexcontext-string") or None, flags=flags or None, iv=random,
                result="fail" if "result" in fields else None)
