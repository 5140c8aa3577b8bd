/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 32 bytes with AVX2, for lanes.h. */
#ifndef HR_VEC_H
#define HR_VEC_H

#define VEC_BYTES 32
#include "../lanes.h"
#include <immintrin.h>

#ifndef TARGET
#define TARGET __attribute__((target("avx2")))
#endif

#define CHOOSE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))           /* x ? y : z */
#define MAJORITY(x, y, z) (((x) & (y)) | (((x) | (y)) & (z))) /* the majority of each bit */
#define XOR_OR_NOT(x, y, z) ((x) ^ ((y) | ~(z)))

INLINE TARGET vec spread(word x)
{
    return x - (vec){ 0 };
}

/* Operations for block_lanes.h; they act on each 16 bytes of a vector separately. */
#define LOW32(x, y) ((vec)_mm256_unpacklo_epi32((__m256i)(x), (__m256i)(y)))
#define HIGH32(x, y) ((vec)_mm256_unpackhi_epi32((__m256i)(x), (__m256i)(y)))
#define LOW64(x, y) ((vec)_mm256_unpacklo_epi64((__m256i)(x), (__m256i)(y)))
#define HIGH64(x, y) ((vec)_mm256_unpackhi_epi64((__m256i)(x), (__m256i)(y)))
#define SHUFFLE_BYTES(x, ...)               \
    ((vec)_mm256_shuffle_epi8((__m256i)(x), \
                              _mm256_broadcastsi128_si256(_mm_set_epi64x(__VA_ARGS__))))

/* gather16() loads and scatter16() stores 16 bytes of each of the lanes 0 and `step`. */
INLINE TARGET vec gather16(const uint8_t *const *in, size_t step, size_t at)
{
    const __m256i x = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(in[0] + at)));
    return (vec)_mm256_inserti128_si256(x, _mm_loadu_si128((const __m128i *)(in[step] + at)), 1);
}

/* gather32() loads 32 bytes of each of these lanes, 16 in each vector. */
INLINE TARGET void gather32(vec *low, vec *high, const uint8_t *const *in, size_t step, size_t at)
{
    *low = gather16(in, step, at);
    *high = gather16(in, step, at + 16);
}

INLINE TARGET void scatter16(uint8_t *const *out, size_t step, size_t at, vec x)
{
    _mm_storeu_si128((__m128i *)(out[0] + at), _mm256_castsi256_si128((__m256i)x));
    _mm_storeu_si128((__m128i *)(out[step] + at), _mm256_extracti128_si256((__m256i)x, 1));
}

/* Zeroes the upper halves of the vector registers; left in use, they would slow down SSE code that
 * follows. */
INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#endif
