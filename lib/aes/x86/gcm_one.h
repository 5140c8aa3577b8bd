/* SPDX-License-Identifier: Apache-2.0 */
/* GCM of a text of one block without AAD, with AVX-512: one vector of two blocks has all of it, the
 * text and the block of lengths, whose keystream is the tag's mask. */

typedef __m256i block2;

INLINE TARGET_GCM block2 key_of_2(const uint8_t key[16])
{
    return _mm256_broadcastsi128_si256(load16(key));
}

INLINE TARGET_GCM block2 xor3_of_2(block2 a, block2 b, block2 c)
{
    return _mm256_ternarylogic_epi64(a, b, c, 0x96);
}

INLINE TARGET_GCM block2 encrypt_2(block2 s, const struct aes_key *key)
{
    const unsigned rounds = key->rounds;
#pragma GCC unroll 9
    for (unsigned r = 1; r < 10; r++)
        s = _mm256_aesenc_epi128(s, key_of_2(key->enc[r]));
    if (rounds > 10) {
#pragma GCC unroll 4
        for (unsigned r = 10; r < 14; r++) {
            if (r == 12 && rounds == 12)
                break;
            s = _mm256_aesenc_epi128(s, key_of_2(key->enc[r]));
        }
    }
    return _mm256_aesenclast_epi128(s, key_of_2(key->enc[rounds]));
}

/* The hash of two blocks; see reduce(). */
INLINE TARGET_GCM block hash_of(block2 x, const struct aead_key *key)
{
    const block2 h = _mm256_loadu_si256((const __m256i *)key->powers[POWERS - 2]);
    const block2 by = _mm256_load_si256((const __m256i *)gcm_polynomial_table);
    const block2 low = _mm256_clmulepi64_epi128(x, h, 0x00),
                 high = _mm256_clmulepi64_epi128(x, h, 0x11);
    const block2 middle =
        xor3_of_2(_mm256_xor_si256(_mm256_clmulepi64_epi128(x, h, 0x01),
                                   _mm256_clmulepi64_epi128(x, h, 0x10)),
                  _mm256_shuffle_epi32(low, 0x4e), _mm256_clmulepi64_epi128(low, by, 0x00));
    const block2 sum = xor3_of_2(high, _mm256_shuffle_epi32(middle, 0x4e),
                                 _mm256_clmulepi64_epi128(middle, by, 0x00));
    return xor16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

INLINE TARGET_GCM int is_one(size_t len)
{
    return len == 16;
}

INLINE TARGET_GCM int crypt_one(uint8_t *out, uint8_t *tag, const uint8_t *in, size_t len,
                                const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    static const uint8_t counters[2][16] __attribute__((aligned(32))) = { COUNTER(2), COUNTER(1) };
    const block nonce = load_iv(iv);
    const block2 s = encrypt_2(xor3_of_2(_mm256_set_m128i(nonce, nonce), key_of_2(key->aes.enc[0]),
                                         _mm256_load_si256((const __m256i *)counters)),
                               &key->aes);
    const block x = load16(in), y = xor16(x, _mm256_castsi256_si128(s));
    store16(out, y);
    const block hashed = reverse16(op == HR_OP_DECRYPT ? x : y),
                lengths = _mm_cvtsi32_si128(8 * 16);
    const block hash = hash_of(_mm256_set_m128i(lengths, hashed), key);
    return tag_of(xor16(reverse16(hash), _mm256_extracti128_si256(s, 1)), tag, 16, out, len, op);
}
