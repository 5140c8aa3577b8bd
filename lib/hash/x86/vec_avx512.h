/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 64 bytes with AVX-512, for lanes.h. */
#ifndef HR_VEC_H
#define HR_VEC_H

#define VEC_BYTES 64
#include "../lanes.h"
#include <immintrin.h>

#ifndef TARGET
#define TARGET __attribute__((target("avx512f")))
#endif

/* TERNARY computes any function of three bits (Intel SDM volume 2, VPTERNLOG): its value is bit
 * 4x + 2y + z of `table`. */
#define TERNARY(x, y, z, table) \
    ((vec)_mm512_ternarylogic_epi64((__m512i)(x), (__m512i)(y), (__m512i)(z), table))
#define CHOOSE(x, y, z) TERNARY(x, y, z, 0xca)     /* x ? y : z */
#define MAJORITY(x, y, z) TERNARY(x, y, z, 0xe8)   /* the majority of each bit */
#define XOR_OR_NOT(x, y, z) TERNARY(x, y, z, 0x2d) /* x ^ (y | ~z) */

INLINE TARGET vec spread(word x)
{
    return x - (vec){ 0 };
}

/* Operations for block_lanes.h, for which TARGET has to include AVX512BW; they act on each 16 bytes
 * of a vector separately. */
#define LOW32(x, y) ((vec)_mm512_unpacklo_epi32((__m512i)(x), (__m512i)(y)))
#define HIGH32(x, y) ((vec)_mm512_unpackhi_epi32((__m512i)(x), (__m512i)(y)))
#define LOW64(x, y) ((vec)_mm512_unpacklo_epi64((__m512i)(x), (__m512i)(y)))
#define HIGH64(x, y) ((vec)_mm512_unpackhi_epi64((__m512i)(x), (__m512i)(y)))
#define SHUFFLE_BYTES(x, ...) \
    ((vec)_mm512_shuffle_epi8((__m512i)(x), _mm512_broadcast_i32x4(_mm_set_epi64x(__VA_ARGS__))))

/* gather16() loads and scatter16() stores 16 bytes of each of the lanes 0, step, 2 * step and
 * 3 * step. */
INLINE TARGET vec gather16(const uint8_t *const *in, size_t step, size_t at)
{
#define PIECE(i) _mm_loadu_si128((const __m128i *)(in[(i)*step] + at))
    __m512i x = _mm512_castsi128_si512(PIECE(0));
    x = _mm512_inserti32x4(x, PIECE(1), 1);
    x = _mm512_inserti32x4(x, PIECE(2), 2);
    return (vec)_mm512_inserti32x4(x, PIECE(3), 3);
#undef PIECE
}

/* gather32() loads 32 bytes of each of these lanes, 16 in each vector: four vector operations
 * instead of the six of gather16() twice. */
INLINE TARGET void gather32(vec *low, vec *high, const uint8_t *const *in, size_t step, size_t at)
{
#define PIECE(i) _mm256_loadu_si256((const __m256i *)(in[(i)*step] + at))
    const __m512i x = _mm512_inserti64x4(_mm512_castsi256_si512(PIECE(0)), PIECE(1), 1);
    const __m512i y = _mm512_inserti64x4(_mm512_castsi256_si512(PIECE(2)), PIECE(3), 1);
    *low = (vec)_mm512_shuffle_i32x4(x, y, 0x88);
    *high = (vec)_mm512_shuffle_i32x4(x, y, 0xdd);
#undef PIECE
}

INLINE TARGET void scatter16(uint8_t *const *out, size_t step, size_t at, vec x)
{
#define PIECE(i) (__m128i *)(out[(i)*step] + at), _mm512_extracti32x4_epi32((__m512i)x, i)
    _mm_storeu_si128(PIECE(0));
    _mm_storeu_si128(PIECE(1));
    _mm_storeu_si128(PIECE(2));
    _mm_storeu_si128(PIECE(3));
#undef PIECE
}

/* Zeroes all but the lowest 16 bytes of the vector registers 0 to 15; left in use, the rest would
 * slow down SSE code that follows. */
INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#endif
