/* SPDX-License-Identifier: Apache-2.0 */
#include "sha1_shani.h"

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.1.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void sha1_blocks_shani(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    const struct state s = compress_blocks(load_state(words), in, num_blocks);
    _mm_storeu_si128(state, _mm_shuffle_epi32(s.abcd, 0x1b));
    words[4] = (uint32_t)_mm_extract_epi32(s.e, 3);
}
