#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""camellia_filters.py: Camellia's S-boxes by inversion in other representations of GF(2^8).

The designers (Aoki, Ichikawa, Kanda, Matsui, Moriai, Nakajima, Tokita, SAC 2000) define

    s1(x) = h(g(f(0xc5 ^ x))) ^ 0x6e,   s2 = s1 <<< 1,   s3 = s1 >>> 1,   s4(x) = s1(x <<< 1)

with f and h linear over GF(2) and g inversion in GF(2)[b] / (b^8 + b^6 + b^5 + b^3 + 1), whose
elements are written over GF(2^4) = GF(2)(a), a = b^238: g's byte a1 ... a8, the highest bit first,
is (a8 + a7 a + a6 a^2 + a5 a^3) + (a4 + a3 a + a2 a^2 + a1 a^3) b.

Fields of 256 elements are isomorphic, in eight ways, and 1/(c x) = (1/c) (1/x): so for each of the
8 * 255 pairs there are linear maps A and B with s1(x) = B(1 / A(x ^ 0xc5)) ^ 0x6e where 1/ is
inversion in any representation that is wanted:

  camellia_sbox.h     the tower of aes_sbox.h: A and B as circuits, of the pair that needs fewest XORs
  camellia_filters.h  FIPS 197's polynomial, which GF2P8AFFINEINVQB and AES's S-box invert in
  camellia_layers.h   the same, and P: what is between two of AES's S-boxes in a chain

Prints the header that its argument names.  Every map is checked on all 256 bytes.
"""
import itertools
import sys

BYTES = range(256)


# ---- fields ----

def field(poly):
    def mul(x, y):
        product = 0
        while y:
            if y & 1:
                product ^= x
            x <<= 1
            if x & 0x100:
                x ^= poly
            y >>= 1
        return product
    return mul


def tower(x, y):
    """The product in aes_sbox.h's GF(2^8): bits are the coefficients of 1, w, x, wx, y, wy, ..."""
    def mul4(a, b):
        low, high, mid = a & b & 1, a >> 1 & b >> 1, ((a ^ a >> 1) & (b ^ b >> 1)) & 1
        return (low ^ high) | (low ^ mid) << 1

    def mul16(a, b):
        low, high = mul4(a & 3, b & 3), mul4(a >> 2, b >> 2)
        mid = mul4((a ^ a >> 2) & 3, (b ^ b >> 2) & 3)
        return (low ^ mul4(high, 2)) | (low ^ mid) << 2

    low, high = mul16(x & 15, y & 15), mul16(x >> 4, y >> 4)
    mid = mul16((x ^ x >> 4) & 15, (y ^ y >> 4) & 15)
    return (low ^ mul16(high, 8)) | (low ^ mid) << 4


def power(mul, x, n):
    result = 1
    for _ in range(n):
        result = mul(result, x)
    return result


CAMELLIA = field(0x169)
AES = field(0x11b)


def inverse_of(mul):
    return [power(mul, x, 254) for x in BYTES]


# ---- linear maps, as the images of 1, 2, 4, ... 128 ----

def apply(columns, x):
    result = 0
    for i in range(8):
        if x >> i & 1:
            result ^= columns[i]
    return result


def linear(function):
    columns = [function(1 << i) for i in range(8)]
    assert all(function(x) == apply(columns, x) for x in BYTES)
    return columns


def inverted(columns):
    back = {apply(columns, x): x for x in BYTES}
    return [back[1 << i] for i in range(8)]


def after(second, first):
    return [apply(second, column) for column in first]


def of_bits(rows):
    """From the paper's lists: output bit i, the highest first, is the sum of these input bits."""
    def function(x):
        return sum((sum(x >> (8 - i) for i in row) & 1) << (7 - at) for at, row in enumerate(rows))
    return linear(function)


def rotate(x, n):
    return (x << n | x >> (8 - n)) & 0xff


