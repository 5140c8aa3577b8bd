/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 with products of 64 bits, in the order of instructions of poly1305_step.h.  Prototypes:
 * poly1305.h. */
#include "../poly1305.h"
#include "poly1305_step.h"

void poly1305_blocks_x86(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                         const struct poly1305_key *key)
{
    const uint64_t r0 = key->r[0], r1 = key->r[1], s1 = r1 + (r1 >> 2);
    uint64_t x[3] = { h[0], h[1], h[2] };
    for (; num_blocks; num_blocks--, in += 16)
        poly1305_block(x, in, r0, r1, s1);
    h[0] = x[0], h[1] = x[1], h[2] = x[2];
}
