# SPDX-License-Identifier: Apache-2.0
"""counts_test.py LAUNCHER WORK MONT: work of known size takes just as many instructions as it must, so
that it is the T4's instructions that did it."""
import sys

import t4

LAUNCHER, WORK, MONT = sys.argv[1:4]
DIGESTS = {  # row: opcode, block, bytes of the length field
    "md5": ("md5", 64, 8), "sha1": ("sha1", 64, 8), "sha224": ("sha256", 64, 8),
    "sha256": ("sha256", 64, 8), "sha384": ("sha512", 128, 16), "sha512": ("sha512", 128, 16),
    "sha512_224": ("sha512", 128, 16), "sha512_256": ("sha512", 128, 16),
}
LENGTHS = {64: (0, 55, 56, 1000), 128: (0, 111, 112, 1000)}  # by block: with and without another for the length
KEYS = {128: 10, 192: 12, 256: 14}  # rounds
CIPHERS = "ecb", "cbc", "cfb128", "ctr"


def blocks(digest, length):
    """Returns the number of blocks of a padded message: FIPS 180-4 section 5.1, RFC 1321 section
    3.1."""
    _, block, field = DIGESTS[digest]
    return (length + 1 + field + block - 1) // block


def compare(counts, wanted):
    """Returns complaints unless the counts are those of `wanted`, {opcode: count}, and all other T4
    instructions were not run."""
    seen = {name: count for name, count in counts.items() if t4.family(name)}
    return [f"{name}: {seen.get(name, 0)}, not {wanted.get(name, 0)}"
            for name in sorted(set(seen) | set(wanted)) if seen.get(name, 0) != wanted.get(name, 0)]


def counts_of(row, op, n):
    return t4.on_t4(LAUNCHER, WORK, row, op, str(n))[1]


def digest(row):
    return [f"{n} bytes: {bad}" for n in LENGTHS[DIGESTS[row][1]]
            for bad in compare(counts_of(row, "digest", n), {DIGESTS[row][0]: blocks(row, n)})]


def mac(row, md):
    """Checks an HMAC: two blocks of the key, the message behind one of them, the inner digest behind
    the other."""
    opcode, block, _ = DIGESTS[md]
    return [f"{n} bytes: {bad}" for n in (0, 1, 55, 1000)
            for bad in compare(counts_of(row, "mac", n),
                               {opcode: 2 + blocks(md, block + n) - 1 + 1})]


def iterate(row, md):
    """Checks PBKDF2: the key's two blocks once, then two blocks an iteration."""
    opcode = DIGESTS[md][0]
    return [f"{n} iterations: {bad}" for n in (1, 2, 500)
            for bad in compare(counts_of(row, "iterate", n), {opcode: 2 + 2 * n})]


