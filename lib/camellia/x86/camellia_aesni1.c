/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on one to four blocks, and in chains, with AES-NI in VEX encoding. */
#include "../../bytes.h"
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET __attribute__((target("aes,avx")))
#define MODE(mode) camellia_##mode##_aesni1

typedef __m128i V;

INLINE TARGET V load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE TARGET V load8(const uint64_t *p)
{
    return _mm_loadl_epi64((const __m128i *)p);
}

INLINE TARGET V spread(const uint64_t *p)
{
    return _mm_unpacklo_epi8(_mm_setzero_si128(), load8(p));
}

INLINE TARGET void store(uint8_t *p, V x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

INLINE TARGET V look(V table, V index)
{
    return _mm_shuffle_epi8(table, index);
}

INLINE TARGET V low(V x)
{
    return x & _mm_set1_epi8(15);
}

INLINE TARGET V high_of_words(V x)
{
    return _mm_srli_epi16(x, 4);
}

INLINE TARGET V high(V x)
{
    return low(high_of_words(x));
}

INLINE TARGET V sub(V x)
{
    return _mm_aesenclast_si128(x, _mm_setzero_si128());
}

INLINE TARGET V kept(V x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* BLENDPS, an instruction for floating-point numbers, can run on more execution units than PBLENDW.
 */
INLINE TARGET V word1(V a, V b)
{
    return (V)_mm_blend_ps((__m128)a, (__m128)b, 1 << 1);
}

INLINE TARGET V words36(V a, V b)
{
    return _mm_blend_epi16(a, b, 1 << 3 | 1 << 6);
}

INLINE TARGET V fold_words(V x)
{
    return _mm_slli_epi16(x, 8);
}

INLINE TARGET V fold_halves(V x)
{
    return _mm_srli_si128(x, 8);
}

INLINE TARGET V turned(V x)
{
    return _mm_add_epi32(x, x) | _mm_srli_epi32(x, 31);
}

INLINE TARGET V up(V x)
{
    return _mm_slli_epi64(x, 32);
}

INLINE TARGET V down(V x)
{
    return _mm_srli_epi64(x, 32);
}

INLINE TARGET void few_end(void)
{
    _mm256_zeroupper();
}

#include "../camellia_one.h"