F = of_bits([(6, 2), (7, 1), (8, 5, 3), (8, 3), (7, 4), (5, 2), (8, 1), (6, 4)])
H = of_bits([(5, 6, 2), (6, 2), (7, 4), (8, 2), (7, 3), (8, 1), (5, 1), (6, 3)])
A = power(CAMELLIA, 2, 238)
# The map of g's bytes to the field.
G = [CAMELLIA(power(CAMELLIA, A, i % 4), 1 if i < 4 else 2) for i in range(8)]
INPUT, OUTPUT = 0xc5, 0x6e
ROTATE = {n: linear(lambda x, n=n: rotate(x, n)) for n in (1, 7)}


def s1(x):
    inverse = CAMELLIA_INVERSE[apply(G, apply(F, x ^ INPUT))]
    return apply(H, apply(inverted(G), inverse)) ^ OUTPUT


CAMELLIA_INVERSE = inverse_of(CAMELLIA)
S1 = [s1(x) for x in BYTES]
assert S1[:8] == [112, 130, 44, 236, 179, 39, 192, 229]  # RFC 3713, section 2.4.1


def pairs(mul):
    """All (A, B) with s1(x) = B(1 / A(x ^ 0xc5)) ^ 0x6e in the field of `mul`."""
    inverse = inverse_of(mul)
    for root in BYTES:  # a root of Camellia's polynomial: its powers give an isomorphism
        powers = [power(mul, root, i) for i in range(9)]
        if powers[8] ^ powers[6] ^ powers[5] ^ powers[3] ^ 1:
            continue
        for c in range(1, 256):
            a = [mul(c, x) for x in after(powers[:8], after(G, F))]
            b = after(H, after(inverted(G), after(inverted(powers[:8]), linear(lambda x, c=c: mul(c, x)))))
            assert S1[0] == apply(b, inverse[apply(a, INPUT)]) ^ OUTPUT
            yield a, b


def check(a, b, mul):
    inverse = inverse_of(mul)
    assert S1 == [apply(b, inverse[apply(a, x ^ INPUT)]) ^ OUTPUT for x in BYTES]


# ---- circuits ----

def circuit(columns):
    """XORs by taking out the most frequent pair again and again (Paar, 1997): steps, outputs."""
    rows = [{i for i in range(8) if columns[i] >> bit & 1} for bit in range(8)]
    steps = []
    while True:
        counts = {}
        for row in rows:
            for pair in itertools.combinations(sorted(row), 2):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            return steps, [row.pop() for row in rows]
        pair = max(sorted(counts), key=lambda p: counts[p])
        steps.append(pair)
        for row in rows:
            if row.issuperset(pair):
                row -= set(pair)
                row.add(7 + len(steps))


def print_circuit(name, columns):
    steps, outputs = circuit(columns)
    def word(i):
        return f"q[{i}]" if i < 8 else f"t{i - 8}"
    print(f"static inline void {name}(uint64_t q[8])\n{{")
    for start in range(0, len(steps), 4):
        terms = [f"t{i} = {word(steps[i][0])} ^ {word(steps[i][1])}"
                 for i in range(start, min(start + 4, len(steps)))]
        print("    const uint64_t " + ", ".join(terms) + ";")
    for i in {out for out in outputs if out < 8}:  # before its plane is overwritten
        outputs[outputs.index(i)] = 8 + len(steps)
        print(f"    const uint64_t t{len(steps)} = {word(i)};")
        steps.append(None)
    for start in (0, 4):
        print("    " + ", ".join(f"q[{i}] = {word(outputs[i])}" for i in range(start, start + 4)) + ";")
    print("}\n")


def print_sbox():
    a, b = min(pairs(tower), key=lambda p: len(circuit(p[0])[0]) + len(circuit(p[1])[0]))
    check(a, b, tower)
    print("""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/camellia_filters.py, which has the derivation: the linear maps around inversion
 * in the tower of aes_sbox.h that make Camellia's s1, less its constants.  A plane holds one bit of
 * 64 bytes. */
#ifndef HR_CAMELLIA_SBOX_H
#define HR_CAMELLIA_SBOX_H

#include <stdint.h>

#define CAMELLIA_INPUT 0xc5
#define CAMELLIA_OUTPUT 0x6e
""")
    print_circuit("camellia_to_tower", a)
    print_circuit("camellia_from_tower", b)
    print("#endif")


# ---- functions that instructions compute ----

