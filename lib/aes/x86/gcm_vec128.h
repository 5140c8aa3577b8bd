/* SPDX-License-Identifier: Apache-2.0 */
/* GCM's vectors of one block, for AES-NI and PCLMULQDQ. */
#ifndef HR_GCM_VEC_H
#define HR_GCM_VEC_H

#include "../../aead.h"
#include "aes_vec128.h"
#include "gcm_counter.h"

#define TARGET_GCM LEAF __attribute__((target("aes,pclmul,sse4.1")))
enum { POWERS = 8 * LANES }; /* the number of powers of H that a key keeps */

#define PRODUCT(a, b, which) _mm_clmulepi64_si128(a, b, which)

INLINE TARGET_GCM vec zero(void)
{
    return _mm_setzero_si128();
}

/* Returns x in every 64-bit half. */
INLINE TARGET_GCM vec spread_pair(int64_t x)
{
    return _mm_set1_epi64x(x);
}

INLINE TARGET_GCM vec polynomial(void)
{
    return spread_pair(INT64_C(-0x3e00000000000000));
}

/* Returns one block in every block of a vector. */
INLINE TARGET_GCM vec spread_block(block x)
{
    return x;
}

INLINE TARGET_GCM vec xor3(vec a, vec b, vec c)
{
    return xor(xor(a, b), c);
}

/* Swaps the halves of each block. */
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

/* Returns the sum of a vector's blocks. */
INLINE TARGET_GCM block fold(vec x)
{
    return x;
}

#include "gcm_bytes.h"

/* ---- incomplete vectors: the first len bytes, up to a whole vector ---- */

INLINE TARGET_GCM vec load_bytes(const uint8_t *p, size_t len)
{
    return load_bytes16(p, len);
}

INLINE TARGET_GCM void store_bytes(uint8_t *p, vec x, size_t len)
{
    store_bytes16(p, x, len);
}

/* Keeps the first len bytes and zeroes the rest. */
INLINE TARGET_GCM vec keep_bytes(vec x, size_t len)
{
    return keep_bytes16(x, len);
}

/* put_last() replaces the last block of a vector, last16() returns it. */
INLINE TARGET_GCM vec put_last(vec x, block last)
{
    return (void)x, last;
}

INLINE TARGET_GCM block last16(vec x)
{
    return x;
}

/* Counters of one vector, the last of which is 1. */
#define COUNTERS_THEN_1(n) COUNTER(1)

/* Puts x into the low half of each block except the last, which gets `last`. */
INLINE TARGET_GCM vec low64_but_last(uint64_t x, uint64_t last)
{
    return (void)x, _mm_set_epi64x(0, (long long)last);
}

#include "gcm_karatsuba.h"

#endif
