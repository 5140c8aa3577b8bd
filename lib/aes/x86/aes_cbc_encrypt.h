/* SPDX-License-Identifier: Apache-2.0 */
/* CBC encryption, SP 800-38A section 6.2: out[i] = E(in[i] ^ out[i - 1]), out[-1] = iv.  The file
 * that includes this one chooses the instruction encoding (SSE or VEX).
 *
 *   int aes_cbc_encrypt_<isa>(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is equal to in or does not overlap it; any alignment; next becomes the last out[i].  See
 * aes_chain.h for the chain. */
#include "aes_chain.h"

/* Stores the ciphertext of the block whose state is x; returns the state of the next block. */
INLINE TARGET __m128i step(uint8_t *out, const uint8_t *next_in, __m128i x,
                           const struct schedule *s, unsigned rounds)
{
    const __m128i fold = _mm_xor_si128(s->both, load16(next_in));
    x = middle_rounds(x, s, rounds);
    store16(out, _mm_aesenclast_si128(x, s->last));
    return _mm_aesenclast_si128(x, fold);
}

INLINE TARGET void cbc(uint8_t *out, const uint8_t *in, size_t num_blocks,
                       const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                       unsigned rounds)
{
    struct schedule s;
    if (!num_blocks) {
        store_next(next, load16(iv));
        return;
    }
    load_schedule(&s, key, rounds);
    __m128i x = _mm_xor_si128(_mm_xor_si128(load16(in), s.first), load16(iv));
    for (; num_blocks > 4; num_blocks -= 4, in += 64, out += 64) {
        x = step(out, in + 16, x, &s, rounds);
        x = step(out + 16, in + 32, x, &s, rounds);
        x = step(out + 32, in + 48, x, &s, rounds);
        x = step(out + 48, in + 64, x, &s, rounds);
    }
    in += 16 * num_blocks, out += 16 * num_blocks;
    if (num_blocks > 3)
        x = step(out - 64, in - 48, x, &s, rounds);
    if (num_blocks > 2)
        x = step(out - 48, in - 32, x, &s, rounds);
    if (num_blocks > 1)
        x = step(out - 32, in - 16, x, &s, rounds);
    x = _mm_aesenclast_si128(middle_rounds(x, &s, rounds), s.last);
    store16(out - 16, x);
    store_next(next, x);
}

INLINE TARGET void one(uint8_t *out, const uint8_t *in, const struct aes_key *key,
                       const uint8_t iv[16], uint8_t next[16], unsigned rounds)
{
    const __m128i x = encrypt16(_mm_xor_si128(load16(in), load16(iv)), key, rounds);
    store16(out, x);
    store_next(next, x);
}

AES_KERNEL(aes_cbc_encrypt, one, cbc)
