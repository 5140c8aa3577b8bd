/* SPDX-License-Identifier: Apache-2.0 */
/* CFB128 encryption, SP 800-38A section 6.3: out[i] = in[i] ^ E(out[i - 1]), out[-1] = iv.  The
 * file that includes this one chooses the instruction encoding (SSE or VEX).
 *
 *   int aes_cfb_encrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last out[i].  See
 * aes_chain.h for the chain. */
#include "aes_chain.h"

INLINE TARGET __m128i step(uint8_t *out, const uint8_t *in, __m128i x, const struct schedule *s,
                           unsigned rounds)
{
    const __m128i fold = _mm_xor_si128(s->both, load16(in));
    x = _mm_aesenclast_si128(middle_rounds(x, s, rounds), fold);
    store16(out, _mm_xor_si128(x, s->first));
    return x;
}

INLINE TARGET void cfb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    struct schedule s;
    load_schedule(&s, key, rounds);
    __m128i x = _mm_xor_si128(load16(iv), s.first);
    for (; num_blocks >= 4; num_blocks -= 4, in += 64, out += 64) {
        x = step(out, in, x, &s, rounds);
        x = step(out + 16, in + 16, x, &s, rounds);
        x = step(out + 32, in + 32, x, &s, rounds);
        x = step(out + 48, in + 48, x, &s, rounds);
    }
    for (; num_blocks; num_blocks--, in += 16, out += 16)
        x = step(out, in, x, &s, rounds);
    store_next(next, _mm_xor_si128(x, s.first));
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                       const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const __m128i x = _mm_xor_si128(encrypt16(load16(iv), key, rounds), load16(in));
    store16(out, x);
    store_next(next, x);
}

AES_KERNEL(aes_cfb_encrypt, one, cfb)
