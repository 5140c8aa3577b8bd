/* SPDX-License-Identifier: Apache-2.0 */
#include "sha512_ce.h"

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.4.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void sha512_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint64_t *words = state;
    const struct state s = compress_blocks(load_state(words), in, num_blocks);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        vst1q_u64(words + 2 * i, s.pair[i]);
}
