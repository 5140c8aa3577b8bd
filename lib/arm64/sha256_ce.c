/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256_ce.h"

/* state = FIPS 180-4 section 6.2.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET void sha256_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    const struct state s = compress_blocks(load_state(words), in, num_blocks);
    vst1q_u32(words, s.abcd);
    vst1q_u32(words + 4, s.efgh);
}
