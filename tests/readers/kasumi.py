# SPDX-License-Identifier: Apache-2.0
"""KASUMI: 3GPP's test sets as `NAME = value` stanzas (ALG says what), Botan's [KASUMI], and intel-ipsec-mb's JSON, in
which f9's message may be the whole string of TS 35.201: COUNT, FRESH, the message, DIRECTION, a one and zeros."""
import json
import re

from neutral import line, stanzas


def takes(path, text):
    return bool(re.search(r"^ALG\s*=\s*(KASUMI|F8|F9|A5/3|GEA3|UEA1|UIA1)\s*$", text, re.M) or re.search(r"^\[KASUMI\]", text, re.M)
                or re.search(r'"algorithm"\s*:\s*"KASUMI', text))


def read(path, text, registry):
    registry.symbol("KASUMI-F9")
    if text.lstrip().startswith("{"):
        for group in json.loads(text)["testGroups"]:
            for test in group["tests"]:
                yield json_case(test)
        return
    for _, pairs in stanzas(text, "="):
        fields = dict(pairs)
        if "key" in fields or "kc" in fields:
            alg = fields.get("alg", "KASUMI")
            if alg in STANZAS:
                yield from STANZAS[alg](fields)
            else:
                yield f"skip {alg} is not in the registry"


def json_case(test):
    if "ct" in test and test["result"] != "valid":
        return "skip a cipher without a tag cannot refuse a text"
    result = "fail" if test["result"] == "invalid" else None
    if "ct" in test:
        return line("kasumi_f8", "both", key=test["key"], iv=test["iv"], in_=test["msg"], out=test["ct"])
    if len(test["iv"]) == 18:  # DIRECTION, COUNT, FRESH
        return line("kasumi_f9", "nmac", key=test["key"], iv=test["iv"][2:] + test["iv"][:2], msg=test["msg"], out=test["tag"],
                    result=result)
    if result:
        return "skip a message of bits with a wrong MAC"
    bits = "".join(f"{int(digit, 16):04b}" for digit in test["msg"]).rstrip("0")[64:-1]
    message = bits[:-1]
    data = "".join(f"{int(message[i:i + 8].ljust(8, '0'), 2):02x}" for i in range(0, len(message), 8))
    return line("kasumi_f9", "bits", key=test["key"], iv=test["msg"][:16] + "0" + bits[-1], msg=data, size=len(message),
                out=test["tag"])


def block(fields):
    plain = fields.get("plaintext") or fields["in"]
    out = fields.get("output") or fields["out"]
    if fields.get("iterations", "1") == "1":
        yield line("kasumi_ecb", "both", key=fields["key"], in_=plain, out=out)
    else:
        yield line("kasumi_ecb", "repeat", key=fields["key"], in_=plain, out=out, iterations=fields["iterations"])


def f8(fields):
    parameters = int(fields["bearer"], 16) << 3 | int(fields["direction"]) << 2
    yield line("kasumi_f8", "bits", key=fields["key"], iv=f"{fields['f8count']}{parameters:02x}000000",
               in_=fields["plaintext"], size=fields["length"], out=fields["output"])


def f9(fields):
    yield line("kasumi_f9", "bits", key=fields["key"], iv=f"{fields['f9count']}{fields['fresh']}0{fields['direction']}",
               msg=fields["message"], size=fields["length"], out=fields["output"])


def a53(fields):
    yield line("kasumi_f8", "a53", key=fields["kc"], iv="00" + fields["framecount"], out=fields["block1"] + fields["block2"])


def gea3(fields):
    yield line("kasumi_f8", "gea3", key=fields["kc"], iv=fields["input"] + "0" + fields["direction"], out=fields["output"])


STANZAS = {"KASUMI": block, "F8": f8, "F9": f9, "A5/3": a53, "GEA3": gea3, "UEA1": f8, "UIA1": f9}
