/* SPDX-License-Identifier: Apache-2.0 */
/* Four blocks a vector: VAES, VPCLMULQDQ and AVX-512. */
#ifndef HR_GCM_VEC_H
#define HR_GCM_VEC_H

#include "../aead.h"
#include "aes_vec512.h"

#define TARGET_GCM \
    LEAF __attribute__((target("vaes,vpclmulqdq,aes,pclmul,avx512f,avx512bw,avx512vl,avx512dq")))
enum { POWERS = 8 * LANES }; /* of H, which are kept */

#define PRODUCT(a, b, which) _mm512_clmulepi64_epi128(a, b, which)

INLINE TARGET_GCM vec zero(void)
{
    return _mm512_setzero_si512();
}

/* x in every half. */
INLINE TARGET_GCM vec spread_pair(int64_t x)
{
    return _mm512_set1_epi64(x);
}

/* One block in every lane. */
INLINE TARGET_GCM vec spread_block(block x)
{
    return _mm512_broadcast_i32x4(x);
}

INLINE TARGET_GCM vec xor3(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/* The halves of each block swapped. */
INLINE TARGET_GCM vec swap(vec x)
{
    return _mm512_shuffle_epi32(x, 0x4e);
}

INLINE TARGET_GCM vec add32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}

INLINE TARGET_GCM vec widen(block x)
{
    return _mm512_zextsi128_si512(x);
}

/* The sum of a vector's blocks. */
INLINE TARGET_GCM block fold(vec x)
{
    const __m256i half =
        _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* An unreduced product is low + middle * x^64 + high * x^128. */
struct sum {
    vec low, middle, high;
};

struct power {
    vec h;
};

INLINE TARGET_GCM struct power power_of(vec h)
{
    return (struct power){ h };
}

/* The powers for the blocks of one vector. */
INLINE TARGET_GCM struct power power_at(const struct aead_key *key, size_t i)
{
    return (struct power){ load(key->powers[i]) };
}

/* One power for all blocks. */
INLINE TARGET_GCM struct power power_spread(const struct aead_key *key, size_t i)
{
    return (struct power){ spread(key->powers[i]) };
}

INLINE TARGET_GCM void add_product(struct sum *sum, vec x, struct power p)
{
    sum->low = xor(sum->low, PRODUCT(x, p.h, 0x00));
    sum->high = xor(sum->high, PRODUCT(x, p.h, 0x11));
    sum->middle = xor3(sum->middle, PRODUCT(x, p.h, 0x01), PRODUCT(x, p.h, 0x10));
}

INLINE TARGET_GCM void add_products(struct sum *sum, vec x, struct power p, vec y, struct power q)
{
    sum->low = xor3(sum->low, PRODUCT(x, p.h, 0x00), PRODUCT(y, q.h, 0x00));
    sum->high = xor3(sum->high, PRODUCT(x, p.h, 0x11), PRODUCT(y, q.h, 0x11));
    sum->middle = xor3(sum->middle, PRODUCT(x, p.h, 0x01), PRODUCT(x, p.h, 0x10));
    sum->middle = xor3(sum->middle, PRODUCT(y, q.h, 0x01), PRODUCT(y, q.h, 0x10));
}

INLINE TARGET_GCM vec middle_of(const struct sum *sum)
{
    return sum->middle;
}

/* What is kept beside the powers: nothing. */
INLINE TARGET_GCM void keep_halves(struct aead_key *key)
{
    (void)key;
}

#endif
