/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 64 bytes, for VPCLMULQDQ and AVX-512. */
#include "crc_x86.h"

typedef __m512i vec;
enum { VEC = 2 }; /* log2 of the number of 16-byte pieces in a vec */
#define TARGET __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul,sse4.2")))
#define INLINE LEAF TARGET

INLINE vec load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

INLINE vec widen(__m128i x)
{
    return _mm512_zextsi128_si512(x);
}

INLINE vec xor (vec a, vec b) { return _mm512_xor_si512(a, b); }

    INLINE vec spread(const uint64_t k[2])
{
    return _mm512_broadcast_i32x4(load16((const uint8_t *)k));
}

INLINE vec fold(vec x, vec by, vec next)
{
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, by, 0x00),
                                     _mm512_clmulepi64_epi128(x, by, 0x11), next, 0x96);
}

/* Folds the first three 16-byte pieces of a vector into the last one, and returns the result. */
INLINE __m128i narrow(vec x, const struct crc_k *k)
{
    const __m256i by = _mm256_broadcastsi128_si256(load16((const uint8_t *)k->fold[1]));
    const __m256i low = _mm512_castsi512_si256(x), high = _mm512_extracti64x4_epi64(x, 1);
    const __m256i half =
        _mm256_ternarylogic_epi64(_mm256_clmulepi64_epi128(low, by, 0x00),
                                  _mm256_clmulepi64_epi128(low, by, 0x11), high, 0x96);
    return fold16(_mm256_castsi256_si128(half), k, 0, _mm256_extracti128_si256(half, 1));
}
