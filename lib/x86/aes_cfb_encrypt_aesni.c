/* SPDX-License-Identifier: Apache-2.0 */
/* CFB128 encryption, SP 800-38A section 6.3: out[i] = in[i] ^ E(out[i - 1]), out[-1] = iv.
 *
 *   int aes_cfb_encrypt_aesni(uint8_t *out, const uint8_t *in, size_t num_blocks,
 *                             const struct aes_key *key, const uint8_t iv[16], uint8_t next[16]);
 *
 * out is in or does not touch it; any alignment; next becomes the last out[i].
 *
 * Each block waits for the one before, so only the chain's latency counts.  AESENCLAST ends with an
 * XOR; giving it last key ^ first key ^ input makes the next block's whitened state at once, and
 * the chain is nothing but `rounds` AES instructions.  The ciphertext is taken out beside it. */
#include "aes_x86.h"

INLINE TARGET_AESNI void cfb(uint8_t *out, const uint8_t *in, size_t num_blocks,
                             const struct aes_key *key, const uint8_t iv[16], uint8_t next[16],
                             unsigned rounds)
{
    const __m128i first = key16(key->enc[0]), last = key16(key->enc[rounds]);
    const __m128i both = _mm_xor_si128(first, last);
    __m128i x = _mm_xor_si128(load16(iv), first);
    for (; num_blocks; num_blocks--, in += 16, out += 16) {
        const __m128i fold = _mm_xor_si128(both, load16(in));
#pragma GCC unroll 14
        for (unsigned r = 1; r < rounds; r++)
            x = _mm_aesenc_si128(x, key16(key->enc[r]));
        x = _mm_aesenclast_si128(x, fold);
        store16(out, _mm_xor_si128(x, first));
    }
    store_next(next, _mm_xor_si128(x, first));
}

TARGET_AESNI int aes_cfb_encrypt_aesni(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                       const struct aes_key *key, const uint8_t iv[16],
                                       uint8_t next[16])
{
    FOR_ROUNDS(key, cfb, out, in, num_blocks, key, iv, next);
    return 0;
}
