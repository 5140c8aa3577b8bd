# SPDX-License-Identifier: Apache-2.0
"""An independent reader and writer of encrypted files, from docs/file-format.md alone.

usage: file_format.py KEYFILE <ENCRYPTED >TEXT, or with - for a KEYFILE: the passphrase is in $PASSPHRASE
"""
import os
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

try:  # in cryptography since its version 44
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    def argon2id(passphrase, salt, lanes, memory, passes):
        return Argon2id(salt=salt, length=32, iterations=passes, lanes=lanes, memory_cost=memory).derive(passphrase)
except ImportError:
    from argon2.low_level import Type, hash_secret_raw

    def argon2id(passphrase, salt, lanes, memory, passes):
        return hash_secret_raw(passphrase, salt, time_cost=passes, memory_cost=memory, parallelism=lanes,
                               hash_len=32, type=Type.ID, version=19)

MAGIC, LABEL = b"HEADRACE", b"headrace encrypted file"
FIELDS = struct.Struct(">8sHBBII32s")  # magic, version, kind, lanes, memory, passes, salt
CHECK, CHUNK, TAG = 32, 256 * 1024, 16
HEADER = FIELDS.size + CHECK
KEY_FILE, PASSPHRASE = 0, 1


class Refused(Exception):
    pass


def raw_key(content):
    """Returns the key of a key file's content: 32 bytes, or 64 hexadecimal digits and an end of line."""
    key = content if len(content) == 32 else bytes.fromhex(content.decode("ascii").rstrip("\r\n"))
    if len(key) != 32:
        raise Refused("key file")
    return key


def derive(fields, key, passphrase):
    """Returns the AEAD's key and the check value."""
    _, _, kind, lanes, memory, passes, salt = FIELDS.unpack(fields)
    if kind == PASSPHRASE:
        key = argon2id(passphrase, salt, lanes, memory, passes)
    both = HKDF(SHA256(), 64, salt, LABEL + fields).derive(key)
    return both[:32], both[32:]


def nonce(number, last):
    return struct.pack(">7xIB", number, last)


def decrypt(data, key=None, passphrase=None):
    fields, check, body = data[:FIELDS.size], data[FIELDS.size:HEADER], data[HEADER:]
    if len(data) < HEADER or fields[:8] != MAGIC:
        raise Refused("magic")
    _, version, kind, lanes, memory, passes, _ = FIELDS.unpack(fields)
    if version != 1 or kind not in (KEY_FILE, PASSPHRASE):
        raise Refused("version or kind")
    if kind == KEY_FILE and (lanes, memory, passes) != (0, 0, 0):
        raise Refused("costs of a key file")
    if kind == PASSPHRASE and not (1 <= lanes <= 16 and 1 <= passes <= 16 and 8 * lanes <= memory <= 1 << 18):
        raise Refused("costs out of bounds")
    aead_key, expected = derive(fields, key, passphrase)
    if check != expected:
        raise Refused("check: wrong key or changed header")
    text, aead = [], AESGCM(aead_key)
    pieces = [body[i:i + CHUNK + TAG] for i in range(0, len(body), CHUNK + TAG)]
    if not pieces or (len(pieces) > 1 and len(pieces[-1]) <= TAG):
        raise Refused("truncated")
    for number, piece in enumerate(pieces):
        try:
            text.append(aead.decrypt(nonce(number, number == len(pieces) - 1), piece, None))
        except InvalidTag:
            raise Refused(f"chunk {number}") from None
    return b"".join(text)


def encrypt(text, key=None, passphrase=None, costs=(1, 64, 1), salt=None):
    """Encrypts a text under a key or a passphrase. costs: lanes, memory in KiB, passes."""
    kind = KEY_FILE if key else PASSPHRASE
    fields = FIELDS.pack(MAGIC, 1, kind, *((0, 0, 0) if key else costs), salt or os.urandom(32))
    aead_key, check = derive(fields, key, passphrase)
    pieces = [text[i:i + CHUNK] for i in range(0, len(text), CHUNK)] or [b""]
    aead = AESGCM(aead_key)
    return fields + check + b"".join(aead.encrypt(nonce(number, number == len(pieces) - 1), piece, None)
                                     for number, piece in enumerate(pieces))


if __name__ == "__main__":
    FILE = None if sys.argv[1] == "-" else raw_key(open(sys.argv[1], "rb").read())
    sys.stdout.buffer.write(decrypt(sys.stdin.buffer.read(), FILE, os.environb.get(b"PASSPHRASE")))
