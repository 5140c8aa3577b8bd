/* SPDX-License-Identifier: Apache-2.0 */
/* DES, FIPS 46-3, bit-sliced (Biham, "A fast new DES implementation in software", FSE 1997): a
 * vector holds one bit of each of LANES blocks, an S-box is a netlist of gates, and IP, E and P
 * only determine which vectors a gate reads.  There are no tables, so no time depends on data.
 *
 * A file that includes this one first defines
 *   INLINE, TARGET: attributes of functions;
 *   T3: a gate of three inputs, where the CPU has them; then the netlists of
 *   lib/des/des_sboxes_ternary.h are used, else those of lib/des/des_sboxes_logic.h;
 *   V: a vector, or uint64_t; SLICE_LE(V): converts its words of 64 bits from or to little-endian;
 *   SLICE_SWAP(a, b, s, mask): exchanges the bits of a that are not in mask, shifted right by s,
 *   and the bits of b that are in mask;
 *   slice_key: a type passed by value that says where a round's key bits are;
 *   key_bit(slice_key k, i): the vector that is added to bit i % 6 (the first is 0) of the input of
 *   S-box i / 6 + 1: one key for all lanes (des_slice_key.h), or a vector of the lanes' keys;
 *   key_after(slice_key k): the next round's key.
 * The key bits of round n (the first is 0) are those of struct des_key ^ SLICE_FLIP(n), both as 8
 * bytes read by load_le64().
 *
 * The state is x[64], the bits of LANES blocks: x[8 * n + 7 - b] is bit b (the first is 0) of byte
 * n.  The functions are
 *   slice_from_blocks(x, in);          in: blocks as they lie in memory; may be x
 *   slice_rounds(x, num_rounds, key);  16 rounds, or 48 of EDE; exchanges x[p] and x[p ^ 1]
 *   slice_to_blocks(out, x);           exchanges these again; out may be x
 * Block i is bit i / WORDS of word i % WORDS of each vector. */
#ifndef HR_DES_SLICE_H
#define HR_DES_SLICE_H

#include "../bytes.h"
#ifdef T3
#include "des_sboxes_ternary.h"
#else
#include "des_sboxes_logic.h"
#endif

enum { WORDS = sizeof(V) / 8, LANES = 64 * WORDS };

/* ---- conversion between blocks and slices: a transposition of 64 x 64 bits in each word ---- */

INLINE TARGET V slice_load(const void *p)
{
    V x;
    memcpy(&x, p, sizeof x);
    return SLICE_LE(x);
}

INLINE TARGET void slice_store(void *p, V x)
{
    x = SLICE_LE(x);
    memcpy(p, &x, sizeof x);
}

/* Exchanges the bits of *a whose index has bit s set (s is a power of two) and the bits of *b whose
 * index has it clear. */
INLINE TARGET void swap_bits(V *a, V *b, unsigned s)
{
    const V mask = (uint64_t)(UINT64_MAX / ((1ull << s) + 1)) - (V){ 0 };
    SLICE_SWAP(*a, *b, s, mask);
}

/* Exchanges three bits of the vectors' indices with the same bits of the index within a word, for
 * eight vectors whose indices differ in these three bits. */
INLINE TARGET void swap_eight(V v[8], unsigned s4, unsigned s2, unsigned s1)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        if (!(i & 4))
            swap_bits(&v[i], &v[i | 4], s4);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        if (!(i & 2))
            swap_bits(&v[i], &v[i | 2], s2);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        if (!(i & 1))
            swap_bits(&v[i], &v[i | 1], s1);
}

/* The six bits of the vectors' indices are processed in two groups.  Each group has some bits that
 * x86 exchanges by shuffles and some by shifts, because these use different ports. */
#define GROUP_1(i) ((i & 4 ? 32 : 0) + (i & 2 ? 16 : 0) + (i & 1))
#define GROUP_2(i) (2 * (i))

