/* SPDX-License-Identifier: Apache-2.0 */
/* One block a vector: AES-NI and PCLMULQDQ. */
#ifndef HR_GCM_VEC_H
#define HR_GCM_VEC_H

#include "../aead.h"
#include "aes_vec128.h"

#define TARGET_GCM LEAF __attribute__((target("aes,pclmul,sse4.1")))
enum { POWERS = 8 * LANES }; /* of H, which are kept */

#define PRODUCT(a, b, which) _mm_clmulepi64_si128(a, b, which)

INLINE TARGET_GCM vec zero(void)
{
    return _mm_setzero_si128();
}

/* x in every half. */
INLINE TARGET_GCM vec spread_pair(int64_t x)
{
    return _mm_set1_epi64x(x);
}

/* One block in every lane. */
INLINE TARGET_GCM vec spread_block(block x)
{
    return x;
}

INLINE TARGET_GCM vec xor3(vec a, vec b, vec c)
{
    return xor(xor(a, b), c);
}

/* The halves of each block swapped. */
INLINE TARGET_GCM vec swap(vec x)
{
    return _mm_shuffle_epi32(x, 0x4e);
}

INLINE TARGET_GCM vec add32(vec a, vec b)
{
    return _mm_add_epi32(a, b);
}

INLINE TARGET_GCM vec widen(block x)
{
    return x;
}

/* The sum of a vector's blocks. */
INLINE TARGET_GCM block fold(vec x)
{
    return x;
}

#include "gcm_karatsuba.h"

#endif
