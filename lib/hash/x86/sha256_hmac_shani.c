/* SPDX-License-Identifier: Apache-2.0 */
#include "../../hmac.h"
#include "sha256_shani.h"

/* HMAC-SHA-256 or -224 (RFC 2104): compresses the message's blocks at `in`, those at `last`, then
 * the outer digest's block.  The inner digest stays in registers from one compression to the next.
 * `out` may lie anywhere, because it is written last. */
TARGET void sha256_hmac_shani(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                              size_t num_blocks, const uint8_t *last, size_t num_last)
{
    const int cut = key->impl->out_len == 28;
    const __m128i one = _mm_set_epi32(0, 0, 0, INT32_MIN); /* the padding's first bit */
    struct state s = compress_blocks(load_state(&key->inner), in, num_blocks);
    s = compress_blocks(s, last, num_last);

    __m128i w[4], mac[2];
    words_of(w, s);
    if (cut)
        w[1] = _mm_blend_epi16(w[1], _mm_slli_si128(one, 12), 0xc0);
    w[2] = cut ? _mm_setzero_si128() : one;
    w[3] = _mm_set_epi32(8 * (64 + key->impl->out_len), 0, 0, 0);
    words_of(mac, compress(load_state(&key->outer), w));
    mac[1] = big_endian(mac[1]);
    _mm_storeu_si128((__m128i *)out, big_endian(mac[0]));
    if (cut) {
        _mm_storel_epi64((__m128i *)(out + 16), mac[1]);
        store_le32(out + 24, (uint32_t)_mm_extract_epi32(mac[1], 2));
    } else {
        _mm_storeu_si128((__m128i *)(out + 16), mac[1]);
    }
}
