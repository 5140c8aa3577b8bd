# SPDX-License-Identifier: Apache-2.0
"""dh.py PROGRAM ROOT: published cases of Diffie and Hellman's agreement as lines for tests/pk/dh.c, from the folder dh of a
collection: RFC 5114's groups and OpenSSL's evppkey files."""
import base64
import os
import re
import sys

from lines import elements, even, line, read_folder


# ---- RFC 5114, in the form of NIST's response files ----

def nist(text):
    values = {}
    for name, value in re.findall(r"^(\w+) *= *(\S*)", text, re.M):
        values[name] = even(value) if re.fullmatch(r"[0-9A-Fa-f]+", value) else value
        if name == "Result":
            numbers = {part: values[part.upper()] for part in "pqg"}
            fail = None if value == "P" else "fail"
            yield line("key", **numbers, x=values["XstatIUT"], y=values["YstatIUT"])
            yield line("agree", peer=values["YstatCAVS"], out=values["Z"], result=fail)
            yield line("key", **numbers, x=values["XstatCAVS"], y=values["YstatCAVS"])
            yield line("agree", peer=values["YstatIUT"], out=values["Z"], result=fail)


# ---- OpenSSL's evppkey files ----

def key_of_der(data):
    """The group's p and g, and the private or public number, of a PKCS#8 key or a SubjectPublicKeyInfo."""
    parts = list(elements(next(elements(data))[1]))
    algorithm = next(content for tag, content in parts if tag == 0x30)
    group = list(elements(list(elements(algorithm))[1][1]))
    number = next((content for tag, content in parts if tag == 4), None) or parts[-1][1][1:]
    return [content.hex() for _, content in group[:2]] + [next(elements(number))[1].hex()]


def evp(text):
    keys, publics = {}, {}
    for name, body in re.findall(r"^(?:Private|Public)Key ?= ?(\S+)\n-----BEGIN[^\n]*-----\n(.*?)-----END", text, re.M | re.S):
        keys[name] = key_of_der(base64.b64decode(body))
    for block in re.split(r"\n\s*\n", text):
        fields = re.findall(r"^(\w+) *= *(.*?)\s*$", block, re.M)
        words = dict(field for field in fields if field[0] != "Ctrl")
        controls = [value for name, value in fields if name == "Ctrl"]
        if "PrivPubKeyPair" in words:
            publics.update([words["PrivPubKeyPair"].split(":")])
        if "Derive" not in words:
            continue
        if "Result" in words or any(not control.startswith("dh_pad:") for control in controls):
            yield "skip a key derivation"
            continue
        p, g, x = keys[words["Derive"]]
        group = words["Derive"].split("-")[0]
        yield line("key", group=group, p=p, g=g, x=x, y=keys[publics[words["Derive"]]][2])
        yield line("agree", peer=keys[words["PeerKey"]][2], out=words["SharedSecret"].lower(),
                   unpadded=None if "dh_pad:1" in controls else 1)


# ---- files ----

def cases(text):
    return (evp if "OpenSSL Project" in text[:200] else nist)(text)


if __name__ == "__main__":
    read_folder(os.path.join(sys.argv[2], "dh"), cases)
