/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia in portable C: all modes with the bit-sliced cipher. */
#include "../block_c.h"
#include "camellia_bitslice.h"

#define MODE(mode) camellia_##mode##_c

enum { FEW = CAMELLIA_BLOCKS };

struct few_keys {
    const struct camellia_key *key;
    enum hr_op op;
};

INLINE void few_begin(struct few_keys *k, const void *key, enum hr_op op)
{
    k->key = key;
    k->op = op;
}

INLINE void few_crypt(uint8_t *x, size_t num, const struct few_keys *k)
{
    camellia_sliced(x, k->key, k->op);
}

/* A single block uses one of the eight places; the other seven are computed in vain. */
INLINE block few_one(block x, const struct few_keys *k)
{
    uint8_t blocks[CAMELLIA_LEN] = { 0 };
    store16(blocks, x);
    camellia_sliced(blocks, k->key, k->op);
    x = load16(blocks);
    WIPE(&blocks);
    return x;
}

#include "../block_modes.h"
