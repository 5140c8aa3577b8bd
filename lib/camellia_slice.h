/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713, in slices of bytes: vector i holds byte i of each of LANES blocks, and so P
 * is sums of vectors, and a rotation of 32-bit words renames vectors but for a bit.
 *
 * Who includes this has defined
 *   V, the vector, on which ^ works, and LANES, its bytes;
 *   INLINE and TARGET, attributes of functions;
 *   V add3(V, V, V), a sum of three; V add_or(V x, V a, V b), x ^ (a | b), and add_and(), x ^ (a &
 * b); V turned(V): each byte turned left by a bit; V unpack(V a, V b, int high): of each 16 bytes
 * the lower or upper 8 of both, interleaved; V sub(V x, int half, int s): S-box s, 1 to 4, of bytes
 * of the left half (0) or the right one (1), from under the map in which that half is kept to under
 * that of the other one; V enter(V x, int half), V leave(V x, int half): into that map and out of
 * it; V permuted(V x), V restored(V x): what sub() does to the lanes of the left half, as AES's
 *     ShiftRows does, and back, as it then does with those of the right one, whose lanes so are
 *     permuted between the two ends of the cipher (and there in key_at());
 *   slice_keys, a type passed by value, and V key_at(slice_keys k, unsigned n, unsigned i): byte i
 *     of entry n of camellia_program() for each lane: one key, spread, or the lanes' own.  Entries
 *     of rounds are under the map of the half to which they are added. */
#ifndef HR_CAMELLIA_SLICE_H
#define HR_CAMELLIA_SLICE_H

#include "camellia.h"

#define UNROLL _Pragma("GCC unroll 8")

/* F of `from`, which is half `half` and has its key, added to `to` with entry n: section 2.4.1, P
 * in the sums of Aoki et al. (SAC 2000), three terms at a time. */
INLINE TARGET void slice_round(V to[8], const V from[8], int half, slice_keys k, unsigned n)
{
    static const uint8_t box[8] = { 1, 2, 3, 4, 2, 3, 4, 1 };
    V z[8], left[4], right[4];
    UNROLL for (unsigned i = 0; i < 8; i++) z[i] = sub(from[i], half, box[i]);
    UNROLL for (unsigned i = 0; i < 4; i++) z[i] ^= z[4 + (i + 1) % 4];
    UNROLL for (unsigned i = 0; i < 4; i++) left[i] =
        add3(z[i], z[4 + (i + 3) % 4], z[(i + 1) % 4]);
    UNROLL for (unsigned i = 0; i < 4; i++) right[i] =
        add3(z[4 + i], z[(i + 2) % 4], left[(i + 3) % 4]);
    UNROLL for (unsigned i = 0; i < 4; i++)
    {
        to[i] = add3(to[i], right[i], key_at(k, n, i));
        to[4 + i] = add3(to[4 + i], left[i], key_at(k, n, 4 + i));
    }
}

/* The two steps of FL and of its inverse, section 2.4.2, with entries n and n + 1. */
INLINE TARGET void slice_fl_right(V x[8], slice_keys k, unsigned n)
{
    V t[4];
    UNROLL for (unsigned i = 0; i < 4; i++) t[i] = turned(x[i]);
    UNROLL for (unsigned i = 0; i < 4; i++) x[4 + i] =
        add_and(add_and(x[4 + i], t[i], key_at(k, n, i)), t[(i + 1) % 4], key_at(k, n + 1, i));
}

INLINE TARGET void slice_fl_left(V x[8], slice_keys k, unsigned n)
{
    UNROLL for (unsigned i = 0; i < 4; i++) x[i] = add_or(x[i], x[4 + i], key_at(k, n, 4 + i));
}

/* Between groups of rounds; entries n to n + 3. */
INLINE TARGET void slice_fl(V left[8], V right[8], slice_keys k, unsigned n)
{
    UNROLL for (unsigned i = 0; i < 8; i++) left[i] = leave(left[i], 0);
    slice_fl_right(left, k, n);
    slice_fl_left(left, k, n);
    UNROLL for (unsigned i = 0; i < 8; i++)
    {
        left[i] = enter(left[i], 0);
        right[i] = leave(right[i], 1);
    }
    slice_fl_left(right, k, n + 2);
    slice_fl_right(right, k, n + 2);
    UNROLL for (unsigned i = 0; i < 8; i++) right[i] = enter(right[i], 1);
}

/* Blocks in slices through the cipher; x[0] to x[7] are the left half. */
INLINE TARGET void slice_crypt(V x[16], slice_keys k, unsigned rounds)
{
    V left[8], right[8];
    unsigned n = 1;
    UNROLL for (unsigned i = 0; i < 8; i++)
    {
        left[i] = enter(x[i] ^ key_at(k, 0, i), 0);
        right[i] = enter(permuted(x[8 + i]), 1);
    }
    for (;;) {
        for (const unsigned end = n + 6; n < end; n += 2) {
            slice_round(right, left, 0, k, n);
            slice_round(left, right, 1, k, n + 1);
        }
        rounds -= 6;
        if (!rounds)
            break;
        slice_fl(left, right, k, n);
        n += 4;
    }
    UNROLL for (unsigned i = 0; i < 8; i++)
    {
        x[i] = restored(leave(right[i], 1)) ^ key_at(k, n, i);
        x[8 + i] = leave(left[i], 0);
    }
}

/* 16 x LANES bytes transposed within each 16: vectors of blocks to slices, and back; a vector's
 * block j at place i then has lane 16 j + i.  Interleaving is a rotation of the 8 bits of a byte's
 * place by one: unpack(a, b, 0) of the low 8 bytes of each 16, unpack(a, b, 1) of the high ones. */
INLINE TARGET void slice_transpose(V x[16])
{
    V y[16];
    UNROLL for (unsigned step = 0; step < 2; step++)
    {
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < 8; i++)
        {
            y[2 * i] = unpack(x[i], x[i + 8], 0);
            y[2 * i + 1] = unpack(x[i], x[i + 8], 1);
        }
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < 8; i++)
        {
            x[2 * i] = unpack(y[i], y[i + 8], 0);
            x[2 * i + 1] = unpack(y[i], y[i + 8], 1);
        }
    }
}

#endif