AES_INVERSE = inverse_of(AES)
# FIPS 197 section 5.1.1: SubBytes is this map of the inverse, plus 0x63.
M = linear(lambda x: x ^ rotate(x, 1) ^ rotate(x, 2) ^ rotate(x, 3) ^ rotate(x, 4))
SUB = [apply(M, y) ^ 0x63 for y in AES_INVERSE]
SUB_INVERSE = [SUB.index(x) for x in BYTES]
assert SUB[0x53] == 0xed
TURN = {1: linear(lambda x: x), 2: ROTATE[1], 3: ROTATE[7]}  # rotations of s1's output


def qword(columns):
    """As GF2P8AFFINEQB has a matrix: its byte 7 - i is the row of output bit i."""
    return sum(sum((columns[j] >> i & 1) << j for j in range(8)) << 8 * (7 - i) for i in range(8))


def print_qword(name, value):
    print(f"#define {name} 0x{value:016x}")


def print_table(name, columns, constant=0):
    """The map of a nibble's values, low and high, as PSHUFB looks them up."""
    rows = [[apply(columns, x << shift) ^ (constant if shift == 0 else 0) for x in range(16)] for shift in (0, 4)]
    halves = [", ".join(f"0x{x:02x}" for x in row[at:at + 8]) for row in rows for at in (0, 8)]
    print(f"#define {name} \\\n    {{ " + ", \\\n      ".join(halves[:2]) + " }, \\\n    { "
          + ", \\\n      ".join(halves[2:]) + " }")


# RFC 3713 section 2.4.1: which bytes of the S-boxes' output are summed up in each byte of P's.
P = ("134678", "124578", "123568", "234567", "12678", "23578", "34568", "14567")


def p_layer(z):
    """P of eight bytes as a number, the first byte the lowest."""
    out = 0
    for i, row in enumerate(P):
        for j in row:
            out ^= z[int(j) - 1] << 8 * i
    return out


# The S-box outputs in a register of 16 bytes, rotated by so many bits in the lower and upper half.
IMAGES = ((0, 2), (7, 1), (1, 0))
TURNS = (0, 1, 7, 0, 1, 7, 0, 0)  # rotations of the outputs of s1, s2, s3, s4, s2, s3, s4, s1


def terms_of(row, turned):
    """Two shuffles of each register whose sum is a byte of P, kept turned or not: their indices."""
    wanted = [(int(j) - 1, (TURNS[int(j) - 1] + turned) % 8) for j in row]
    for places in itertools.product(*([(i, half) for i, image in enumerate(IMAGES) for half in (0, 1)
                                       if image[half] == turn] for _, turn in wanted)):
        found = [[source + 8 * half for (source, _), (i, half) in zip(wanted, places) if i == register]
                 for register in range(3)]
        if max(map(len, found)) <= 2:
            return [(f + [0x80] * 2)[:2] for f in found]
    raise AssertionError(row)


