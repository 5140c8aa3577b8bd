#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""aes_nibbles.py: AES by look-ups of four bits (Hamburg, CHES 2009), prints lib/aes/aes_nibbles.h.

A byte is k + i z with k and i in GF(16) and z^2 + a z + a = 0.  Its norm is n = k^2 + a i k + a i^2,
and its inverse (k + a i + i z) / n.  With j = i + k

    p = j + 1/(1/i + a/k) = n / (k + a i),   q = i + 1/(1/j + a/k) = n / (k + a j)

and so 1/p + 1/q = a k / n: every linear map of the inverse is a function of p plus a function of q.
Division by zero gives INFINITE, whose highest bit remains set in a sum with a nibble; a shuffle's
result is zero for such an index, as 1/INFINITE shall be.  Where INFINITE meets itself, the byte is
zero, and p and q become INFINITE, whose functions are zero, as is the inverse of FIPS 197.

A state is kept under a linear map, k in a byte's low half and i in its high half: encryption's is
that of the byte itself, decryption's that of the byte before the affine map of SubBytes.  The tables
of a round's end lead from p and q to multiples of the S-box's value under the next round's map; the
constant 0x63 is contained in the round keys.

ShiftRows is not carried out: after r rounds the byte at place p of a state is kept at the place
that r ShiftRows move to p, so the rotations of MixColumns are other shuffles in each of four rounds.
"""
from aes_circuits import AFFINE, BYTES, INVERSE, UNAFFINE, mul, power

INFINITE = 0x80


def span(basis):
    """The sums of subsets of the basis, in the order of the subsets as bits."""
    sums = [0]
    for b in basis:
        sums += [x ^ b for x in sums]
    return sums


FIELD16 = [x for x in BYTES if power(x, 16) == x]
UNIT = next(x for x in FIELD16 if x and len({power(x, n) for n in range(15)}) == 15)
NIBBLE = span([power(UNIT, n) for n in range(4)])  # the element of GF(16) that a nibble stands for
OF = {x: n for n, x in enumerate(NIBBLE)}
# z and its conjugate z^16 have the sum and the product a
Z, A = next((z, z ^ power(z, 16)) for z in BYTES
            if power(z, 16) != z and z ^ power(z, 16) == mul(z, power(z, 16)))
PAIR = {NIBBLE[k] ^ mul(NIBBLE[i], Z): i << 4 | k for i in range(16) for k in range(16)}


def inverse_of_nibble(n):
    return OF[INVERSE[NIBBLE[n]]]


def divide(n):
    return OF[mul(A, INVERSE[NIBBLE[n]])] if n else INFINITE


def invert(n):
    return inverse_of_nibble(n) if n else INFINITE


def halves(byte):
    """p and q of a byte that stands for k + i z."""
    def look(f, n):
        return 0 if n & INFINITE else f(n)

    i, k = byte >> 4, byte & 15
    j = i ^ k
    return (look(invert, invert(i) ^ divide(k)) ^ j, look(invert, invert(j) ^ divide(k)) ^ i)


def end_tables(linear):
    """The tables of p and q whose sum is linear(the inverse)."""
    def inverse(u, w):  # u = 1/p = (k + a i)/n, w = 1/q; k/n = (u + w)/a, i/n = (u + k/n)/a
        k = mul(u ^ w, INVERSE[A])
        i = mul(u ^ k, INVERSE[A])
        return u ^ mul(i, Z)

    def of(u, w):
        return linear(inverse(u, w))

    tables = ([of(INVERSE[NIBBLE[n]], 0) for n in range(16)],
              [of(0, INVERSE[NIBBLE[n]]) for n in range(16)])
    for x in BYTES:
        p, q = halves(PAIR[x])
        values = [0 if n & INFINITE else t[n] for t, n in zip(tables, (p, q))]
        assert values[0] ^ values[1] == linear(INVERSE[x])
    return tables


def enter_tables(linear):
    return [PAIR[linear(n)] for n in range(16)], [PAIR[linear(n << 4)] for n in range(16)]


def plus(tables, constant):
    return [x ^ constant for x in tables[0]], tables[1]


def permuted(x, y):
    """The shuffle y after the shuffle x."""
    return [x[n] for n in y]


def inverse_shuffle(x):
    return [x.index(n) for n in range(16)]


SHIFT = [[(p + 4 * r * (p % 4)) % 16 for p in range(16)] for r in range(4)]  # r ShiftRows


def rotated(rows, r):
    """Takes each byte from `rows` rows below in its column, after r ShiftRows."""
    turn = [p - p % 4 + (p + rows) % 4 for p in range(16)]
    return permuted(permuted(SHIFT[r], turn), inverse_shuffle(SHIFT[r]))


def line(values):
    return "{ " + ", ".join("%3d" % x for x in values) + " }"


def show(name, comment, tables):
    print("\n/* %s */" % comment)
    print("static const alignas(16) uint8_t %s[%d][16] = {" % (name, len(tables)))
    for values in tables:
        print("    %s," % line(values))
    print("};")


if __name__ == "__main__":
    print("""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/aes_nibbles.py, which has the derivation: the tables of aes_nibble.h. */
#ifndef HR_AES_NIBBLES_H
#define HR_AES_NIBBLES_H

#include "../internal.h"

/* clang-format off */""")
    show("nibble_fields", "1/x and a/x.", [[invert(n) for n in range(16)],
                                           [divide(n) for n in range(16)]])
    enter = enter_tables(lambda x: x)
    show("nibble_enter", "A byte's two nibbles to encryption's map.", enter)
    show("nibble_enter_key", "The same with 0x63 added, for round keys.", plus(enter, PAIR[0x63]))
    for factor in (1, 2):
        show("nibble_sub%d" % factor, "%d times the S-box's value, under the map." % factor,
             end_tables(lambda x: PAIR[mul(factor, AFFINE[x])]))
    show("nibble_leave", "The S-box's value, in the clear.", end_tables(lambda x: AFFINE[x]))
    unenter = enter_tables(lambda x: UNAFFINE[x])
    show("nibble_inv_enter", "A byte's two nibbles to decryption's map; 0x63 is added.",
         plus(unenter, PAIR[UNAFFINE[0x63]]))
    for factor in (14, 11, 13, 9):
        show("nibble_inv_sub%d" % factor,
             "%d times the inverse S-box's value, under the map." % factor,
             end_tables(lambda x: PAIR[UNAFFINE[mul(factor, x)]]))
    show("nibble_inv_leave", "The inverse S-box's value, in the clear.", end_tables(lambda x: x))
    show("shuffle_shift", "0 to 3 ShiftRows; those of InvShiftRows are in the opposite order.", SHIFT)
    for rows in (1, 2, 3):
        show("shuffle_below%d" % rows, "The byte %d rows below, after 0 to 3 ShiftRows." % rows,
             [rotated(rows, r) for r in range(4)])
    print("""/* clang-format on */

#endif""")
