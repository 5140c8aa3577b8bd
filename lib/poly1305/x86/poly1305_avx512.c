/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 in eight lanes, in a vector of AVX-512.  Prototypes: poly1305.h. */
#include "../../aes/aes_kernel.h"
#include "../poly1305_words.h"
#include "poly1305_step.h"

#include <immintrin.h>

typedef __m512i vec;
#define KERNEL(stem) stem##_avx512
#define TARGET LEAF __attribute__((target("avx512f,bmi2")))

INLINE TARGET vec add(vec a, vec b)
{
    return _mm512_add_epi64(a, b);
}

INLINE TARGET vec mul(vec a, vec b)
{
    return _mm512_mul_epu32(a, b);
}

INLINE TARGET vec and (vec a, vec b)
{
    return _mm512_and_si512(a, b);
}

INLINE TARGET vec shr(vec a, unsigned n)
{
    return _mm512_srli_epi64(a, n);
}

INLINE TARGET vec shl(vec a, unsigned n)
{
    return _mm512_slli_epi64(a, n);
}

INLINE TARGET vec spread64(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

/* Returns x in the lane of the first block, and 0 in the others. */
INLINE TARGET vec first_lane(uint64_t x)
{
    return _mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)x));
}

INLINE TARGET vec pair(__m256i a, __m256i b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
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
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)p));
}

/* Loads the lower and upper halves of eight blocks, in the order 0, 4, 1, 5, 2, 6, 3, 7. */
INLINE TARGET void load(vec *low, vec *high, const void *in)
{
    const vec a = _mm512_loadu_si512(in), b = _mm512_loadu_si512((const uint8_t *)in + 64);
    *low = _mm512_unpacklo_epi64(a, b);
    *high = _mm512_unpackhi_epi64(a, b);
}

INLINE TARGET uint64_t total(vec x)
{
    return (uint64_t)_mm512_reduce_add_epi64(x);
}

/* Keeps the compiler from changing the order of additions: it would add products in pairs, for
 * which there are not enough registers. */
INLINE TARGET void keep(vec *x)
{
    __asm__("" : "+v"(*x));
}

INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#include "poly1305_lanes.h"
#include "poly1305_lanes_once.h"