def print_terms(name, order, turned):
    print(f"#define {name} \\")
    columns = [terms_of(P[i], i in turned) for i in order]
    for term in range(6):
        row = [column[term // 2][term % 2] for column in columns]
        print("    { " + ", ".join(f"0x{x:02x}" for x in row) + " }" + (", \\" if term < 5 else ""))


def added(byte):
    """What is added to a half by the key of a round: `byte`, which s4 turns before it adds it."""
    return sum((rotate(byte, 7) if i in (3, 6) else byte) << 8 * i for i in range(8))


def print_filters():
    a, b = next(pairs(AES))
    check(a, b, AES)
    a_inverse = inverted(a)
    print("""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/camellia_filters.py, which has the derivation: Camellia's S-boxes by inversion
 * in FIPS 197's field.  Bytes of a state are kept under a linear map, with which the sums of P and
 * of keys commute; what an S-box puts out is under the map that its reader wants.
 *
 * GFNI: under A.  AES: the left half, which AESENCLAST inverts, under A; the right one, which
 * AESDECLAST inverts, under D = M A, where M is SubBytes' matrix. */
#ifndef HR_CAMELLIA_FILTERS_H
#define HR_CAMELLIA_FILTERS_H

/* clang-format off */
/* Added to a round's key where it is added to a half in the clear: the first byte is the lowest. */""")
    print_qword("CAMELLIA_ADDED", added(INPUT))
    d = after(M, a)
    d_inverse = inverted(d)
    print_qword("CAMELLIA_ADDED_D", added(INPUT ^ apply(d_inverse, 0x63)))
    print("\n/* Matrices of GF2P8AFFINEQB: A, its inverse, and s4's turn there and back. */")
    print_qword("CAMELLIA_ENTER", qword(a))
    print_qword("CAMELLIA_LEAVE", qword(a_inverse))
    print_qword("CAMELLIA_TURN", qword(after(a, after(ROTATE[1], a_inverse))))
    print_qword("CAMELLIA_UNTURN", qword(after(a, after(ROTATE[7], a_inverse))))
    print("\n/* A turn to the left by a bit in the clear. */")
    print_qword("CAMELLIA_LEFT", qword(ROTATE[1]))
    print("\n/* s1, s2, s3 by GF2P8AFFINEINVQB, from under A to under A, and what is added. */")
    for s, turn in TURN.items():
        out = after(a, after(turn, b))
        constant = apply(after(a, turn), OUTPUT)
        print_qword(f"CAMELLIA_S{s}", qword(out))
        print(f"#define CAMELLIA_S{s}_ADDED 0x{constant:02x}")
        assert all(apply(out, AES_INVERSE[apply(a, x ^ INPUT)]) ^ constant == apply(a, apply(turn, S1[x])) for x in BYTES)
    print("""
/* A half alone, twice in 16 bytes: what s4 reads is kept under A of its turned value, so that s4 is
 * s1.  Three images of S-boxes, each under one map in the lower 8 bytes and another in the upper
 * ones, have what P wants, two terms of each: to halves under their maps, and to a half in the
 * clear, in words of 32 bits.  What S-boxes add comes, after P, with the keys. */""")
    a4 = after(a, ROTATE[1])
    print_qword("CAMELLIA_ENTER_TURNED", qword(a4))
    print_qword("CAMELLIA_LEAVE_TURNED", qword(inverted(a4)))
    for name, into in (("IMAGES", a), ("CLEAR_IMAGES", linear(lambda x: x))):
        rows = [[qword(after(into, after(linear(lambda x, n=n: rotate(x, n)), b))) for n in image] for image in IMAGES]
        print(f"#define CAMELLIA_{name} \\\n    " + ", \\\n    ".join(
            "{ " + ", ".join(f"0x{x:016x}" for x in row) + " }" for row in rows))
    print("/* PSHUFB's indices of P, two into each image. */")
    print_terms("CAMELLIA_P", range(8), (3, 6))
    print_terms("CAMELLIA_CLEAR_P", [i ^ 3 for i in range(8)], ())
    print_qword("CAMELLIA_F_ADDED", p_layer([rotate(OUTPUT, n) for n in TURNS]))
    print("\n/* The same as tables of nibbles: under A, of what AESENCLAST puts out to under D. */")
    for s, turn in TURN.items():
        out, constant = after(d, after(turn, after(b, inverted(M)))), apply(after(d, turn), OUTPUT)
        constant ^= apply(out, 0x63)
        print_table(f"CAMELLIA_AFTER_ENC_S{s}", out, constant)
        assert all(apply(out, SUB[apply(a, x ^ INPUT)]) ^ constant == apply(d, apply(turn, S1[x])) for x in BYTES)
    print("/* Under D, of what AESDECLAST puts out to under A. */")
    for s, turn in TURN.items():
        out, constant = after(a, after(turn, b)), apply(after(a, turn), OUTPUT)
        print_table(f"CAMELLIA_AFTER_DEC_S{s}", out, constant)
        assert all(apply(out, SUB_INVERSE[apply(d, x ^ INPUT) ^ 0x63]) ^ constant == apply(a, apply(turn, S1[x]))
                   for x in BYTES)
    print("/* s4's turn, into the map, and out of it. */")
    for name, into, out in (("A", a, a_inverse), ("D", d, d_inverse)):
        print_table(f"CAMELLIA_TURN_{name}", after(into, after(ROTATE[1], out)))
        print_table(f"CAMELLIA_ENTER_{name}", into)
        print_table(f"CAMELLIA_LEAVE_{name}", out)
    print("/* clang-format on */\n\n#endif")


# ---- a half of a block in a vector, with a byte in each 16-bit word: camellia_one.h ----

SHIFT_ROWS = (0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11)  # FIPS 197 section 5.1.2
BOXES = ((0, 3, 6, 7), (1, 4), (2, 5))  # bytes that use s1, s2 and s3; s4 is s1 of a rotated byte


def behind(byte):
    """Where AES's S-box puts a byte."""
    return SHIFT_ROWS.index(2 * byte + 1)


def print_vector(values):
    text = [f"0x{x:02x}" for x in values]
    print("        { " + ", ".join(text[:8]) + ",\n          " + ", ".join(text[8:]) + " },")


def print_map(columns, constant=0):
    for shift in (0, 4):
        print_vector([apply(columns, x << shift) ^ (constant if shift == 0 else 0) for x in range(16)])


def print_layer(name, b, into, places, turned):
    """To `into`, byte i to the two places[i], of which the sum is to be taken; `turned` if s4 is to
    read."""
    print(f"static const struct camellia_layer {name} = {{\n    {{")
    for turn in (linear(lambda x: x), ROTATE[1], ROTATE[7], after(ROTATE[1], ROTATE[1])):
        columns = after(into, after(turn, after(b, inverted(M))))
        print_map(columns, apply(columns, 0x63))
    print("    },\n    {")
    rows = [[0x80] * 16 for _ in range(4)]
    for i in range(8):
        for box, sources in enumerate(BOXES):
            terms = [behind(j) for j in sources if str(j + 1) in P[i]]
            # The image that contains it, and the first shuffle of that image.
            image = (box + 1) % 3 if turned and i in (3, 6) else box
            first, num = (0, 2, 3)[image], (4, 2, 2)[image]
            assert len(terms) <= num
            for n, term in enumerate(terms):
                rows[first + n // 2][places[i][n % 2]] = term
    for row in rows:
        print_vector(row)
    print("    },\n};")


def print_layers():
    a, b = next(pairs(AES))
    check(a, b, AES)
    a4 = after(a, ROTATE[1])
    assert {behind(j) // 4 for j in BOXES[2]} == {0, 3} and {behind(j) // 4 for j in BOXES[1]} == {1}
    print("""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/camellia_filters.py: what camellia_one.h looks up. */
#ifndef HR_CAMELLIA_LAYERS_H
#define HR_CAMELLIA_LAYERS_H

#include <stdalign.h>
#include <stdint.h>

/* From AES's S-box on: maps by nibbles, the low one first, which take away what it adds, to
 * Camellia's S-box, to that turned left by a bit, right by a bit, left by two; then indices of P's
 * terms, two for each byte: two vectors of the first map's image, one of the second's, and one of
 * the third's, of which word 1 is the fourth's. */
struct camellia_layer {
    alignas(16) uint8_t map[8][16], p[4][16];
};

/* clang-format off */""")
    print("/* To the upper bytes of words, what s4 reads turned; what is to be added, in the lower ones. */")
    print_layer("camellia_to_box", b, a, [(2 * i + 1, 2 * i) for i in range(8)], True)
    print("/* To the clear, words of 32 bits with their lowest byte first; what is to be added, behind. */")
    print_layer("camellia_to_clear", b, linear(lambda x: x), [(i ^ 3, 8 + (i ^ 3)) for i in range(8)], False)
    print("/* Into the map and out of it: bytes, and those that s4 reads. */")
    for name, maps in (("enter", (a, a4)), ("leave", (inverted(a), inverted(a4)))):
        print(f"alignas(16) static const uint8_t camellia_one_{name}[4][16] = {{")
        for columns in maps:
            print_map(columns)
        print("};")
    print("/* clang-format on */\n\n#endif")


PRINT = {"camellia_sbox.h": print_sbox, "camellia_filters.h": print_filters, "camellia_layers.h": print_layers}

if __name__ == "__main__":
    PRINT[sys.argv[1]]()
