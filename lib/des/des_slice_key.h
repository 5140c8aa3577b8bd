/* SPDX-License-Identifier: Apache-2.0 */
/* One DES key for all lanes: each key bit is a mask of 32 bits, which is broadcast when it is
 * loaded.  For triple DES 2304 masks are made in each call, which takes some 5 per cent of the time
 * of 48 rounds of LANES blocks (Granite Rapids class). */
#ifndef HR_DES_SLICE_KEY_H
#define HR_DES_SLICE_KEY_H

#include "../secret.h"
#include "des.h"

typedef const slice_mask *slice_key; /* points to the 48 masks of a round */

INLINE TARGET V key_bit(slice_key k, unsigned i)
{
    return (V)(k[i] - (slice_spread){ 0 });
}

INLINE TARGET slice_key key_after(slice_key k)
{
    return k + 48;
}

#include "des_slice.h"

/* The buffers that a kernel has on its stack; they are wiped at its end. */
struct slice_work {
    V x[64];
    slice_mask masks[48][48];
};

/* The number of masks that are made at one time, from bits in four of a round's eight bytes. */
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

/* Makes the masks of all rounds, in the order of their use. */
INLINE TARGET void slice_expand(struct slice_work *w, const struct des_key *key, int decrypt)
{
    const unsigned num_rounds = 16 * key->passes;
    for (unsigned n = 0; n < num_rounds; n++) {
        const uint8_t *from = key->round[decrypt ? num_rounds - 1 - n : n];
        slice_round_masks(w->masks[n], load_le64(from) ^ SLICE_FLIP(n));
    }
}

/* Returns LANES blocks for one run of the cipher: the input itself, or a copy of num blocks
 * followed by zeros. */
INLINE TARGET const uint8_t *slice_input(struct slice_work *w, const uint8_t *in, size_t num)
{
    uint8_t *const x = (uint8_t *)w->x;
    if (num == LANES)
        return in;
    memcpy(x, in, 8 * num);
    memset(x + 8 * num, 0, sizeof w->x - 8 * num);
    return x;
}

/* Computes out[i] = x[i] ^ in[i] for each block, from the last to the first. */
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
