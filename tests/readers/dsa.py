# SPDX-License-Identifier: Apache-2.0
"""dsa.py PROGRAM ROOT: published cases of DSA as lines for tests/pk/dsa.c, from the folder dsa of a collection:
Wycheproof's JSON, NIST's KeyPair, SigGen and SigVer files, and RFC 6979's keys and signatures as Crypto++ has them."""
import json
import os
import re
import sys

from lines import even, line, read_folder

SIZES = {(1024, 160), (2048, 224), (2048, 256), (3072, 256)}
DIGESTS = {"SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"}


def digest(name):
    name = re.sub(r"^SHA-?(?=\d)", "SHA-", name.upper())
    if name not in DIGESTS:
        raise KeyError(f"digest {name}")
    return name


def key_line(**parts):
    """A key, which is wrong if y has another order than q."""
    p, q, y = (int(parts[name], 16) for name in "pqy")
    return line("key", **{name: even(value) for name, value in parts.items()}, result="fail" if pow(y, q, p) != 1 else None)


# ---- Wycheproof ----

def wycheproof(text):
    for group in json.loads(text)["testGroups"]:
        key = group["publicKey"]
        yield key_line(**{name: key[name] for name in "pqgy"})
        for test in group["tests"]:
            # A number without its leading zero is negative, and no DER.
            fail = test["result"] == "invalid" or "MissingZero" in test["flags"]
            yield line("verify", digest=digest(group["sha"]), msg=test["msg"], out=test["sig"],
                       der=None if group["type"] == "DsaP1363Verify" else 1, result="fail" if fail else None)


# ---- NIST's response files ----

def nist(text):
    values = {}
    key_pairs = '"KeyPair"' in text[:200]
    for name, value in re.findall(r"^(\[mod|\w+) *= *(.*?)\]?\s*$", text, re.M):
        values[name] = value
        if name == "Y" and key_pairs:
            yield key_line(**{part: values[part.upper()] for part in "pqgyx"})
        if name == ("Result" if "SigVer" in text[:200] else "S"):
            half = 2 * len(bytes.fromhex(even(values["Q"])))
            yield key_line(**{part: values[part.upper()] for part in "pqgyx"})
            fail = values.get("Result", "P")[0] == "F"
            yield line("verify", digest=digest(values["[mod"].split(",")[-1].strip()), msg=even(values["Msg"]),
                       out=values["R"].zfill(half) + values["S"].zfill(half), result="fail" if fail else None)


# ---- Crypto++ ----

NAMES = {"Modulus": "p", "SubgroupOrder": "q", "SubgroupGenerator": "g", "PublicElement": "y", "PrivateExponent": "x"}
TESTS = {"Verify": "verify", "DeterministicSign": "sign"}


def cryptopp(text):
    key, values = {}, {}
    for name, value in re.findall(r"^(\w+): *((?:[^\n]*\\\n)*[^\n]*)$", text, re.M):
        value = re.sub(r"[\s\\]", "", value)
        if name == "AlgorithmType":
            key = {}
        values[name] = value
        if name in NAMES:
            key[NAMES[name]] = re.sub(r"[^0-9a-fA-F]", "", value)  # one has a stray letter
        if name == "Name":
            values["digest"] = digest(value.split("/")[-1])
        if name == "Test" and value in TESTS:
            yield key_line(**key)
            yield line(TESTS[value], digest=values["digest"], msg=even(values["Message"]), out=values["Signature"].lower())


# ---- files ----

def cases(text):
    if text.lstrip().startswith("{"):
        return wycheproof(text)
    if "PQGVer" in text[:200] or '"PQG' in text[:200]:
        return ["skip the generation of groups"]
    return nist(text) if "CAVS" in text[:100] else cryptopp(text)


if __name__ == "__main__":
    read_folder(os.path.join(sys.argv[2], "dsa"), cases)
