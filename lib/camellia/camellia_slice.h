/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia, RFC 3713, byte-sliced: vector i holds byte i of each of LANES blocks.  So P is XORs of
 * vectors, and a rotation of 32-bit words renames vectors, apart from a rotation by one bit.
 *
 * A file that includes this one defines
 *   V: the vector, with the operator ^; LANES: its bytes;
 *   INLINE and TARGET: attributes of functions;
 *   V add3(V, V, V): a XOR of three; V add_or(V x, V a, V b): x ^ (a | b); add_and(): x ^ (a & b);
 *   V turned(V): each byte rotated left by a bit;
 *   V unpack(V a, V b, int high): for each 16 bytes, the lower or upper 8 of both, interleaved;
 *   V sub(V x, int half, int s): S-box s, 1 to 4, on bytes of the left half (0) or the right one
 *   (1); its input is transformed by that half's map, its result by the other half's;
 *   V enter(V x, int half), V leave(V x, int half): apply the map of a half and remove it;
 *   V permuted(V x), V restored(V x): sub() may permute the lanes of the left half, as AES's
 *   ShiftRows does, and permute those of the right half back. permuted() does the same to the right
 *   half at the beginning, restored() undoes it at the end; key_at() has to permute keys likewise;
 *   slice_keys: a type passed by value; V key_at(slice_keys k, unsigned n, unsigned i): byte i of
 *   entry n of camellia_program() for each lane, of one key for all lanes or of the lanes' own
 *   keys.  Entries of rounds are transformed by the map of the half to which they are added. */
#ifndef HR_CAMELLIA_SLICE_H
#define HR_CAMELLIA_SLICE_H

#include "camellia.h"

#define UNROLL _Pragma("GCC unroll 8")

/* Computes to ^= F(from) ^ entry n of the program, RFC 3713 section 2.4.1.  `from` is the left half
 * (`half` is 0) or the right one (1) and has its key added.  P is computed by the sums of Aoki et
 * al. (SAC 2000), three terms at a time. */
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

/* The two steps of FL and of its inverse, RFC 3713 section 2.4.2, with entries n and n + 1 of the
 * program. */
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

/* Computes FL of the left half and its inverse of the right half between two groups of rounds, with
 * entries n to n + 3 of the program. */
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

/* Encrypts or decrypts sliced blocks; x[0] to x[7] are the left half. */
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

/* Transposes vectors of blocks to byte slices, and back: each 16 bytes of the vectors are a row.
 * Afterwards block j of vector i is lane 16 j + i.  An interleaving rotates the 8 bits of a byte's
 * position by one: unpack(a, b, 0) interleaves the low 8 bytes of each 16, unpack(a, b, 1) the high
 * ones. */
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
