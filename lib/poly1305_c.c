/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 with products of 64 bits.  Kernels: see poly1305.h. */
#include "poly1305.h"

typedef unsigned __int128 u128;

static inline __attribute__((always_inline)) void blocks(uint64_t h[3], const uint8_t *in,
                                                         size_t num_blocks,
                                                         const struct poly1305_key *key,
                                                         uint64_t bit_128)
{
    /* r1 is a multiple of 4, and 2^130 = 5: h1 r1 2^128 = h1 (r1 / 4) 5 */
    const uint64_t r0 = key->r[0], r1 = key->r[1], s1 = r1 + (r1 >> 2);
    uint64_t h0 = h[0], h1 = h[1], h2 = h[2];
    for (; num_blocks; num_blocks--, in += 16) {
        u128 x = (u128)h0 + load_le64(in);
        h0 = (uint64_t)x;
        x = (u128)h1 + load_le64(in + 8) + (uint64_t)(x >> 64);
        h1 = (uint64_t)x;
        h2 += (uint64_t)(x >> 64) + bit_128;
        const u128 low = (u128)h0 * r0 + (u128)h1 * s1;
        const u128 high = (u128)h0 * r1 + (u128)h1 * r0 + (u128)(h2 * s1) + (low >> 64);
        const uint64_t top = h2 * r0 + (uint64_t)(high >> 64);
        h2 = top & 3;
        x = (u128)(uint64_t)low + (top & ~UINT64_C(3)) + (top >> 2);
        h0 = (uint64_t)x;
        x = (u128)(uint64_t)high + (uint64_t)(x >> 64);
        h1 = (uint64_t)x;
        h2 += (uint64_t)(x >> 64);
    }
    h[0] = h0, h[1] = h1, h[2] = h2;
}

void poly1305_blocks_c(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                       const struct poly1305_key *key)
{
    blocks(h, in, num_blocks, key, 1);
}

void poly1305_last_block(uint64_t h[3], const uint8_t block[16], const struct poly1305_key *key)
{
    blocks(h, block, 1, key, 0);
}
