/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum with AVX-512: the even and the odd 32-bit words are added to separate
 * 64-bit elements, in whose upper halves carries collect (RFC 1071 section 2, Deferred
 * Carries). */
#include "../checksum.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* Adds the even words to acc[0] and the odd words to acc[1]. */
INLINE void add(__m512i acc[2], const uint8_t *in)
{
    const __m512i x = _mm512_loadu_si512(in);
    acc[0] = _mm512_add_epi64(acc[0], _mm512_maskz_mov_epi32(0x5555, x));
    acc[1] = _mm512_add_epi64(acc[1], _mm512_srli_epi64(x, 32));
}

INLINE uint32_t update(uint32_t sum, const uint8_t *in, size_t num_blocks)
{
    if (num_blocks < 64)
        return ipsum_short(sum, in, num_blocks);
    __m512i a[2] = { _mm512_setzero_si512(), _mm512_setzero_si512() }, b[2] = { a[0], a[0] };
    for (; num_blocks >= 64; num_blocks -= 64, in += 128) {
        add(a, in);
        add(b, in + 64);
    }
    const __m512i low = _mm512_add_epi64(a[0], b[0]), high = _mm512_add_epi64(a[1], b[1]);
    sum = ipsum_add(sum, (uint64_t)_mm512_reduce_add_epi64(low),
                    (uint64_t)_mm512_reduce_add_epi64(high));
    _mm256_zeroupper();
    return ipsum_short(sum, in, num_blocks);
}

/* Defines ipsum_value_avx512() and ipsum_blocks_avx512(), which add the 16-bit words at `in` to a
 * sum modulo 2^16 - 1; `in` may have any alignment. */
IPSUM_KERNEL(TARGET, avx512, update)
