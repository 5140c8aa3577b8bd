# SPDX-License-Identifier: Apache-2.0
"""KASUMI, f8 and f9 of 3GPP TS 35.201 and 35.202, slow and plain, for answers to compare with.

S7 and S9 are read from lib/kasumi/kasumi_tables.h, which prints the tables of TS 35.202."""
import pathlib
import re

TABLES = pathlib.Path(__file__).resolve().parents[2] / "lib/kasumi/kasumi_tables.h"
S7, S9 = ([int(x) for x in re.findall(r"\d+", body)]
          for body in re.findall(r"_table\[\d+\] = \{([^}]*)", TABLES.read_text(encoding="ascii")))
CONSTANTS = 0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210


def rol(x, n):
    return (x << n | x >> (16 - n)) & 0xffff


def fi(x, key):
    left, right = x >> 7, x & 127
    left, right = right, S9[left] ^ right
    left, right = right ^ key & 511, S7[left] ^ right & 127 ^ key >> 9
    left, right = right, S9[left] ^ right
    return (S7[left] ^ right & 127) << 9 | right


def fl(x, key):
    left, right = x >> 16, x & 0xffff
    right ^= rol(left & key[0], 1)
    left ^= rol(right | key[1], 1)
    return left << 16 | right


def fo(x, additions, keys):
    left, right = x >> 16, x & 0xffff
    for add, key in zip(additions, keys):
        left, right = right, fi(left ^ add, key) ^ right
    return left << 16 | right


class Kasumi:
    def __init__(self, key, modifier=0):
        k = [int.from_bytes(key[i:i + 2], "big") ^ modifier for i in range(0, 16, 2)] * 2
        other = [a ^ b for a, b in zip(k, CONSTANTS * 2)]
        self.rounds = [((rol(k[i], 1), other[i + 2]), (rol(k[i + 1], 5), rol(k[i + 5], 8), rol(k[i + 6], 13)),
                        (other[i + 4], other[i + 3], other[i + 7])) for i in range(8)]

    def encrypt(self, x):
        left, right = x >> 32, x & 0xffffffff
        for i, (kl, ko, ki) in enumerate(self.rounds):
            f = fl(fo(left, ko, ki), kl) if i % 2 else fo(fl(left, kl), ko, ki)
            left, right = right ^ f, left
        return left << 32 | right

    def decrypt(self, x):
        left, right = x >> 32, x & 0xffffffff
        for i, (kl, ko, ki) in reversed(list(enumerate(self.rounds))):
            f = fl(fo(right, ko, ki), kl) if i % 2 else fo(fl(right, kl), ko, ki)
            left, right = right, left ^ f
        return left << 32 | right


def blocks(data):
    return [int.from_bytes(data[i:i + 8], "big") for i in range(0, len(data), 8)]


def ecb(key, data, decrypt):
    cipher = Kasumi(key)
    return b"".join((cipher.decrypt if decrypt else cipher.encrypt)(x).to_bytes(8, "big") for x in blocks(data))


def f8(key, iv, data):
    cipher, a, stream, last = Kasumi(key), Kasumi(key, 0x5555).encrypt(*blocks(iv)), b"", 0
    for n in range((len(data) + 7) // 8):
        last = cipher.encrypt(a ^ n ^ last)
        stream += last.to_bytes(8, "big")
    return bytes(x ^ y for x, y in zip(data, stream))


def f9(key, nonce, data):
    """Returns f9 of whole bytes; nonce is COUNT, FRESH, and DIRECTION in the lowest bit of a byte."""
    string = nonce[:8] + data + bytes([(nonce[8] & 1) << 7 | 0x40])
    cipher, a, b = Kasumi(key), 0, 0
    for x in blocks(string + bytes(-len(string) % 8)):
        a = cipher.encrypt(a ^ x)
        b ^= a
    return (Kasumi(key, 0xaaaa).encrypt(b) >> 32).to_bytes(4, "big")
