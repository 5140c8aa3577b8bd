/* SPDX-License-Identifier: Apache-2.0 */
#include "sha1_ce.h"

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.1.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void sha1_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    const struct state s = compress_blocks(load_state(words), in, num_blocks);
    vst1q_u32(words, s.abcd);
    words[4] = vgetq_lane_u32(s.e, 0);
}
