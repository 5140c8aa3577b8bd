/* SPDX-License-Identifier: Apache-2.0 */
#include "../../hmac.h"
#include "sha1_shani.h"

/* HMAC-SHA-1 (RFC 2104): compresses the message's blocks at `in`, those at `last`, then the outer
 * digest's block.  The inner digest stays in registers from one compression to the next, where it
 * already has the order of a block's words.  `out` may lie anywhere, because it is written last. */
TARGET void sha1_hmac_shani(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                            size_t num_blocks, const uint8_t *last, size_t num_last)
{
    struct state s = compress_blocks(load_state(key->inner.w32), in, num_blocks);
    s = compress_blocks(s, last, num_last);

    const __m128i one = _mm_set_epi32(0, INT32_MIN, 0, 0); /* the padding's first bit */
    const __m128i e = _mm_and_si128(s.e, _mm_set_epi32(-1, 0, 0, 0));
    __m128i w[4] = { s.abcd, _mm_or_si128(e, one), _mm_setzero_si128(),
                     _mm_set_epi32(0, 0, 0, 8 * (64 + 20)) };
    s = compress(load_state(key->outer.w32), w);
    _mm_storeu_si128((__m128i *)out, highest(s.abcd));
    store_be32(out + 16, (uint32_t)_mm_extract_epi32(s.e, 3));
}