def crc32c():
    return [f"{n} bytes: {bad}" for n in (0, 1, 7, 8, 9, 1000, 1003)
            for bad in compare(counts_of("crc32c", "digest", n), {"crc32c": (n + 7) // 8} if n else {})]


def rounds(counts, direction):
    """Returns the counts of AES round instructions, each of which computes two columns: of the
    rounds, and of the last round's own kind."""
    kinds = [f"aes_{direction}round{columns}" for columns in ("01", "23")]
    return ([counts.get(kind, 0) for kind in kinds] +
            [counts.get(kind + "_l", 0) for kind in kinds])


def minus(counts, others):
    return {name: count - others.get(name, 0) for name, count in counts.items()}


def differ(counts, what, bits, forward, backward):
    """Complaints unless so many blocks were encrypted, and so many decrypted."""
    return [f"{what}: {rounds(counts, direction)} of aes_{direction}round, for {num} blocks"
            for direction, num in (("e", forward), ("d", backward))
            if rounds(counts, direction) != [num * (KEYS[bits] - 1)] * 2 + [num] * 2]


def aead(bits, mode, op):
    """Checks how many blocks the cipher encrypts: GCM one a block, CCM two; the same in both
    directions."""
    row, complaints = f"aes_{bits}_{mode}", []
    empty = counts_of(row, op, 0)
    for n in 1, 16, 17, 32, 1601:
        images = (n + 15) // 16 * (2 if mode == "ccm" else 1)
        complaints += differ(minus(counts_of(row, op, n), empty), f"{n} bytes", bits, images, 0)
    return complaints


def products(bits, op):
    """Checks that GCM takes 4 pairs of multiplications a block, and one more for a block without a second, which has a
    reduction of its own."""
    row = f"aes_{bits}_gcm"
    empty = counts_of(row, op, 0)
    return [f"{16 * n} bytes: {more.get(name, 0)} {name}, not {4 * n + n % 2}" for n in (1, 2, 7, 100)
            for more in [minus(counts_of(row, op, 16 * n), empty)] for name in ("xmulx", "xmulxhi")
            if more.get(name, 0) != 4 * n + n % 2]


def gmac(bits):
    """Checks that a long message takes as many AES instructions as an empty one: its blocks go to
    GHASH only."""
    counts = minus(counts_of(f"aes_{bits}_gmac", "mac", 1000), counts_of(f"aes_{bits}_gmac", "mac", 0))
    return differ(counts, "1000 bytes", bits, 0, 0)


def xts(bits, op):
    """Checks that a message takes one more encryption or decryption than one block does for each
    further block, whole or not."""
    row, complaints = f"aes_{bits}_xts", []
    one = counts_of(row, op, 16)
    for n in 17, 32, 33, 1601:
        more = (n + 15) // 16 - 1
        complaints += differ(minus(counts_of(row, op, n), one), f"{n} bytes", bits,
                             *((more, 0) if op == "encrypt" else (0, more)))
    return complaints


def cipher(bits, mode, op):
    complaints = []
    key = counts_of(f"aes_{bits}_{mode}", op, 0)  # the key's expansion alone: it uses round instructions too
    for num_blocks in 1, 2, 7:
        counts = counts_of(f"aes_{bits}_{mode}", op, 16 * num_blocks)
        expand = sum(counts.get(f"aes_kexpand{i}", 0) for i in range(3))
        counts = minus(counts, key)
        forward = op == "encrypt" or mode in ("cfb128", "ctr")
        # Where blocks wait for each other the last round is made twice: for the output, and with
        # another key for the next block's input.
        last = 2 if op == "encrypt" and mode in ("cbc", "cfb128") else 1
        wanted = [num_blocks * (KEYS[bits] - 1)] * 2 + [last * num_blocks] * 2
        for direction, want in ("e", wanted if forward else [0] * 4), \
                ("d", [0] * 4 if forward else wanted):
            if rounds(counts, direction) != want:
                complaints.append(f"{num_blocks} blocks: {rounds(counts, direction)} of "
                                  f"aes_{direction}round, not {want}")
        # A key's words beyond those it has, two an instruction: FIPS 197 section 5.2.
        if expand != (4 * (KEYS[bits] + 1) - bits // 32) // 2:
            complaints.append(f"{expand} aes_kexpand")
    return complaints


def des(row, op):
    """Checks DES: two rounds an instruction; permutations at both ends of each pass; 16 keys a pass."""
    complaints = []
    passes = 3 if "ede" in row else 1
    for num_blocks in 1, 2, 3, 100:
        wanted = {"des_round": 8 * passes * num_blocks, "des_ip": passes * num_blocks,
                  "des_iip": passes * num_blocks, "des_kexpand": 16 * passes}
        counts = counts_of(row, op, 8 * num_blocks)
        seen = {name: counts.get(name, 0) for name in wanted}
        if seen != wanted:
            complaints.append(f"{num_blocks} blocks: {seen}, not {wanted}")
    return complaints


def camellia(bits, mode, op):
    """Checks Camellia: a round an instruction, a layer of FL two; the key's schedule is made by portable C."""
    complaints = []
    rounds_of, layers = (18, 2) if bits == 128 else (24, 3)
    for num_blocks in 1, 2, 3, 100:
        wanted = {"camellia_f": rounds_of * num_blocks, "camellia_fl": layers * num_blocks,
                  "camellia_fli": layers * num_blocks}
        counts = counts_of(f"camellia_{bits}_{mode}", op, 16 * num_blocks)
        seen = {name: counts.get(name, 0) for name in wanted}
        if seen != wanted:
            complaints.append(f"{num_blocks} blocks: {seen}, not {wanted}")
    return complaints


def mont(limbs):
    """Checks steps of an exponentiation: an instruction a squaring and one for the product.  Where
    every instruction fails, each of three attempts ends at its first one."""
    complaints = []
    for squarings in 0, 1, 5:
        wanted = {"montsqr": squarings, "montmul": 1}
        complaints += compare(t4.on_t4(LAUNCHER, MONT, "steps", str(limbs), str(squarings))[1], wanted)
    failing = t4.on_t4(LAUNCHER, MONT, "steps", str(limbs), "5", options=("--strict=fcc3=1",))[1]
    return complaints + compare(failing, {"montsqr": 3})


def mont_power(limbs):
    """Checks powers by windows of 4 bits: a table of 16, a product for each window, four squarings between two, and one
    product to leave Montgomery's form.  Where every instruction fails, both attempts and then each step do."""
    complaints = []
    for bits in 1, 4, 5, 160, 512:
        windows = (bits + 3) // 4
        wanted = {"montsqr": 4 * (windows - 1), "montmul": 16 + windows + 1}
        complaints += compare(t4.on_t4(LAUNCHER, MONT, "power", str(limbs), str(bits))[1], wanted)
    failing = t4.on_t4(LAUNCHER, MONT, "power", str(limbs), "10", options=("--strict=fcc3=1",))[1]
    return complaints + compare(failing, {"montsqr": 3, "montmul": 2 + 3 * (2 + 30 + 1)})


t4.skip_without_qemu()
tap = t4.Tap()
for key_bits in 128, 192, 256:
    for camellia_mode in CIPHERS:
        for operation in "encrypt", "decrypt":
            tap.check(f"camellia_{key_bits}_{camellia_mode} {operation}: an instruction a round",
                      camellia, key_bits, camellia_mode, operation)
for name in "des", "des_ede3":
    for des_mode in "ecb", "cbc", "cfb64", "ofb", "ctr":
        for operation in "encrypt", "decrypt":
            tap.check(f"{name}_{des_mode} {operation}: an instruction for two rounds", des,
                      f"{name}_{des_mode}", operation)
for name in DIGESTS:
    tap.check(f"{name}: one {DIGESTS[name][0]} a block", digest, name)
    tap.check(f"hmac_{name}: one {DIGESTS[name][0]} a block", mac, f"hmac_{name}", name)
    tap.check(f"hmac_{name} in PBKDF2: two {DIGESTS[name][0]} an iteration", iterate,
              f"hmac_{name}", name)
for size in 8, 16, 24, 32:
    tap.check(f"{size} limbs: montsqr and montmul for each step", mont, size)
    tap.check(f"{size} limbs: montsqr and montmul for a power", mont_power, size)
tap.check("crc32c: one crc32c for 8 bytes", crc32c)
for key_bits in KEYS:
    for cipher_mode in CIPHERS:
        for operation in "encrypt", "decrypt":
            tap.check(f"aes_{key_bits}_{cipher_mode} {operation}: two instructions a round",
                      cipher, key_bits, cipher_mode, operation)
    tap.check(f"aes_{key_bits}_gmac: no more of the cipher for more to authenticate", gmac, key_bits)
    for operation in "encrypt", "decrypt":
        tap.check(f"aes_{key_bits}_gcm {operation}: 8 multiplications a block", products, key_bits, operation)
        for cipher_mode in "gcm", "ccm":
            tap.check(f"aes_{key_bits}_{cipher_mode} {operation}: two instructions a round",
                      aead, key_bits, cipher_mode, operation)
        if key_bits != 192:
            tap.check(f"aes_{key_bits}_xts {operation}: two instructions a round", xts, key_bits,
                      operation)
tap.done()
