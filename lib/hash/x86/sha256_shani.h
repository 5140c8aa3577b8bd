/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 compression with the SHA extensions (Intel SDM volume 2, SHA256RNDS2, SHA256MSG1,
 * SHA256MSG2): one instruction does two rounds, and two make four words of the message schedule.
 * The chain of 32 SHA256RNDS2 determines the time of a block; the schedule is computed while the
 * chain waits. */
#ifndef HR_SHA256_SHANI_H
#define HR_SHA256_SHANI_H

#include "../sha2.h"
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* A chaining value in the order that the instructions need: (f, e, b, a) and (h, g, d, c), lowest
 * first. */
struct state {
    __m128i abef, cdgh;
};

INLINE struct state state_of(__m128i dcba, __m128i hgfe)
{
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    return (struct state){ _mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0) };
}

INLINE struct state load_state(const void *words)
{
    const __m128i *p = words;
    return state_of(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
}

/* Writes the words a to h of s to `out` in this order, lowest first. */
INLINE void words_of(__m128i out[2], struct state s)
{
    const __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    out[0] = _mm_blend_epi16(feba, dchg, 0xf0);
    out[1] = _mm_alignr_epi8(dchg, feba, 8);
}

/* Converts four words from big-endian bytes, and back. */
INLINE __m128i big_endian(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
}

/* Returns the constants as a pointer about which the compiler knows nothing.  Otherwise it would
 * move 16 loads out of a loop and spill them. */
INLINE const __m128i *constants(void)
{
    const uint32_t *k = sha256_k;
    __asm__("" : "+r"(k));
    return (const __m128i *)k;
}

/* Computes the rounds 4i to 4i + 3.  Where a block's words come from the compression before it, as
 * in PBKDF2, the chain of the schedule determines the time.  Of the four terms W(t-7), only that of
 * the last new word is one of the words made just before, and SHA256MSG2 would only add it to that
 * word.  So the term is added after SHA256MSG2, and the chain consists of SHA256MSG2 and that
 * addition. */
INLINE void four_rounds(struct state *s, __m128i w[4], const __m128i *k, int i)
{
    __m128i *wi = &w[i & 3];
    const __m128i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
    if (i >= 4)
        *wi = _mm_add_epi32(
            _mm_sha256msg2_epu32(
                _mm_add_epi32(_mm_sha256msg1_epu32(*wi, w1), _mm_srli_si128(w2, 4)), w3),
            _mm_slli_si128(w3, 12));
    const __m128i wk = _mm_add_epi32(*wi, _mm_load_si128(k + i));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, wk);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* Returns the chaining value after a block of the 16 words w. */
INLINE struct state compress(struct state before, __m128i w[4])
{
    const __m128i *k = constants();
    struct state s = before;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        four_rounds(&s, w, k, i);
    return (struct state){ _mm_add_epi32(s.abef, before.abef), _mm_add_epi32(s.cdgh, before.cdgh) };
}

INLINE struct state compress_blocks(struct state s, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64) {
        __m128i w[4];
        for (int i = 0; i < 4; i++)
            w[i] = big_endian(_mm_loadu_si128((const __m128i *)in + i));
        s = compress(s, w);
    }
    return s;
}

#endif
