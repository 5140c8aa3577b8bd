/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256_ce.h"

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.2.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void sha256_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    const struct state s = compress_blocks(load_state(words), in, num_blocks);
    vst1q_u32(words, s.abcd);
    vst1q_u32(words + 4, s.efgh);
}
