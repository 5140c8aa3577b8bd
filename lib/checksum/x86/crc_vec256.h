/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 32 bytes, for VPCLMULQDQ and AVX2. */
#include "crc_x86.h"

typedef __m256i vec;
enum { VEC = 1 }; /* log2 of the number of 16-byte pieces in a vec */
#define TARGET __attribute__((target("avx2,vpclmulqdq,pclmul,sse4.2")))
#define INLINE LEAF TARGET

INLINE vec load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE vec widen(__m128i x)
{
    return _mm256_zextsi128_si256(x);
}

INLINE vec xor (vec a, vec b) { return _mm256_xor_si256(a, b); }

    INLINE vec spread(const uint64_t k[2])
{
    return _mm256_broadcastsi128_si256(load16((const uint8_t *)k));
}

INLINE vec fold(vec x, vec by, vec next)
{
    const vec high = _mm256_clmulepi64_epi128(x, by, 0x00);
    return xor(xor(high, next), _mm256_clmulepi64_epi128(x, by, 0x11));
}

/* Folds the first 16 bytes of a vector into the last 16, and returns the result. */
INLINE __m128i narrow(vec x, const struct crc_k *k)
{
    return fold16(_mm256_castsi256_si128(x), k, 0, _mm256_extracti128_si256(x, 1));
}
