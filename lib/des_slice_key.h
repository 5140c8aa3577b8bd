/* SPDX-License-Identifier: Apache-2.0 */
/* One DES key for all lanes: each key bit is a mask of 32 bits, which vectors load spread.  2304 of
 * them are made for each call, some 5 per cent of a pass of 48 rounds (Granite Rapids class). */
#ifndef HR_DES_SLICE_KEY_H
#define HR_DES_SLICE_KEY_H

#include "des.h"
#include "secret.h"

typedef const slice_mask *slice_key; /* to a round's 48 */

INLINE TARGET V key_bit(slice_key k, unsigned i)
{
    return (V)(k[i] - (slice_spread){ 0 });
}

INLINE TARGET slice_key key_after(slice_key k)
{
    return k + 48;
}

#include "des_slice.h"

/* What a kernel has on its stack, wiped at its end. */
struct slice_work {
    V x[64];
    slice_mask masks[48][48];
};

/* Masks that are made at one time, of bits in four bytes of a round's eight. */
enum { NUM_MASKS = sizeof(V) < 16 ? 4 : sizeof(V) / 4 };
typedef int32_t slice_masks __attribute__((vector_size(4 * NUM_MASKS)));

INLINE TARGET void slice_round_masks(slice_mask masks[48], uint64_t bits)
{
#pragma GCC unroll 12
    for (unsigned i = 0; i < 48; i += NUM_MASKS) {
        const unsigned byte = i / 6 < 4 ? i / 6 : 4;
        slice_masks bit;
#pragma GCC unroll 16
        for (unsigned j = 0; j < NUM_MASKS; j++)
            bit[j] = (int32_t)(1u << (((i + j) / 6 - byte) * 8 + 5 - (i + j) % 6));
        const slice_masks m = ((int32_t)(bits >> 8 * byte) & bit) == bit;
        memcpy(masks + i, &m, sizeof m);
    }
}

/* The rounds in the order in which they are used. */
INLINE TARGET void slice_expand(struct slice_work *w, const struct des_key *key, int decrypt)
{
    const unsigned num_rounds = 16 * key->passes;
    for (unsigned n = 0; n < num_rounds; n++) {
        const uint8_t *from = key->round[decrypt ? num_rounds - 1 - n : n];
        slice_round_masks(w->masks[n], load_le64(from) ^ SLICE_FLIP(n));
    }
}

/* What a pass reads: num blocks, and zeros up to LANES. */
INLINE TARGET const uint8_t *slice_input(struct slice_work *w, const uint8_t *in, size_t num)
{
    uint8_t *const x = (uint8_t *)w->x;
    if (num == LANES)
        return in;
    memcpy(x, in, 8 * num);
    memset(x + 8 * num, 0, sizeof w->x - 8 * num);
    return x;
}

/* out[i] = x[i] ^ in[i], of blocks, the last one first. */
INLINE TARGET void slice_xor(uint8_t *out, const void *x, const uint8_t *in, size_t num_blocks)
{
    const uint8_t *from = x;
    size_t i = num_blocks;
    for (; i % WORDS; i--)
        store_le64(out + 8 * i - 8, load_le64(from + 8 * i - 8) ^ load_le64(in + 8 * i - 8));
    for (; i; i -= WORDS) {
        const size_t at = 8 * (i - WORDS);
        slice_store(out + at, slice_load(from + at) ^ slice_load(in + at));
    }
}

INLINE TARGET void slice_wipe(struct slice_work *w, unsigned num_rounds)
{
    WIPE(&w->x);
    wipe_bytes(w->masks, num_rounds * sizeof w->masks[0]);
}

#endif
