/* SPDX-License-Identifier: Apache-2.0 */
/* Key expansion, FIPS 197 section 5.2: w[i] = w[i - n] ^ f(w[i - 1]), n words at a time.
 *
 * AESENCLAST on a state of four equal columns computes SubWord of each column, since ShiftRows only
 * exchanges bytes between equal columns; its round key is the constant Rcon.  The rest of a step is
 * a sum of all words before each word: two shifts and XORs, which do not wait for SubWord.
 *
 *   void aes_expand_aesni(struct aes_key *key, const uint8_t *bytes, size_t bytes_len,
 *                         int decrypt);
 *
 * bytes_len is 16, 24 or 32; any alignment; bytes lie outside *key.  Each key length has code
 * without loops: a request that brings its key as bytes has to expand it, and a mispredicted branch
 * costs more than a step. */
#include "aes_x86.h"

static const uint8_t rcon[10] = { 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36 };

/* PSHUFB indices for a word of x in all columns: RotWord of word 1, RotWord of word 3, or word 3
 * unchanged. sub_words() returns SubWord of that. */
enum { ROT1 = 0x04070605, ROT3 = 0x0c0f0e0d, SAME3 = 0x0f0e0d0c };

INLINE TARGET_AESNI block sub_words(block x, int word, uint8_t constant)
{
    return _mm_aesenclast_si128(_mm_shuffle_epi8(x, _mm_set1_epi32(word)),
                                _mm_set1_epi32(constant));
}

/* Each word becomes the sum of itself and all words before it. */
INLINE TARGET_AESNI block sums(block x)
{
    x = _mm_xor_si128(x, _mm_slli_si128(x, 4));
    return _mm_xor_si128(x, _mm_slli_si128(x, 8));
}

INLINE TARGET_AESNI void expand_128(uint8_t (*enc)[16], const uint8_t *bytes)
{
    block a = load16(bytes);
    store16(enc[0], a);
#pragma GCC unroll 10
    for (int r = 0; r < 10; r++) {
        a = _mm_xor_si128(sums(a), sub_words(a, ROT3, rcon[r]));
        store16(enc[r + 1], a);
    }
}

/* The six words of a step: four in a, two in b. */
INLINE TARGET_AESNI void expand_192(uint8_t (*enc)[16], const uint8_t *bytes)
{
    uint8_t *w = enc[0];
    block a = load16(bytes), b = _mm_loadl_epi64((const __m128i *)(bytes + 16));
    store16(w, a);
#pragma GCC unroll 8
    for (int r = 0; r < 8; r++, w += 24) {
        _mm_storel_epi64((__m128i *)(w + 16), b);
        a = _mm_xor_si128(sums(a), sub_words(b, ROT1, rcon[r]));
        store16(w + 24, a);
        b = _mm_xor_si128(_mm_xor_si128(b, _mm_slli_si128(b, 4)), _mm_shuffle_epi32(a, 0xff));
    }
}

INLINE TARGET_AESNI void expand_256(uint8_t (*enc)[16], const uint8_t *bytes)
{
    block a = load16(bytes), b = load16(bytes + 16);
    store16(enc[0], a);
    store16(enc[1], b);
#pragma GCC unroll 7
    for (int r = 0; r < 7; r++) {
        a = _mm_xor_si128(sums(a), sub_words(b, ROT3, rcon[r]));
        store16(enc[2 * r + 2], a);
        if (r == 6)
            break;
        b = _mm_xor_si128(sums(b), sub_words(a, SAME3, 0));
        store16(enc[2 * r + 3], b);
    }
}

/* Section 5.3.5: the decryption schedule is the round keys in reverse order, with InvMixColumns
 * applied to all but the first and the last. */
INLINE TARGET_AESNI void finish(struct aes_key *key, int rounds, int decrypt)
{
    key->rounds = (uint32_t)rounds;
    if (!decrypt)
        return;
    store16(key->dec[0], key16(key->enc[rounds]));
#pragma GCC unroll 13
    for (int r = 1; r < rounds; r++)
        store16(key->dec[r], _mm_aesimc_si128(key16(key->enc[rounds - r])));
    store16(key->dec[rounds], key16(key->enc[0]));
}

TARGET_AESNI void aes_expand_aesni(struct aes_key *key, const uint8_t *bytes, size_t bytes_len,
                                   int decrypt)
{
    if (bytes_len == 16) {
        expand_128(key->enc, bytes);
        finish(key, 10, decrypt);
    } else if (bytes_len == 32) {
        expand_256(key->enc, bytes);
        finish(key, 14, decrypt);
    } else {
        expand_192(key->enc, bytes);
        finish(key, 12, decrypt);
    }
}
