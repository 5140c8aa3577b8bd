/* SPDX-License-Identifier: Apache-2.0 */
/* GCM's vectors of two blocks, for VAES, VPCLMULQDQ and AVX2. */
#ifndef HR_GCM_VEC_H
#define HR_GCM_VEC_H

#include "../../aead.h"
#include "aes_vec256.h"
#include "gcm_counter.h"

#define TARGET_GCM LEAF __attribute__((target("vaes,vpclmulqdq,aes,pclmul,avx2")))
enum { POWERS = 8 * LANES }; /* the number of powers of H that a key keeps */

#define PRODUCT(a, b, which) _mm256_clmulepi64_epi128(a, b, which)

INLINE TARGET_GCM vec zero(void)
{
    return _mm256_setzero_si256();
}

/* Returns x in every 64-bit half. */
INLINE TARGET_GCM vec spread_pair(int64_t x)
{
    return _mm256_set1_epi64x(x);
}

INLINE TARGET_GCM vec polynomial(void)
{
    return spread_pair(INT64_C(-0x3e00000000000000));
}

/* Returns one block in every block of a vector. */
INLINE TARGET_GCM vec spread_block(block x)
{
    return _mm256_broadcastsi128_si256(x);
}

INLINE TARGET_GCM vec xor3(vec a, vec b, vec c)
{
    return xor(xor(a, b), c);
}

/* Swaps the halves of each block. */
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

/* Returns the sum of a vector's blocks. */
INLINE TARGET_GCM block fold(vec x)
{
    return _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

#include "gcm_bytes.h"

/* ---- incomplete vectors: the first len bytes, up to a whole vector ---- */

INLINE TARGET_GCM vec load_bytes(const uint8_t *p, size_t len)
{
    if (len <= 16)
        return widen(load_bytes16(p, len));
    return _mm256_inserti128_si256(widen(load16(p)), load_bytes16(p + 16, len - 16), 1);
}

INLINE TARGET_GCM void store_bytes(uint8_t *p, vec x, size_t len)
{
    store_bytes16(p, low16(x), len < 16 ? len : 16);
    if (len > 16)
        store_bytes16(p + 16, _mm256_extracti128_si256(x, 1), len - 16);
}

/* Keeps the first len bytes and zeroes the rest. */
INLINE TARGET_GCM vec keep_bytes(vec x, size_t len)
{
    return _mm256_and_si256(x, load(first_bytes + 32 - len));
}

/* put_last() replaces the last block of a vector, last16() returns it. */
INLINE TARGET_GCM vec put_last(vec x, block last)
{
    return _mm256_inserti128_si256(x, last, 1);
}

INLINE TARGET_GCM block last16(vec x)
{
    return _mm256_extracti128_si256(x, 1);
}

/* Counters of one vector from n on, except that the last is 1. */
#define COUNTERS_THEN_1(n) COUNTER(n), COUNTER(1)

/* Puts x into the low half of each block except the last, which gets `last`. */
INLINE TARGET_GCM vec low64_but_last(uint64_t x, uint64_t last)
{
    return _mm256_set_epi64x(0, (long long)last, 0, (long long)x);
}

#include "gcm_karatsuba.h"

#endif
