/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression with the SHA extensions (Intel SDM volume 2, SHA1RNDS4, SHA1NEXTE, SHA1MSG1,
 * SHA1MSG2): four rounds an instruction.  The chain of 20 SHA1RNDS4 bounds a block: what enters one
 * beside a, b, c and d comes from the one before the last. */
#include "../sha1.h"
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1")))

/* A copy, so that the chain goes on in the register where it is: a move in it, which CPUs mostly do
 * for nothing, costs 1 % where they do not. */
static inline __attribute__((always_inline)) TARGET __m128i copy(__m128i x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* Twenty rounds of one function and constant, FIPS 180-4 sections 4.1.1 and 4.2.1.  w is the window
 * of the last 16 words: W(t) = rotl(W(t-3) ^ W(t-8) ^ W(t-14) ^ W(t-16), 1). */
#define ROUNDS20(number)                                                                  \
    _Pragma("GCC unroll 5") for (int i = 5 * (number); i < 5 * (number) + 5; i++)         \
    {                                                                                     \
        __m128i *wi = &w[i & 3];                                                          \
        const __m128i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];      \
        const __m128i ew = i ? _mm_sha1nexte_epu32(old, *wi) : _mm_add_epi32(e, *wi);     \
        old = copy(abcd);                                                                 \
        abcd = _mm_sha1rnds4_epu32(abcd, ew, number);                                     \
        if (i < 16)                                                                       \
            *wi = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(*wi, w1), w2), w3); \
    }

/* state = FIPS 180-4 section 6.1.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET void sha1_blocks_shani(void *state, const uint8_t *in, size_t num_blocks)
{
    /* The instructions want a, e and the first word of four in the highest lane. */
    const __m128i highest = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    uint32_t *words = state;
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128(state), 0x1b);
    __m128i e = _mm_slli_si128(_mm_cvtsi32_si128((int)words[4]), 12);

    for (; num_blocks; num_blocks--, in += 64) {
        const __m128i abcd_in = copy(abcd);
        __m128i w[4], old;
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)in + i), highest);
        ROUNDS20(0)
        ROUNDS20(1)
        ROUNDS20(2)
        ROUNDS20(3)
        e = _mm_sha1nexte_epu32(old, e);
        abcd = _mm_add_epi32(abcd, abcd_in);
    }
    _mm_storeu_si128(state, _mm_shuffle_epi32(abcd, 0x1b));
    words[4] = (uint32_t)_mm_extract_epi32(e, 3);
}
