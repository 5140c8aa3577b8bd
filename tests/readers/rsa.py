# SPDX-License-Identifier: Apache-2.0
"""rsa.py PROGRAM ROOT: published cases of RSA as lines for tests/pk/rsa.c, from the folder rsa of a collection:
Wycheproof's JSON, NIST's SigGen and SigVer files, RSA Laboratories' vectors, and OpenSSL's evppkey files."""
import base64
import json
import os
import re
import sys

from lines import elements, even, line, read_folder

DIGESTS = {"SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/224", "SHA-512/256", "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512",
           "MD5"}
NAMES = ("n", "e", "d", "p", "q", "dp", "dq", "qinv")
SALTS = {"digest": -1, "max": -2, "auto": -3}


def digest(name):
    name = re.sub(r"^SHA(?:2-|-)?(?!3-)(?=\d)", "SHA-", name.upper())
    if name not in DIGESTS:
        raise KeyError(f"digest {name}")
    return name


def as_hex(number):
    return even(f"{number:x}")


def key_line(numbers):
    """A key of n, e, d, p and q; the other parts are computed."""
    if len(numbers) == 2:
        return line("key", **dict(zip(NAMES, map(as_hex, numbers))))
    n, e, d, p, q = numbers[:5]
    return line("key", **dict(zip(NAMES, map(as_hex, (n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))))))


# ---- DER ----

def key_of_der(data):
    """The numbers of a PKCS#1 or PKCS#8 private key, or of a SubjectPublicKeyInfo."""
    parts = list(elements(next(elements(data))[1]))
    octets = [content for tag, content in parts if tag == 4]
    bits = [content for tag, content in parts if tag == 3]
    if any(tag == 0x30 for tag, _ in parts):
        algorithm = next(content for tag, content in parts if tag == 0x30)
        if next(elements(algorithm))[1] != bytes.fromhex("2a864886f70d010101"):
            return None
    if octets:
        return key_of_der(octets[0])
    if bits:
        return key_of_der(bits[0][1:])
    numbers = [int.from_bytes(content, "big") for tag, content in parts if tag == 2]
    return numbers if len(numbers) == 2 else numbers[1:]


def small_enough(numbers):
    return 1024 <= numbers[0].bit_length() <= (4096 if len(numbers) > 2 else 16384)


# ---- Wycheproof ----

def wycheproof(text):
    document = json.loads(text)
    for group in document["testGroups"]:
        kind = group["type"]
        if kind not in KINDS:
            yield f"skip {kind}"
            continue
        private = "privateKeyPkcs8" in group
        der = group.get("privateKeyPkcs8") or group.get("publicKeyAsn")
        yield key_line(key_of_der(bytes.fromhex(der)))
        for test in group["tests"]:
            yield from KINDS[kind](group, test, "fail" if test["result"] == "invalid" else None)


def pkcs1_signature(group, test, result):
    weak = test["result"] == "acceptable" and "MissingNull" in test["flags"]
    yield line("verify", pad="pkcs1", digest=digest(group["sha"]), msg=test["msg"], out=test["sig"], result="fail" if weak else result)


def pkcs1_generate(group, test, result):
    yield line("sign", pad="pkcs1", digest=digest(group["sha"]), msg=test["msg"], out=test["sig"], result=result)


def pss_signature(group, test, result):
    yield line("verify", pad="pss", digest=digest(group["sha"]), mgf=digest(group["mgfSha"]), salt=group["sLen"], msg=test["msg"],
               out=test["sig"], result=result)


def oaep(group, test, result):
    yield line("decrypt", pad="oaep", digest=digest(group["sha"]), mgf=digest(group["mgfSha"]), label=test["label"], in_=test["ct"],
               out=test["msg"], result=result)


def pkcs1_decrypt(group, test, result):
    yield line("decrypt", pad="pkcs1", strict=1, in_=test["ct"], out=test["msg"], result=result)


KINDS = {"RsassaPkcs1Verify": pkcs1_signature, "RsassaPkcs1Generate": pkcs1_generate, "RsassaPssVerify": pss_signature,
         "RsaesOaepDecrypt": oaep, "RsaesPkcs1Decrypt": pkcs1_decrypt}


# ---- NIST's response files ----

def nist(text):
    pss = "PSS" in text.split("[mod", 1)[0]
    salt = re.search(r"Salt len: (\d+)", text)
    values = {}
    for name, value in re.findall(r"^(\w+) *= *(\S*)", text, re.M):
        if name == "S":
            values["S"] = value
            values["key"] = key_line([int(values["n"], 16), int(values["e"], 16)])
        else:
            values[name] = value
        if name == ("Result" if "SigVer" in text else "S"):
            yield values["key"]
            yield line("verify", pad="pss" if pss else "pkcs1", digest=digest(values["SHAAlg"]), salt=salt.group(1) if pss else None,
                       msg=even(values["Msg"]), out=even(values["S"]), result="fail" if values.get("Result", "P")[0] == "F" else None)


# ---- RSA Laboratories ----

