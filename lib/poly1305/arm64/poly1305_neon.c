/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of Poly1305 in NEON. Prototypes: poly1305.h. */
#include "poly1305_neon.h"

void poly1305_setup_neon(struct poly1305_key *key)
{
    make_powers(key);
}

void poly1305_blocks_neon(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                          const struct poly1305_key *key)
{
    blocks(h, in, num_blocks, key);
}
