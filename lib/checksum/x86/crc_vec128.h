/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 16 bytes, for PCLMULQDQ. */
#include "crc_x86.h"

typedef __m128i vec;
enum { VEC = 0 }; /* log2 of the number of 16-byte pieces in a vec */
#define TARGET __attribute__((target("pclmul,sse4.2")))
#define INLINE LEAF TARGET

INLINE vec load(const uint8_t *p)
{
    return load16(p);
}

INLINE vec widen(__m128i x)
{
    return x;
}

INLINE vec xor (vec a, vec b) { return _mm_xor_si128(a, b); }

    INLINE vec spread(const uint64_t k[2])
{
    return load16((const uint8_t *)k);
}

INLINE vec fold(vec x, vec by, vec next)
{
    const vec high = _mm_clmulepi64_si128(x, by, 0x00);
    return xor(xor(high, next), _mm_clmulepi64_si128(x, by, 0x11));
}

INLINE __m128i narrow(vec x, const struct crc_k *k)
{
    return x;
}
