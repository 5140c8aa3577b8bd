/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 with products of 64 bits, in the order of instructions of poly1305_step.h.  Prototypes:
 * poly1305.h. */
#include "../poly1305.h"
#include "poly1305_step.h"

/* Keeps the compiler from loading or storing words in pairs, as vectors.  The words have just been
 * stored, or are about to be loaded, one by one, and such an access would wait. */
static inline uint64_t alone(uint64_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

void poly1305_blocks_x86(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                         const struct poly1305_key *key)
{
    const uint64_t r0 = key->r[0], r1 = key->r[1], s1 = r1 + (r1 >> 2);
    uint64_t x[3] = { alone(h[0]), alone(h[1]), alone(h[2]) };
    for (; num_blocks; num_blocks--, in += 16)
        poly1305_block(x, in, r0, r1, s1);
    h[0] = alone(x[0]), h[1] = alone(x[1]), h[2] = alone(x[2]);
}
