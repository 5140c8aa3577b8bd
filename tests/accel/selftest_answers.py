# SPDX-License-Identifier: Apache-2.0
"""selftest_answers.py DEF: the known answers of accel/service/selftest.def, by Python's hashlib, the library cryptography, and
for what these have not a few lines of Python.

Prints the file's lines, or compares: exit status 1 where DEF differs, 77 where the library is missing."""
import hashlib
import hmac
import sys
import zlib

import kasumi

try:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, ChaCha20Poly1305
    from cryptography.hazmat.primitives.cmac import CMAC
    from cryptography.hazmat.primitives.poly1305 import Poly1305
    try:
        from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
    except ImportError:
        CFB, OFB = modes.CFB, modes.OFB
    try:
        from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    except ImportError:
        TripleDES = algorithms.TripleDES
    try:
        from cryptography.hazmat.decrepit.ciphers.algorithms import Camellia
    except ImportError:
        Camellia = algorithms.Camellia
except ImportError:
    sys.exit(77)

MESSAGES = 40
IN = bytes((i * 167 + (i >> 8) * 31 + 13) & 255 for i in range(4608))
KEY = bytes((i * 73 + 5) & 255 for i in range(64))
IV = bytes([1, 2, 3, 4]) + b"\xff" * 12
LENGTHS = [i * i // 4 for i in range(34)] + [(64 << k) + (0 if k % 2 else 69 * k) for k in range(1, MESSAGES - 33)]


def fold(outputs):
    return int.from_bytes(hashlib.sha256(b"".join(outputs)).digest()[:8], "big")


def digests(new):
    return fold(new(IN[:n]) for n in LENGTHS), 0


def macs(name):
    length = hashlib.new(name).digest_size
    return (fold(hmac.new(KEY[:32], IN[:n], name).digest() for n in LENGTHS),
            fold(hashlib.pbkdf2_hmac(name, IN[:i + 1], IN[:8], 3, length) for i in range(MESSAGES)))


def ciphers(make, lengths=None):
    both = []
    for direction in "encryptor", "decryptor":
        outputs = []
        for n in lengths or LENGTHS:
            context = getattr(make(), direction)()
            outputs.append(context.update(IN[:n]) + context.finalize())
        both.append(fold(outputs))
    return tuple(both)


def counters(cipher, iv):
    """Folds CTR under any block cipher: the key stream is made of encrypted counter blocks."""
    keystream = Cipher(cipher, modes.ECB()).encryptor()
    unit, first = len(iv), int.from_bytes(iv, "big")
    outputs = []
    for n in LENGTHS:
        blocks = b"".join(((first + i) % (1 << 8 * unit)).to_bytes(unit, "big") for i in range((n + unit - 1) // unit))
        outputs.append(bytes(a ^ b for a, b in zip(IN[:n], keystream.update(blocks))))
    return (fold(outputs),) * 2


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def padded(data):
    return data + bytes(-len(data) % 16)


def gcm(cipher, nonce, data, aad):
    """Returns text and tag of GCM (SP 800-38D) over any cipher with blocks of 16 bytes."""
    encrypt = Cipher(cipher, modes.ECB()).encryptor().update
    h = int.from_bytes(encrypt(bytes(16)), "big")
    stream = encrypt(b"".join(nonce + (i + 1).to_bytes(4, "big") for i in range((len(data) + 15) // 16 + 1)))
    out, y = xor(data, stream[16:]), 0
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(out)).to_bytes(8, "big")
    text = padded(aad) + padded(out) + lengths
    for at in range(0, len(text), 16):
        x, y, v = y ^ int.from_bytes(text[at:at + 16], "big"), 0, h
        for i in range(127, -1, -1):
            y ^= v if x >> i & 1 else 0
            v = v >> 1 ^ (0xe1 << 120 if v & 1 else 0)
    return out + xor(y.to_bytes(16, "big"), stream)


def ccm(cipher, nonce, data, aad):
    """Returns text and tag of CCM (RFC 3610) over any cipher with blocks of 16 bytes: a tag of 16 bytes, a nonce
    of 12 and a length field of 3."""
    encrypt = Cipher(cipher, modes.ECB()).encryptor().update
    stream = encrypt(b"".join(b"\2" + nonce + i.to_bytes(3, "big") for i in range((len(data) + 15) // 16 + 1)))
    text = b"\x7a" + nonce + len(data).to_bytes(3, "big") + padded(len(aad).to_bytes(2, "big") + aad) + padded(data)
    tag = Cipher(cipher, modes.CBC(bytes(16))).encryptor().update(text)[-16:]
    return xor(data, stream[16:]) + xor(tag, stream)


def crc(polynomial):
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
        table.append(value)

    def compute(data):
        value = 0xffffffff
        for byte in data:
            value = value >> 8 ^ table[(value ^ byte) & 255]
        return (value ^ 0xffffffff).to_bytes(4, "big")
    return compute


def ipsum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(data[i:i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return (total ^ 0xffff).to_bytes(2, "big")


def poly1305_aes(data):
    key = Cipher(algorithms.AES(KEY[:16]), modes.ECB()).encryptor()
    return Poly1305.generate_tag(KEY[16:32] + key.update(IV), data)


def retail_mac(data, pad):
    """Returns the MAC of ISO/IEC 9797-1, algorithm 3: DES with K, and triple DES with K, K', K for the last block."""
    data += pad + bytes(-len(data + pad) % 8)
    data = data or bytes(8)
    chain = Cipher(TripleDES(KEY[:8] * 3), modes.CBC(bytes(8))).encryptor().update(data)[-16:-8]
    last = Cipher(TripleDES(KEY[:16] + KEY[:8]), modes.CBC(chain or bytes(8))).encryptor()
    return last.update(data[-8:])


def des_mac(data):
    """Returns the MAC of FIPS 113: half of the last block of DES in CBC mode."""
    data = data + bytes(-len(data) % 8) or bytes(8)
    return Cipher(TripleDES(KEY[:8] * 3), modes.CBC(bytes(8))).encryptor().update(data)[-8:-4]


def cmac(cipher, data):
    context = CMAC(cipher)
    context.update(data)
    return context.finalize()


def answers():
    for name in "sha224 sha256 sha384 sha512 sha512_224 sha512_256 md5 sha1 sha3_224 sha3_256 sha3_384 sha3_512".split():
        yield name, digests(lambda data, name=name: hashlib.new(name, data).digest())
    assert crc(0xedb88320)(b"abc") == zlib.crc32(b"abc").to_bytes(4, "big")
    yield "crc32", digests(crc(0xedb88320))
    yield "crc32c", digests(crc(0x82f63b78))
    yield "ipsum", digests(ipsum)
    for name in "sha224 sha256 sha384 sha512 sha512_224 sha512_256 md5 sha1".split():
        yield "hmac_" + name, macs(name)
    blocks = [n & ~15 for n in LENGTHS]
    for mode, make, lengths in (("ecb", modes.ECB, blocks), ("cbc", lambda: modes.CBC(IV), blocks),
                                ("cfb128", lambda: CFB(IV), None), ("ctr", lambda: modes.CTR(IV), None)):
        for bits in 128, 192, 256:
            yield f"aes_{bits}_{mode}", ciphers(lambda: Cipher(algorithms.AES(KEY[:bits // 8]), make()), lengths)
    for name, aead in ("gcm", AESGCM), ("ccm", AESCCM):
        for bits in 128, 192, 256:
            key = aead(KEY[:bits // 8])
            yield f"aes_{bits}_{name}", (fold(key.encrypt(IV[:12], IN[:n], IN[:20]) for n in LENGTHS), 0)
    key = ChaCha20Poly1305(KEY[:32])
    yield "chacha20_poly1305", (fold(key.encrypt(IV[:12], IN[:n], IN[:20]) for n in LENGTHS), 0)
    for bits in 128, 192, 256:
        key = AESGCM(KEY[:bits // 8])
        yield f"aes_{bits}_gmac", (fold(key.encrypt(IV[:12], b"", IN[:n]) for n in LENGTHS), 0)
    yield "poly1305", digests(lambda data: Poly1305.generate_tag(KEY[:32], data))
    yield "poly1305_aes", digests(poly1305_aes)
    for bits in 128, 256:
        yield f"aes_{bits}_xts", ciphers(lambda: Cipher(algorithms.AES(KEY[:bits // 4]), modes.XTS(IV)),
                                         [n + 16 for n in LENGTHS])
    blocks = [n & ~7 for n in LENGTHS]
    for name, key in ("des", KEY[:8] * 3), ("des_ede2", KEY[:16] + KEY[:8]), ("des_ede3", KEY[:24]):
        for mode, make, lengths in (("ecb", modes.ECB, blocks), ("cbc", lambda: modes.CBC(IV[:8]), blocks),
                                    ("cfb64", lambda: CFB(IV[:8]), None), ("ofb", lambda: OFB(IV[:8]), None)):
            yield f"{name}_{mode}", ciphers(lambda: Cipher(TripleDES(key), make()), lengths)
        yield f"{name}_ctr", counters(TripleDES(key), IV[:8])
    blocks = [n & ~15 for n in LENGTHS]
    for mode, make, lengths in (("ecb", modes.ECB, blocks), ("cbc", lambda: modes.CBC(IV), blocks),
                                ("cfb128", lambda: CFB(IV), None)):
        for bits in 128, 192, 256:
            yield f"camellia_{bits}_{mode}", ciphers(lambda: Cipher(Camellia(KEY[:bits // 8]), make()), lengths)
    for bits in 128, 192, 256:
        yield f"camellia_{bits}_ctr", counters(Camellia(KEY[:bits // 8]), IV)
    for name, aead, aes in ("gcm", gcm, AESGCM), ("ccm", ccm, AESCCM):
        assert aead(algorithms.AES(KEY[:16]), IV[:12], IN[:50], IN[:20]) == aes(KEY[:16]).encrypt(IV[:12], IN[:50], IN[:20])
        for bits in 128, 192, 256:
            cipher = Camellia(KEY[:bits // 8])
            yield f"camellia_{bits}_{name}", (fold(aead(cipher, IV[:12], IN[:n], IN[:20]) for n in LENGTHS), 0)
    blocks = [n & ~7 for n in LENGTHS]
    yield "kasumi_ecb", tuple(fold(kasumi.ecb(KEY[:16], IN[:n], decrypt) for n in blocks) for decrypt in (0, 1))
    yield "kasumi_f8", (fold(kasumi.f8(KEY[:16], IV[:8], IN[:n]) for n in LENGTHS),) * 2
    yield "kasumi_f9", digests(lambda data: kasumi.f9(KEY[:16], IV[:9], data))
    for name, cipher in (("aes_128", algorithms.AES(KEY[:16])), ("aes_192", algorithms.AES(KEY[:24])),
                         ("aes_256", algorithms.AES(KEY[:32])), ("des_ede2", TripleDES(KEY[:16] + KEY[:8])),
                         ("des_ede3", TripleDES(KEY[:24]))):
        yield f"{name}_cmac", digests(lambda data: cmac(cipher, data))
    yield "retail_mac", digests(lambda data: retail_mac(data, b""))
    yield "retail_mac_80", digests(lambda data: retail_mac(data, b"\x80"))
    yield "des_mac", digests(des_mac)


lines = [f"ANSWERS({name.upper()}, UINT64_C(0x{first:016x}), UINT64_C(0x{second:016x}))\n"
         for name, (first, second) in answers()]
if len(sys.argv) < 2:
    sys.stdout.writelines(lines)
else:
    with open(sys.argv[1], encoding="ascii") as file:
        sys.exit(lines != [line for line in file if line.startswith("ANSWERS(")])
