/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression with the SHA extensions (Intel SDM volume 2, SHA1RNDS4, SHA1NEXTE, SHA1MSG1,
 * SHA1MSG2): one instruction does four rounds.  The chain of 20 SHA1RNDS4 determines the time of a
 * block, because the other inputs of each one come from the one before the last. */
#ifndef HR_SHA1_SHANI_H
#define HR_SHA1_SHANI_H

#include "../sha1.h"
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* A chaining value in the order that the instructions need: a is in the highest word, and so is e.
 */
struct state {
    __m128i abcd, e;
};

INLINE struct state load_state(const uint32_t words[5])
{
    return (struct state){ _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0x1b),
                           _mm_slli_si128(_mm_cvtsi32_si128((int)words[4]), 12) };
}

/* Converts four words from big-endian bytes to a vector with the first word in the highest place,
 * and back. */
INLINE __m128i highest(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

/* Returns a copy of x, and keeps the compiler from placing a move instruction in the chain.  Most
 * CPUs execute such moves at no cost; on those that do not, it would cost 1 %. */
INLINE __m128i copy(__m128i x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* Computes four rounds with function and constant `number`, 0 to 3, of FIPS 180-4 sections 4.1.1
 * and 4.2.1. */
INLINE __m128i sha1rnds4(__m128i abcd, __m128i ew, int number)
{
    switch (number) { /* a constant, which the instruction needs */
    case 0:
        return _mm_sha1rnds4_epu32(abcd, ew, 0);
    case 1:
        return _mm_sha1rnds4_epu32(abcd, ew, 1);
    case 2:
        return _mm_sha1rnds4_epu32(abcd, ew, 2);
    default:
        return _mm_sha1rnds4_epu32(abcd, ew, 3);
    }
}

/* Computes the rounds 4i to 4i + 3.  After the first four, s->e holds the a of four rounds ago,
 * from which SHA1NEXTE makes e. w is the window of the last 16 words: W(t) = rotl(W(t-3) ^ W(t-8) ^
 * W(t-14) ^ W(t-16), 1). */
INLINE void four_rounds(struct state *s, __m128i w[4], int i)
{
    __m128i *wi = &w[i & 3];
    const __m128i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
    const __m128i ew = i ? _mm_sha1nexte_epu32(s->e, *wi) : _mm_add_epi32(s->e, *wi);
    s->e = copy(s->abcd);
    s->abcd = sha1rnds4(s->abcd, ew, i / 5);
    if (i < 16)
        *wi = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(*wi, w1), w2), w3);
}

/* Returns the chaining value after a block whose rounds ended in s. */
INLINE struct state sum(struct state s, struct state before)
{
    return (struct state){ _mm_add_epi32(s.abcd, before.abcd), _mm_sha1nexte_epu32(s.e, before.e) };
}

/* Returns the chaining value after a block of the 16 words w, the first of each four in the highest
 * place. */
INLINE struct state compress(struct state before, __m128i w[4])
{
    struct state s = { before.abcd, before.e };
    before.abcd = copy(before.abcd);
#pragma GCC unroll 20
    for (int i = 0; i < 20; i++)
        four_rounds(&s, w, i);
    return sum(s, before);
}

INLINE struct state compress_blocks(struct state s, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64) {
        __m128i w[4];
        for (int i = 0; i < 4; i++)
            w[i] = highest(_mm_loadu_si128((const __m128i *)in + i));
        s = compress(s, w);
    }
    return s;
}

#endif
