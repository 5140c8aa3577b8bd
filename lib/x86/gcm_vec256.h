/* SPDX-License-Identifier: Apache-2.0 */
/* Two blocks a vector: VAES, VPCLMULQDQ and AVX2. */
#ifndef HR_GCM_VEC_H
#define HR_GCM_VEC_H

#include "../aead.h"
#include "aes_vec256.h"

#define TARGET_GCM LEAF __attribute__((target("vaes,vpclmulqdq,aes,pclmul,avx2")))
enum { POWERS = 8 * LANES }; /* of H, which are kept */

#define PRODUCT(a, b, which) _mm256_clmulepi64_epi128(a, b, which)

INLINE TARGET_GCM vec zero(void)
{
    return _mm256_setzero_si256();
}

/* x in every half. */
INLINE TARGET_GCM vec spread_pair(int64_t x)
{
    return _mm256_set1_epi64x(x);
}

/* One block in every lane. */
INLINE TARGET_GCM vec spread_block(block x)
{
    return _mm256_broadcastsi128_si256(x);
}

INLINE TARGET_GCM vec xor3(vec a, vec b, vec c)
{
    return xor(xor(a, b), c);
}

/* The halves of each block swapped. */
INLINE TARGET_GCM vec swap(vec x)
{
    return _mm256_shuffle_epi32(x, 0x4e);
}

INLINE TARGET_GCM vec add32(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}

INLINE TARGET_GCM vec widen(block x)
{
    return _mm256_zextsi128_si256(x);
}

/* The sum of a vector's blocks. */
INLINE TARGET_GCM block fold(vec x)
{
    return _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

#include "gcm_karatsuba.h"

#endif
