/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum with AVX2: the even and the odd 32-bit words are added to separate 64-bit
 * elements, in whose upper halves carries collect (RFC 1071 section 2, Deferred Carries). */
#include "../checksum.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* Adds the even words to acc[0] and the odd words to acc[1]. */
INLINE void add(__m256i acc[2], const uint8_t *in)
{
    const __m256i x = _mm256_loadu_si256((const __m256i *)in);
    acc[0] = _mm256_add_epi64(acc[0], _mm256_blend_epi32(x, _mm256_setzero_si256(), 0xaa));
    acc[1] = _mm256_add_epi64(acc[1], _mm256_srli_epi64(x, 32));
}

INLINE uint64_t sum_lanes(__m256i x)
{
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (uint64_t)_mm_cvtsi128_si64(two) + (uint64_t)_mm_extract_epi64(two, 1);
}

INLINE uint32_t update(uint32_t sum, const uint8_t *in, size_t num_blocks)
{
    if (num_blocks < 32)
        return ipsum_short(sum, in, num_blocks);
    __m256i a[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() }, b[2] = { a[0], a[0] };
    for (; num_blocks >= 32; num_blocks -= 32, in += 64) {
        add(a, in);
        add(b, in + 32);
    }
    const __m256i low = _mm256_add_epi64(a[0], b[0]), high = _mm256_add_epi64(a[1], b[1]);
    sum = ipsum_add(sum, sum_lanes(low), sum_lanes(high));
    _mm256_zeroupper();
    return ipsum_short(sum, in, num_blocks);
}

/* Defines ipsum_value_avx2() and ipsum_blocks_avx2(), which add the 16-bit words at `in` to a sum
 * modulo 2^16 - 1; `in` may have any alignment. */
IPSUM_KERNEL(TARGET, avx2, update)