INLINE TARGET void slice_from_blocks(V x[64], const void *in)
{
    V v[8];
    for (unsigned at = 0; at < 16; at += 2) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            v[i] = slice_load((const uint8_t *)in + (at + GROUP_1(i)) * sizeof(V));
        swap_eight(v, 32, 16, 1);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            x[at + GROUP_1(i)] = v[i];
    }
    for (unsigned at = 0; at < 64; at += at & 1 ? 15 : 1) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            v[i] = x[at + GROUP_2(i)];
        swap_eight(v, 8, 4, 2);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            x[at + GROUP_2(i)] = v[i];
    }
}

INLINE TARGET void slice_to_blocks(void *out, V x[64])
{
    V v[8];
    for (unsigned at = 0; at < 16; at += 2) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            v[i] = x[at + (GROUP_1(i) ^ 1)];
        swap_eight(v, 32, 16, 1);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            x[at + GROUP_1(i)] = v[i];
    }
    for (unsigned at = 0; at < 64; at += at & 1 ? 15 : 1) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            v[i] = x[at + GROUP_2(i)];
        swap_eight(v, 8, 4, 2);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            slice_store((uint8_t *)out + (at + GROUP_2(i)) * sizeof(V), v[i]);
    }
}

/* ---- rounds ---- */

/* IP: the index in the slices of bit n (the first is 0) of a half; the left half is in x, the right
 * half in x + 1. */
#define SLICE_AT(n) (8 * (7 - (n) % 8) + 6 - (n) / 8 * 2)

/* SLICE_FLIP is the XOR of all constants that the netlists leave out: the boxes' outputs for the
 * input 0, passed through P and E, one byte for each box.  Without it the inputs of rounds 1, 2, 5,
 * 6, 9 ... (of 0 to 15) would be wrong, so it is added to the keys of these rounds. */
#ifdef T3
#define SLICE_FLIP(n) 0
#else
#define SLICE_FLIP(n) (((n) + 1) & 2 ? 0x3937371b311b311b : 0)
#endif

/* left ^= f(right, key).  The boxes read their inputs in E's order, and write to the places that P
 * gives their outputs in the half; the first place is 1.  S3 is computed last: S1, the first box of
 * the next round, is one of the two boxes that do not read its output.  So seven other boxes can
 * run while a box waits for its input. */
INLINE TARGET void slice_round(V *left, const V *right, slice_key k)
{
#define IN(n, i) (right[SLICE_AT((4 * (n) + (i) + 31) % 32)] ^ key_bit(k, 6 * (n) + (i)))
#define OUT(p) &left[SLICE_AT((p)-1)]
#define BOX(box, n, p1, p2, p3, p4)                                                            \
    box(IN(n, 0), IN(n, 1), IN(n, 2), IN(n, 3), IN(n, 4), IN(n, 5), OUT(p1), OUT(p2), OUT(p3), \
        OUT(p4))
    BOX(des_s1, 0, 9, 17, 23, 31);
    BOX(des_s2, 1, 13, 28, 2, 18);
    BOX(des_s4, 3, 26, 20, 10, 1);
    BOX(des_s5, 4, 8, 14, 25, 3);
    BOX(des_s6, 5, 4, 29, 11, 19);
    BOX(des_s7, 6, 32, 12, 22, 7);
    BOX(des_s8, 7, 5, 27, 15, 21);
    BOX(des_s3, 2, 24, 16, 30, 6);
#undef BOX
#undef OUT
#undef IN
}

/* Runs the rounds.  Between the passes of EDE, IP and its inverse cancel, and the halves are
 * exchanged once more. */
INLINE TARGET void slice_rounds(V x[64], unsigned num_rounds, slice_key k)
{
    V *left = x, *right = x + 1;
    for (unsigned n = 1; n <= num_rounds; n++) {
        slice_round(left, right, k);
        k = key_after(k);
        if (n % 16 == 0)
            continue;
        V *const swap = left;
        left = right;
        right = swap;
    }
}

#endif
