/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 in eight lanes, in two vectors of AVX2.  Prototypes: poly1305.h. */
#include "../../aes/aes_kernel.h"
#include "../poly1305_words.h"
#include "poly1305_step.h"

#include <immintrin.h>

typedef struct {
    __m256i a, b;
} vec;
#define KERNEL(stem) stem##_avx2
#define TARGET LEAF __attribute__((target("avx2,bmi2")))

INLINE TARGET vec add(vec x, vec y)
{
    return (vec){ _mm256_add_epi64(x.a, y.a), _mm256_add_epi64(x.b, y.b) };
}

INLINE TARGET vec mul(vec x, vec y)
{
    return (vec){ _mm256_mul_epu32(x.a, y.a), _mm256_mul_epu32(x.b, y.b) };
}

INLINE TARGET vec and (vec x, vec y)
{
    return (vec){ _mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b) };
}

INLINE TARGET vec shr(vec x, int n)
{
    return (vec){ _mm256_srli_epi64(x.a, n), _mm256_srli_epi64(x.b, n) };
}

INLINE TARGET vec shl(vec x, int n)
{
    return (vec){ _mm256_slli_epi64(x.a, n), _mm256_slli_epi64(x.b, n) };
}

INLINE TARGET vec spread64(uint64_t x)
{
    const __m256i y = _mm256_set1_epi64x((long long)x);
    return (vec){ y, y };
}

/* Returns x in the lane of the first block, and 0 in the others. */
INLINE TARGET vec first_lane(uint64_t x)
{
    return (vec){ _mm256_zextsi128_si256(_mm_cvtsi64_si128((long long)x)), _mm256_setzero_si256() };
}

INLINE TARGET vec pair(__m256i a, __m256i b)
{
    return (vec){ a, b };
}

/* Returns *p in each lane.  The upper half of a lane holds the word that follows in memory; mul()
 * ignores it. */
INLINE TARGET vec spread32(const uint32_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return spread64(x);
}

INLINE TARGET vec widen(const uint32_t p[8])
{
    return (vec){ _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)p)),
                  _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(p + 4))) };
}

INLINE TARGET __m256i load32(const void *in, size_t i)
{
    return _mm256_loadu_si256((const __m256i *)in + i);
}

/* Loads the lower and upper halves of eight blocks; a holds blocks 0, 4, 1, 5, b blocks 2, 6, 3, 7.
 */
INLINE TARGET void load(vec *low, vec *high, const void *in)
{
    low->a = _mm256_unpacklo_epi64(load32(in, 0), load32(in, 2));
    low->b = _mm256_unpacklo_epi64(load32(in, 1), load32(in, 3));
    high->a = _mm256_unpackhi_epi64(load32(in, 0), load32(in, 2));
    high->b = _mm256_unpackhi_epi64(load32(in, 1), load32(in, 3));
}

INLINE TARGET uint64_t total(vec x)
{
    const __m256i y = _mm256_add_epi64(x.a, x.b);
    const __m128i z = _mm_add_epi64(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return (uint64_t)_mm_cvtsi128_si64(z) + (uint64_t)_mm_extract_epi64(z, 1);
}

/* Keeps the compiler from changing the order of additions: it would add products in pairs, for
 * which there are not enough registers. */
INLINE TARGET void keep(vec *x)
{
    __asm__("" : "+x"(x->a), "+x"(x->b));
}

INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#include "poly1305_lanes.h"
#include "poly1305_lanes_once.h"
