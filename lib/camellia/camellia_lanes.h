/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia-CBC and -CFB128 encryption (RFC 3713, SP 800-38A) of many messages, byte-sliced
 * (lib/camellia/camellia_slice.h): a lane is one byte of each vector, also of the keys' vectors.
 *
 *   void camellia_<mode>_lanes_<isa>(struct wide_lanes *l, size_t num_blocks);
 *
 * A file that includes this one first defines V, and all that lib/camellia/camellia_slice.h needs
 * except slice_keys and key_at. */
#ifndef HR_CAMELLIA_LANES_H
#define HR_CAMELLIA_LANES_H

#include "../batch.h"

typedef const V (*slice_keys)[8];

INLINE TARGET V key_at(slice_keys k, unsigned n, unsigned i)
{
    return k[n][i];
}

#include "camellia_slice.h"

/* The layout of wide_lanes.planes. */
struct camellia_lanes_work {
    V keys[CAMELLIA_LANE_KEY / 8][8];
    V x[16];
};
static_assert(sizeof(struct camellia_lanes_work) <= WIDE_PLANES, "its room");

/* Makes the keys' vectors.  A lane's key is its program, not transformed by a map; two entries are
 * as long as a block. */
INLINE TARGET void slice_programs(struct camellia_lanes_work *w, struct wide_lanes *l)
{
    const unsigned num = camellia_program_len(l->rounds);
    for (unsigned n = 0; n < num; n += 2) {
        for (size_t i = 0; i < l->live; i++)
            memcpy((uint8_t *)w->x + 16 * i, l->keys + CAMELLIA_LANE_KEY * i + 8 * n, 16);
        slice_transpose(w->x);
        UNROLL for (unsigned i = 0; i < 8; i++)
        {
            const V first = w->x[i], second = w->x[8 + i];
            w->keys[n][i] = camellia_of_round(n, l->rounds) ? enter(first, n & 1) : first;
            w->keys[n + 1][i] =
                camellia_of_round(n + 1, l->rounds) ? enter(second, !(n & 1)) : second;
        }
    }
    l->fresh = 0;
}

/* ---- messages ---- */

INLINE TARGET void crypt_blocks(V x[16], slice_keys k, unsigned rounds)
{
    slice_transpose(x);
    slice_crypt(x, k, rounds);
    slice_transpose(x);
}

/* Loads a block of each message.  Hardware prefetchers cannot follow so many messages, so the next
 * cache line of each input and output is prefetched. */
INLINE TARGET void gather(uint8_t *blocks, const struct wide_lanes *l, size_t at)
{
    for (size_t i = 0; i < l->live; i++)
        memcpy(blocks + 16 * i, l->in[i] + at, 16);
    for (size_t i = 0; at % 64 == 0 && i < l->live; i++) {
        __builtin_prefetch(l->in[i] + at + 64, 0, 2);
        __builtin_prefetch(l->out[i] + at + 64, 1, 2);
    }
}

INLINE TARGET void camellia_lanes(struct wide_lanes *l, size_t num_blocks, int cfb)
{
    struct camellia_lanes_work *w = (struct camellia_lanes_work *)l->planes;
    uint8_t *const blocks = (uint8_t *)w->x;
    V x[16];
    if (l->fresh)
        slice_programs(w, l);
    memcpy(blocks, l->state, 16 * l->live);
    memcpy(x, w->x, sizeof x);
    for (size_t at = 0; at < 16 * num_blocks; at += 16) {
        gather(blocks, l, at);
        if (cfb)
            crypt_blocks(x, (slice_keys)w->keys, l->rounds);
        UNROLL for (size_t i = 0; i < 16; i++) x[i] ^= w->x[i];
        if (!cfb)
            crypt_blocks(x, (slice_keys)w->keys, l->rounds);
        memcpy(w->x, x, sizeof x);
        for (size_t i = 0; i < l->live; i++)
            memcpy(l->out[i] + at, blocks + 16 * i, 16);
    }
    memcpy(l->state, blocks, 16 * l->live);
    for (size_t i = 0; i < l->live; i++) {
        l->in[i] += 16 * num_blocks;
        l->out[i] += 16 * num_blocks;
    }
}

#endif