FIELD = re.compile(r"^# ([^\n]*): *\n((?:[0-9a-f]{2}[ \n]*)+)", re.M)
LABS = {"RSA modulus n": 0, "RSA public exponent e": 1, "RSA private exponent d": 2, "Prime p": 3, "Prime q": 4, "Modulus": 0,
        "Public exponent": 1, "Exponent": 2, "Prime 1": 3, "Prime 2": 4}


def laboratories(text):
    numbers, values = {}, {}
    oaep_text, pss_text = "RSA-OAEP" in text[:200], "RSA-PSS" in text[:200]
    for name, value in FIELD.findall(text):
        value = re.sub(r"\s", "", value)
        name = name.strip()
        if name in LABS:
            if LABS[name] == 0:
                numbers = {}
            numbers[LABS[name]] = int(value, 16)
            if len(numbers) == 5:
                yield key_line([numbers[i] for i in range(5)])
            continue
        values[re.sub(r" .*", "", name.lower().replace("to be ", ""))] = value
        if name == "Encryption":
            if oaep_text:
                yield line("encrypt", pad="oaep", in_=values["message"], random=values["seed"], out=value)
                yield line("decrypt", pad="oaep", in_=value, out=values["message"])
            else:
                yield line("encrypt", pad="pkcs1", in_=values["message"], random=values["seed"], out=value)
                yield line("decrypt", pad="pkcs1", in_=value, out=values["message"])
        if name == "Signature" and pss_text:
            yield line("sign", pad="pss", digest="SHA-1", salt=20, random=values["salt"], msg=values["message"], out=value)
            yield line("verify", pad="pss", digest="SHA-1", salt=20, msg=values["message"], out=value)


# ---- OpenSSL's evppkey files ----

PADDINGS = {"pkcs1": "pkcs1", "pss": "pss", "oaep": "oaep", "none": "none"}
OPERATIONS = {"Sign": "sign", "Verify": "verify", "VerifyRecover": "recover", "Decrypt": "decrypt"}


def evp(text):
    keys = {}
    for name, body in re.findall(r"^(?:Private|Public)Key ?= ?(\S+)\n-----BEGIN[^\n]*-----\n(.*?)-----END", text, re.M | re.S):
        try:
            keys[name] = key_of_der(base64.b64decode(body))
        except StopIteration:
            keys[name] = None
    for block in re.split(r"\n\s*\n", text):
        fields = re.findall(r"^(\w+) *= *(.*?)\s*$", block, re.M)
        if not fields or not any(name in OPERATIONS for name, _ in fields):
            continue
        try:
            yield from evp_case(fields, keys)
        except (KeyError, ValueError) as error:
            yield f"skip {error}"


def evp_case(fields, keys):
    words = dict(field for field in fields if field[0] != "Ctrl")
    operation = next(name for name, _ in fields if name in OPERATIONS)
    numbers = keys[words[operation]]
    if not numbers or not small_enough(numbers):
        raise ValueError("a key that is not for us")
    controls = dict(value.split(":", 1) for name, value in fields if name == "Ctrl")
    pad = PADDINGS[controls.pop("rsa_padding_mode", "pkcs1")]
    options = {"pad": pad, "digest": controls.pop("digest", None), "mgf": controls.pop("rsa_mgf1_md", None),
               "label": controls.pop("rsa_oaep_label", None)}
    if "rsa_oaep_md" in controls:
        options["digest"] = controls.pop("rsa_oaep_md")
    salt = controls.pop("rsa_pss_saltlen", "digest" if operation == "Sign" else "auto")
    options["salt"] = SALTS.get(salt, salt) if pad == "pss" else None
    if controls or "Securitycheck" in words or "Availablein" in words and "fips" in words["Availablein"]:
        raise ValueError("controls of another kind")
    result = words.get("Result")
    if operation in ("Sign", "Decrypt") and len(numbers) == 2:
        raise ValueError("a public key")
    if pad == "pss":
        options["digest"] = options["digest"] or "SHA-1"
    for name in ("digest", "mgf"):
        options[name] = options[name] and digest(options[name])
    if pad == "oaep" and options["mgf"] is None:
        options["mgf"] = options["digest"]
    case = {"in_": text_of(words["Input"]), "out": text_of(words.get("Output", '""'))}
    if result and not re.match(r"(VERIFY_ERROR|KEYOP_ERROR)$", result):
        raise ValueError(f"result {result}")
    if operation == "Decrypt" and pad == "pkcs1" and result:
        raise ValueError("no implicit rejection")
    yield key_line(numbers)
    yield line(OPERATIONS[operation], **options, **case, result="fail" if result else None)


def text_of(value):
    return value[1:-1].encode().hex() if value.startswith('"') else value.lower()


# ---- files ----

def cases(text):
    if text.lstrip().startswith("{"):
        return wycheproof(text)
    if '"KeyGen' in text[:400]:
        return ["skip made by a generator of NIST's"]
    if "CAVS" in text[:100]:
        return nist(text)
    if "OpenSSL Project" in text[:200]:
        return evp(text)
    return laboratories(text)


if __name__ == "__main__":
    read_folder(os.path.join(sys.argv[2], "rsa"), cases)
