/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-3 of eight messages in lanes, with AVX-512. */
#include "../keccak.h"

#include "keccak_avx512.h"

/* Absorbs num_blocks blocks of every lane. */
TARGET void sha3_lanes_avx512(struct digest_lanes *l, size_t num_blocks)
{
    sponge_lanes(l, num_blocks);
    leave();
}
