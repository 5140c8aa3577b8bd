/* SPDX-License-Identifier: Apache-2.0 */
/* DES-CBC and DES-CFB64 encryption (FIPS 46-3, FIPS 81) of many messages, bit-sliced
 * (lib/des/des_slice.h): a lane is one bit of each vector.
 *
 *   void des_<mode>_lanes_<isa>(struct wide_lanes *l, size_t num_blocks);
 *
 * The lanes' keys are vectors too: the 28 bits of C and the 28 bits of D. Each half is stored twice
 * in a row, so that a rotation by the key schedule only changes the index to start at. */
#ifndef HR_DES_LANES_H
#define HR_DES_LANES_H

#include "des.h"

enum { DES_HALF = 28, DES_KEY_SLICES = 4 * DES_HALF };

/* The key of one round: `c` points to C rotated as far as this round wants it; D follows. */
typedef struct {
    const V (*passes)[DES_KEY_SLICES];
    const V *c;
    unsigned round;
    V flip; /* all ones if SLICE_FLIP(round) is not 0 */
} slice_key;

INLINE TARGET V key_bit(slice_key k, unsigned i);
INLINE TARGET slice_key key_after(slice_key k);

#include "des_slice.h"

/* The index behind `c` of bit n of PC-2: bits from 29 on are in D, which follows the second copy of
 * C. */
#define KEY_PLACE(n) ((n) <= DES_HALF ? (n)-1 : (n)-1 + DES_HALF)

INLINE TARGET V key_bit(slice_key k, unsigned i)
{
    static const uint8_t pc2[48] = {
        14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
        26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
        51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32
    };
    const V bit = k.c[KEY_PLACE(pc2[i])];
    return (uint64_t)SLICE_FLIP(1) >> (8 * (i / 6) + 5 - i % 6) & 1 ? bit ^ k.flip : bit;
}

INLINE TARGET slice_key key_of_round(slice_key k, unsigned n)
{
    static const uint8_t turned[16] = { 1, 2, 4, 6, 8, 10, 12, 14, 15, 17, 19, 21, 23, 25, 27, 28 };
    const unsigned pass = n / 16 % 3, i = n % 16;
    k.round = n;
    k.c = k.passes[pass] + turned[pass == 1 ? 15 - i : i]; /* the middle pass of EDE is
                                                            * decryption */
    k.flip = (V){ 0 } - (SLICE_FLIP(n) != 0);
    return k;
}

INLINE TARGET slice_key key_after(slice_key k)
{
    return key_of_round(k, k.round + 1);
}

/* The layout of wide_lanes.planes.  GROUP blocks of a message, as many as a vector has words, are
 * loaded at once: there are more lanes than a cache has ways, so single loads would fetch the cache
 * line again for each block. */
enum { GROUP = WORDS };

struct des_lanes_work {
    V keys[3][DES_KEY_SLICES];
    V x[64], text[GROUP][64]; /* text: blocks, or their bit slices */
};
static_assert(sizeof(struct des_lanes_work) <= WIDE_PLANES, "its room");

/* The index in the slices of bit n in FIPS 46-3's numbering, where the first bit is 1. */
#define SLICE_OF_BIT(n) (((n)-1) / 8 * 8 + 7 - ((n)-1) % 8)

/* Makes the vectors of the lanes' keys from l->keys, which has 8 bytes for each pass of each lane.
 */
INLINE TARGET void slice_keys(struct des_lanes_work *w, struct wide_lanes *l)
{
    static const uint8_t pc1[2 * DES_HALF] = { 57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34,
                                               26, 18, 10, 2,  59, 51, 43, 35, 27, 19, 11, 3,
                                               60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,
                                               62, 54, 46, 38, 30, 22, 14, 6,  61, 53, 45, 37,
                                               29, 21, 13, 5,  28, 20, 12, 4 };
    const size_t passes = l->rounds / 16;
    for (size_t p = 0; p < passes; p++) {
        for (size_t i = 0; i < l->live; i++)
            memcpy((uint8_t *)w->x + 8 * i, l->keys + 8 * (passes * i + p), 8);
        slice_from_blocks(w->x, w->x);
        for (size_t i = 0; i < 2 * DES_HALF; i++) {
            V *to = w->keys[p] + i + i / DES_HALF * DES_HALF;
            to[0] = to[DES_HALF] = w->x[SLICE_OF_BIT(pc1[i])];
        }
    }
    l->fresh = 0;
}

/* ---- text ---- */

/* swap_words() exchanges the words of *a whose number has bit d set (d is a power of two) and the
 * words of *b whose number has it clear. */
#ifdef ONE_WORD
INLINE void swap_words(V *a, V *b, unsigned d) {}
#else
/* Selects words of two vectors by their numbers, which are constants. gcc makes one instruction of
 * this only through __builtin_shuffle, which clang does not have and does not need. */
#ifdef __clang__
INLINE TARGET V choose_words(V low, V high, V number)
{
    V out;
#pragma GCC unroll 8
    for (unsigned j = 0; j < GROUP; j++)
        out[j] = number[j] < GROUP ? low[number[j] % GROUP] : high[number[j] % GROUP];
    return out;
}
#else
INLINE TARGET V choose_words(V low, V high, V number)
{
    return __builtin_shuffle(low, high, number);
}
#endif

INLINE TARGET void swap_words(V *a, V *b, unsigned d)
{
    const V low = *a, high = *b;
    V first, second;
#pragma GCC unroll 8
    for (unsigned j = 0; j < GROUP; j++) {
        first[j] = j & d ? GROUP + j - d : j;
        second[j] = j & d ? GROUP + j : j + d;
    }
    *a = choose_words(low, high, first);
    *b = choose_words(low, high, second);
}
#endif

