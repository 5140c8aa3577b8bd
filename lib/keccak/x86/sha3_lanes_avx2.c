/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-3 of four messages in lanes, with AVX2. */
#include "../keccak.h"

#include "keccak_avx2.h"

/* Absorbs num_blocks blocks of every lane. */
TARGET void sha3_lanes_avx2(struct digest_lanes *l, size_t num_blocks)
{
    sponge_lanes(l, num_blocks);
    leave();
}
