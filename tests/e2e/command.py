#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""openssl dgst, enc and speed, and Python's hashlib and hmac: with the provider byte for byte what
they are without, and served by it."""
import random
import re

from common import Place, Tap, rows

KEY = "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f"
IV = "f0e0d0c0b0a0908070605040302010ff"
SIZES = (0, 1, 15, 16, 17, 4095, 4096, 100003)

HASHLIB = """
import hashlib, hmac, sys
data = sys.stdin.buffer.read()
for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_224", "sha512_256"):
    h = hashlib.new(name)
    for i in range(0, len(data), 777):
        h.update(data[i:i + 777])
    g = h.copy()
    g.update(b"more")
    print(name, h.hexdigest(), g.hexdigest(), hmac.new(b"key", data, name).hexdigest())
for name in ("sha256", "sha3_256"):
    print(hashlib.pbkdf2_hmac(name, b"password", b"salt", 1000).hex())
print(hashlib.scrypt(b"password", salt=b"salt", n=1024, r=8, p=1).hex())
"""
PBKDF2 = 0x0501


# Beginnings of cipher names, and how many hexadecimal digits key and IV have; the first that fits counts.
SHAPES = (("DES-EDE3", 48, 16), ("DES-EDE", 32, 16), ("DES", 16, 16), ("KASUMI", 32, 16),
          ("AES-128", 32, 32), ("AES-192", 48, 32), ("AES-256", 64, 32),
          ("CAMELLIA-128", 32, 32), ("CAMELLIA-192", 48, 32), ("CAMELLIA-256", 64, 32))
# Ciphers that OpenSSL does not have: there is nothing to compare with.
OURS_ALONE = re.compile("DES.*CTR|KASUMI")
SINGLE_DES = re.compile("DES-(ECB|CBC|CFB|OFB)")


def options(cipher):
    key, iv = next(shape[1:] for shape in SHAPES if cipher.startswith(shape[0]))
    return ["-K", KEY[:key]] + ([] if cipher.endswith("ECB") else ["-iv", IV[:iv]])


def enc(place, cipher, data):
    command = ["openssl", "enc", "-" + cipher.lower()] + options(cipher)
    alone = OURS_ALONE.match(cipher) or (SINGLE_DES.match(cipher) and not place.legacy)
    theirs = place.run(bool(alone), *command, data=data)
    if alone:
        assert place.run(True, *command, "-d", data=theirs) == data, "decryption differs"
        return
    assert not place.total(), "the default run was counted"
    ours = place.run(True, *command, data=data)
    assert ours == theirs, "ciphertexts differ"
    count = sum(size for _, size in place.total("openssl").values())
    assert count >= len(data), f"only {count} of {len(data)} bytes served"
    assert place.run(True, *command, "-d", data=theirs) == data, "decryption differs"
    count = sum(size for _, size in place.total("openssl").values())
    assert count >= len(data), f"only {count} bytes of the decryption served"


def dgst(place, digest, data):
    command = ["openssl", "dgst", "-" + digest.lower()]
    theirs = place.run(False, *command, data=data)
    ours = place.run(True, *command, data=data)
    assert ours == theirs, f"{ours} is not {theirs}"
    served = place.total("openssl")
    assert not data or any(size >= len(data) for _, size in served.values()), served


def speed(place, name):
    said = place.run(True, "sh", "-c", 'exec openssl speed "$@" 2>&1', "sh", "-seconds", "1", "-bytes",
                     "64", "-evp", name.lower()).decode()
    done = int(re.search(r"64 size blocks: (\d+) ", said).group(1))
    assert max(calls for calls, _ in place.total("openssl").values()) >= done > 0, "not served"


def python(place, data):
    command = ["/usr/bin/python3", "-I", "-c", HASHLIB]
    theirs = place.run(False, *command, data=data)
    ours = place.run(True, *command, data=data)
    assert ours == theirs, "hashlib or hmac differ"
    served = place.total()
    assert len(served) >= 6 and all(size for _, size in served.values()), served
    # scrypt's two derivations are PBKDF2, too; SHA-3 is the default provider's
    assert served.get(PBKDF2) == (3, 32 + 128 * 8 + 64), served


def main():
    tap, place = Tap(), Place()
    data = random.Random(1).randbytes(max(SIZES))
    ciphers, digests = rows(place)
    with tap.point("rows are offered"):
        assert len(ciphers) >= 12 and len(digests) >= 6, (ciphers, digests)
    for cipher in ciphers:
        if cipher[-3:] in ("GCM", "CCM", "XTS") or cipher.endswith("Poly1305") or "wrap" in cipher:
            continue  # the command has no place for a tag, and gives pieces where XTS wants units and wraps keys
        with tap.point("openssl enc -" + cipher):
            for size in SIZES:
                enc(place, cipher, data[:size])
    for digest in digests:
        with tap.point("openssl dgst -" + digest):
            for size in SIZES:
                dgst(place, digest, data[:size])
    for name in (ciphers[0], "AES-256-GCM", digests[0]):
        with tap.point("openssl speed -evp " + name):
            speed(place, name)
    with tap.point("python3 hashlib and hmac"):
        python(place, data)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