/* Exchanges word j of v[i] and word i of v[j]. */
INLINE TARGET void transpose_words(V v[GROUP])
{
#pragma GCC unroll 3
    for (unsigned d = 1; d < GROUP; d *= 2)
#pragma GCC unroll 8
        for (unsigned i = 0; i < GROUP; i++)
            if (!(i & d))
                swap_words(&v[i], &v[i | d], d);
}

INLINE TARGET void gather_group(struct des_lanes_work *w, const struct wide_lanes *l, size_t at)
{
    V v[GROUP];
    for (size_t i = 0; i < l->live; i += GROUP) {
#pragma GCC unroll 8
        for (size_t j = 0; j < GROUP; j++) {
            const uint8_t *in = l->in[i + j < l->live ? i + j : i] + at;
            memcpy(&v[j], in, sizeof v[j]);
            __builtin_prefetch(in + sizeof v[j], 0, 2);
            __builtin_prefetch(l->out[i + j < l->live ? i + j : i] + at, 1, 2);
        }
        transpose_words(v);
#pragma GCC unroll 8
        for (size_t j = 0; j < GROUP; j++)
            w->text[j][i / GROUP] = v[j];
    }
}

INLINE TARGET void scatter_group(const struct des_lanes_work *w, const struct wide_lanes *l,
                                 size_t at)
{
    V v[GROUP];
    for (size_t i = 0; i < l->live; i += GROUP) {
#pragma GCC unroll 8
        for (size_t j = 0; j < GROUP; j++)
            v[j] = w->text[j][i / GROUP];
        transpose_words(v);
#pragma GCC unroll 8
        for (size_t j = 0; j < GROUP; j++)
            if (i + j < l->live)
                memcpy(l->out[i + j] + at, &v[j], sizeof v[j]);
    }
}

/* gather() loads and scatter() stores num blocks of each message, num <= GROUP. */
INLINE TARGET void gather(struct des_lanes_work *w, const struct wide_lanes *l, size_t at,
                          size_t num)
{
    if (num == GROUP)
        gather_group(w, l, at);
    else
        for (size_t i = 0; i < l->live; i++)
            for (size_t j = 0; j < num; j++)
                memcpy((uint8_t *)w->text[j] + 8 * i, l->in[i] + at + 8 * j, 8);
}

INLINE TARGET void scatter(const struct des_lanes_work *w, const struct wide_lanes *l, size_t at,
                           size_t num)
{
    if (num == GROUP)
        scatter_group(w, l, at);
    else
        for (size_t i = 0; i < l->live; i++)
            for (size_t j = 0; j < num; j++)
                memcpy(l->out[i] + at + 8 * j, (const uint8_t *)w->text[j] + 8 * i, 8);
}

INLINE TARGET void advance_lanes(struct wide_lanes *l, size_t len)
{
    for (size_t i = 0; i < l->live; i++) {
        l->in[i] += len;
        l->out[i] += len;
    }
}

/* ---- chained modes ---- */

/* Loads the block that precedes the first one in the chain.  If `exchange`, its halves are
 * exchanged, as the rounds leave them. */
INLINE TARGET void load_state(struct des_lanes_work *w, const struct wide_lanes *l, int exchange)
{
    V *text = w->text[0];
    memcpy(text, l->state, 8 * l->live);
    slice_from_blocks(text, text);
    for (size_t i = 0; i < 64; i++)
        w->x[i] = text[exchange ? i ^ 1 : i];
}

/* cbc_block() and cfb_block() encrypt a block of each lane.  The rounds leave the halves exchanged;
 * slice_to_blocks() takes that into account, and so does the chaining in these functions. */
INLINE TARGET void cbc_block(struct des_lanes_work *w, V text[64], uint32_t rounds, slice_key key)
{
    V *x = w->x;
    for (size_t i = 0; i < 64; i += 2) {
        const V left = x[i];
        x[i] = x[i + 1] ^ text[i];
        x[i + 1] = left ^ text[i + 1];
    }
    slice_rounds(x, rounds, key);
    for (size_t i = 0; i < 64; i++)
        text[i] = x[i];
}

INLINE TARGET void cfb_block(struct des_lanes_work *w, V text[64], uint32_t rounds, slice_key key)
{
    V *x = w->x;
    slice_rounds(x, rounds, key);
    for (size_t i = 0; i < 64; i += 2) {
        const V left = x[i + 1] ^ text[i], right = x[i] ^ text[i + 1];
        x[i] = text[i + 1] = left;
        x[i + 1] = text[i] = right;
    }
}

INLINE TARGET void des_lanes(struct wide_lanes *l, size_t num_blocks, int cfb)
{
    struct des_lanes_work *w = (struct des_lanes_work *)l->planes;
    const slice_key all = { .passes = (const V(*)[DES_KEY_SLICES])w->keys };
    const slice_key key = key_of_round(all, 0);
    const V *last = NULL;
    if (l->fresh)
        slice_keys(w, l);
    load_state(w, l, !cfb);
    for (size_t num, at = 0; at < num_blocks; at += num) {
        num = num_blocks - at < GROUP ? num_blocks - at : GROUP;
        gather(w, l, 8 * at, num);
        for (size_t i = 0; i < num; i++) {
            V *text = w->text[i];
            slice_from_blocks(text, text);
            if (cfb)
                cfb_block(w, text, l->rounds, key);
            else
                cbc_block(w, text, l->rounds, key);
            slice_to_blocks(text, text);
            last = text;
        }
        scatter(w, l, 8 * at, num);
    }
    memcpy(l->state, last, 8 * l->live);
    advance_lanes(l, 8 * num_blocks);
}

#endif
