/* SPDX-License-Identifier: Apache-2.0 */
#include "sha1_ce.h"

/* state = FIPS 180-4 section 6.1.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET void sha1_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    const struct state s = compress_blocks(load_state(words), in, num_blocks);
    vst1q_u32(words, s.abcd);
    words[4] = vgetq_lane_u32(s.e, 0);
}
