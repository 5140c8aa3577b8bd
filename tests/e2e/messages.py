#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages and keys that triple DES, Camellia, DES and AES key wrap protect, by the real openssl smime, cms, pkcs12,
pkcs8 and enc: what is written with the provider is read without it, and the other way round."""
import random

from common import Place, Tap

DES_CBC, EDE3_CBC, CAMELLIA_256_CBC = 0x0312, 0x031c, 0x0326
KW_128, KW_256, KWP_192 = 0x1101, 0x1103, 0x1112
RECIPIENTS = {"rsa": ("rsa:2048",), "ec": ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")}
# name, what writes "there" from "here", what reads it to its output, row that serves
PASS = "pass:word"
HEX = "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f"
SECRET = f"-secretkey {HEX} -secretkeyid 01"
CASES = (
    ("smime, triple DES", "smime -encrypt -binary -des3 -in here -out there rsa.pem",
     "smime -decrypt -in there -recip rsa.pem -inkey rsa.key", EDE3_CBC),
    # a recipient with an EC key gets the content's key wrapped by the content's cipher: DES3-WRAP
    ("cms to an EC key, triple DES", "cms -encrypt -binary -des3 -in here -out there -recip ec.pem",
     "cms -decrypt -in there -recip ec.pem -inkey ec.key", EDE3_CBC),
    ("cms, Camellia", "cms -encrypt -binary -camellia256 -in here -out there -recip rsa.pem",
     "cms -decrypt -in there -recip rsa.pem -inkey rsa.key", CAMELLIA_256_CBC),
    ("cms to an EC key, AES-128", "cms -encrypt -binary -aes128 -in here -out there -recip ec.pem",
     "cms -decrypt -in there -recip ec.pem -inkey ec.key", KW_128),
    ("cms to a key of 256 bits", f"cms -encrypt -binary -aes128 -in here -out there {SECRET}",
     f"cms -decrypt -in there {SECRET}", KW_256),
    ("enc -des3", f"enc -des3 -pbkdf2 -pass {PASS} -in here -out there",
     f"enc -d -des3 -pbkdf2 -pass {PASS} -in there", EDE3_CBC),
    ("enc -camellia256", f"enc -camellia256 -pbkdf2 -pass {PASS} -in here -out there",
     f"enc -d -camellia256 -pbkdf2 -pass {PASS} -in there", CAMELLIA_256_CBC),
    ("enc -des", f"enc -des -pbkdf2 -pass {PASS} -in here -out there",
     f"enc -d -des -pbkdf2 -pass {PASS} -in there", DES_CBC),
)
# The same of a message as short as a key.
SHORT = (
    ("enc -id-aes192-wrap-pad", f"enc -id-aes192-wrap-pad -K {HEX[:48]} -iv A65959A6 -in short -out there",
     f"enc -d -id-aes192-wrap-pad -K {HEX[:48]} -iv A65959A6 -in there", KWP_192),
)
# Key files in the same form: what is read is the key in the clear.
KEYS = (
    ("pkcs12, PBE of triple DES",
     f"pkcs12 -export -in rsa.pem -inkey rsa.key -out there -passout {PASS} -macalg SHA1 "
     "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES",
     f"pkcs12 -in there -passin {PASS} -nodes -nocerts", EDE3_CBC),
    ("pkcs8 -v2 des3", f"pkcs8 -topk8 -in rsa.key -out there -v2 des3 -passout {PASS}",
     f"pkey -in there -passin {PASS}", EDE3_CBC),
    ("rsa -des3", f"rsa -in rsa.key -out there -des3 -traditional -passout {PASS}",
     f"pkey -in there -passin {PASS}", EDE3_CBC),
)


def openssl(place, ours, words, row):
    out = place.run(ours, "openssl", *words.split())
    served = place.total("openssl")
    assert (row in served) == ours, f"openssl {words}: served {served}"
    return out


def clear(key):
    """Returns the key without the attributes that pkcs12 prints before it."""
    return key[key.index(b"-----BEGIN"):]


def check(place, write, read, row, want, only):
    for writer, reader in ((True, True), (True, False), (False, True)):
        openssl(place, writer, write, row)
        got = only(openssl(place, reader, read, row))
        assert got == want, f"{len(got)} bytes differ: written {writer}, read {reader}"


def main():
    tap, place = Tap(), Place()
    data = random.Random(3).randbytes(70001)
    place.write("here", data)
    for name, kind in RECIPIENTS.items():
        place.run(False, "openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-keyout", name + ".key",
                  "-out", name + ".pem", "-days", "2", "-subj", "/CN=" + name)
    key = place.run(False, "openssl", "pkey", "-in", "rsa.key")
    for name, write, read, row in CASES:
        if row == DES_CBC and not place.legacy:
            tap.skip(name, "no legacy provider to compare with")
            continue
        with tap.point(name):
            check(place, write, read, row, data, lambda out: out)
    place.write("short", data[:20])
    for name, write, read, row in SHORT:
        with tap.point(name):
            check(place, write, read, row, data[:20], lambda out: out)
    for name, write, read, row in KEYS:
        with tap.point(name):
            check(place, write, read, row, key, clear)
    with tap.point("openssl list"):
        text = place.run(True, "openssl", "list", "-cipher-algorithms").decode()
        for name in ("DES-EDE3-CBC", "DES-CBC", "DES3-WRAP", "DES-EDE3-CTR"):
            assert any(name in line and line.endswith("@ headrace") for line in text.splitlines()), name
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
