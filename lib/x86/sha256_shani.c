/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256_shani.h"

/* state = FIPS 180-4 section 6.2.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET void sha256_blocks_shani(void *state, const uint8_t *in, size_t num_blocks)
{
    __m128i *words = state, after[2];
    words_of(after, compress_blocks(load_state(state), in, num_blocks));
    _mm_storeu_si128(words, after[0]);
    _mm_storeu_si128(words + 1, after[1]);
}
