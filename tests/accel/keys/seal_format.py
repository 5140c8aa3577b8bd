# SPDX-License-Identifier: Apache-2.0
"""An independent reader and writer of sealed key files, from docs/file-format.md alone."""
import functools
import hashlib
import os
import struct

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from file_format import argon2id

LINE, NONCE = 64, bytes(12)
stretch = functools.cache(argon2id)  # which takes as long as all else together


def hkdf(length, salt, key, info):
    return HKDF(SHA256(), length, salt, info).derive(key)


def check_of(key, salt, costs):
    return hkdf(32, salt, key, b"headrace sealing key" + struct.pack(">III", *costs))


class SealingKey:
    """costs: lanes, memory in KiB, passes."""

    def __init__(self, passphrase, costs=(1, 64, 1), salt=None):
        self.salt, self.costs = salt or os.urandom(32), costs
        self.key = stretch(passphrase, self.salt, *costs)
        self.line = "seal = {} {} {} ".format(*costs) + \
            f"{self.salt.hex()} {check_of(self.key, self.salt, costs).hex()}\n"

    def file(self):
        """The text of the service's file."""
        return f"{self.line}key = {self.key.hex()}\n"


def file_keys(key, salt, name, head):
    digest = hashlib.sha256(name.encode("ascii") + b"\0" + head.encode("ascii")).digest()
    both = hkdf(64, salt, key, b"headrace sealed key file" + digest)
    return both[:32], both[32:]


def seal(name, terms, private, sealing, salt=None):
    salt, head = salt or os.urandom(32), terms + sealing.line
    key, check = file_keys(sealing.key, salt, name, head)
    data = salt + check + AESGCM(key).encrypt(NONCE, private.encode("ascii"), None)
    return head + "".join(f"sealed = {data[i:i + LINE].hex()}\n" for i in range(0, len(data), LINE))


def unseal(name, text, passphrase):
    head, _, rest = text.partition("\nsealed = ")
    terms, _, line = head.rpartition("\n")
    words = line.split(" ")
    assert words[:2] == ["seal", "="] and len(words) == 7
    costs, salt, check = tuple(map(int, words[2:5])), bytes.fromhex(words[5]), bytes.fromhex(words[6])
    sealing = SealingKey(passphrase, costs, salt)
    assert check_of(sealing.key, salt, costs) == check, "wrong passphrase"
    lines = ("\nsealed = " + rest).split("\nsealed = ")[1:]
    data = b"".join(bytes.fromhex(digits) for digits in lines)
    key, check = file_keys(sealing.key, data[:32], name, head + "\n")
    assert data[32:64] == check, "changed terms"
    return terms + "\n" + AESGCM(key).decrypt(NONCE, data[64:], None).decode("ascii")
