# SPDX-License-Identifier: Apache-2.0
"""An independent reader of a token's files, from docs/file-format.md alone, and its test.

usage: token_format.py SOURCE STORE    (STORE --make leaves a token, and prints its folder)
"""
import hashlib
import pathlib
import shutil
import struct
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(sys.argv[1], "tests")), str(pathlib.Path(sys.argv[1], "tests/cli"))]

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from file_format import argon2id
from tap import main, test

NONCE, SEAL = bytes(12), struct.Struct(">III32s32s48s")


def derive(label, salt, secret, data):
    both = HKDF(SHA256(), 64, salt, label + hashlib.sha256(data).digest()).derive(secret)
    return both[:32], both[32:]


def token_key(token, role, pin):
    at = {b"SO": 60, b"user": 184}[role]
    lanes, memory, passes, salt, check, sealed = SEAL.unpack_from(token, at)
    stretched = argon2id(pin, salt, lanes, memory, passes)
    key, expected = derive(b"headrace token " + role + b" PIN", salt, stretched, token[:60] + token[at:at + 12])
    assert check == expected, "wrong PIN"
    return AESGCM(key).decrypt(NONCE, sealed, None)


def read_token(token, role, pin):
    magic, version = struct.unpack_from(">8sI", token)
    assert (magic, version, len(token)) == (b"HRTOKEN\n", 1, 340)
    key = token_key(token, role, pin)
    assert derive(b"headrace token", bytes(32), key, token[:308])[1] == token[308:]
    return key


def read_object(data, identity, token, key):
    magic, version, of, public, private, salt, check = struct.unpack_from(">8sI16sII32s32s", data)
    assert (magic, version, of, len(data)) == (b"HROBJECT", 1, token[12:28], 116 + public + private)
    end = 100 + public
    own, expected = derive(b"headrace token object", salt, key, identity + data[:36] + data[100:end])
    assert check == expected
    secret = AESGCM(own).decrypt(NONCE, data[end:], None)
    assert AESGCM(own).encrypt(NONCE, secret, None) == data[end:]
    return data[100:end], secret


@test
def another_implementation_opens_a_token():
    made = subprocess.run([sys.argv[2], "--make"], stdout=subprocess.PIPE, check=True, text=True)
    folder = pathlib.Path(made.stdout.splitlines()[0])
    try:
        token = (folder / "token").read_bytes()
        key = read_token(token, b"user", b"1234")
        assert key == read_token(token, b"SO", b"the SO's")
        assert token[28:60] == b"a label".ljust(32, b"\0")
        assert (folder / "tries").read_bytes() == bytes(2)
        objects = [read_object(path.read_bytes(), bytes.fromhex(path.stem), token, key)
                   for path in folder.glob("*.object")]
        assert sorted((len(a), len(b)) for a, b in objects) == [(0, 0), (100, 50), (200, 100)]
        assert {path.name for path in folder.iterdir() if path.suffix != ".object"} == {"token", "tries", "changes"}
    finally:
        shutil.rmtree(folder)


main()
