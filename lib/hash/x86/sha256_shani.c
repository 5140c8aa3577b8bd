/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256_shani.h"

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.2.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void sha256_blocks_shani(void *state, const uint8_t *in, size_t num_blocks)
{
    __m128i *words = state, after[2];
    words_of(after, compress_blocks(load_state(state), in, num_blocks));
    _mm_storeu_si128(words, after[0]);
    _mm_storeu_si128(words + 1, after[1]);
}
