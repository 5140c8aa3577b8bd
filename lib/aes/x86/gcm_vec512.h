/* SPDX-License-Identifier: Apache-2.0 */
/* GCM's vectors of four blocks, for VAES, VPCLMULQDQ and AVX-512. */
#ifndef HR_GCM_VEC_H
#define HR_GCM_VEC_H

#include "../../aead.h"
#include "aes_vec512.h"
#include "gcm_counter.h"
#include "gcm_polynomial.h"

#define TARGET_GCM       \
    LEAF __attribute__(( \
        target("vaes,vpclmulqdq,aes,pclmul,avx512f,avx512bw,avx512vl,avx512dq,bmi2")))
enum { POWERS = 8 * LANES }; /* the number of powers of H that a key keeps */

#define PRODUCT(a, b, which) _mm512_clmulepi64_epi128(a, b, which)

INLINE TARGET_GCM vec zero(void)
{
    return _mm512_setzero_si512();
}

/* Returns x in every 64-bit half. */
INLINE TARGET_GCM vec spread_pair(int64_t x)
{
    return _mm512_set1_epi64(x);
}

INLINE TARGET_GCM vec polynomial(void)
{
    return load(gcm_polynomial_table[0]);
}

/* Returns one block in every block of a vector. */
INLINE TARGET_GCM vec spread_block(block x)
{
    return _mm512_broadcast_i32x4(x);
}

INLINE TARGET_GCM vec xor3(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/* Swaps the halves of each block. */
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

/* Returns the sum of a vector's blocks. */
INLINE TARGET_GCM block fold(vec x)
{
    const __m256i half =
        _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* ---- incomplete vectors: the first len bytes, up to a whole vector ---- */

INLINE TARGET_GCM vec load_bytes(const uint8_t *p, size_t len)
{
    return _mm512_maskz_loadu_epi8(_bzhi_u64(~UINT64_C(0), (unsigned)len), p);
}

INLINE TARGET_GCM void store_bytes(uint8_t *p, vec x, size_t len)
{
    _mm512_mask_storeu_epi8(p, _bzhi_u64(~UINT64_C(0), (unsigned)len), x);
}

/* Keeps the first len bytes and zeroes the rest. */
INLINE TARGET_GCM vec keep_bytes(vec x, size_t len)
{
    return _mm512_maskz_mov_epi8(_bzhi_u64(~UINT64_C(0), (unsigned)len), x);
}

INLINE TARGET_GCM block load_bytes16(const uint8_t *p, size_t len)
{
    return _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(0xffff, (unsigned)len), p);
}

INLINE TARGET_GCM void store_bytes16(uint8_t *p, block x, size_t len)
{
    _mm_mask_storeu_epi8(p, (__mmask16)_bzhi_u32(0xffff, (unsigned)len), x);
}

INLINE TARGET_GCM block keep_bytes16(block x, size_t len)
{
    return _mm_maskz_mov_epi8((__mmask16)_bzhi_u32(0xffff, (unsigned)len), x);
}

/* put_last() replaces the last block of a vector, last16() returns it. */
INLINE TARGET_GCM vec put_last(vec x, block last)
{
    return _mm512_inserti32x4(x, last, 3);
}

INLINE TARGET_GCM block last16(vec x)
{
    return _mm512_extracti32x4_epi32(x, 3);
}

/* Counters of one vector from n on, except that the last is 1. */
#define COUNTERS_THEN_1(n) COUNTER(n), COUNTER((n) + 1), COUNTER((n) + 2), COUNTER(1)

/* Puts x into the low half of each block except the last, which gets `last`. */
INLINE TARGET_GCM vec low64_but_last(uint64_t x, uint64_t last)
{
    return _mm512_mask_set1_epi64(_mm512_maskz_set1_epi64(0x15, (long long)x), 0x40,
                                  (long long)last);
}

/* ---- products ---- */

/* A product that is not reduced, as low + middle * x^64 + high * x^128.  `some` is a constant
 * wherever it is used: before the first product there is nothing to add to. */
struct sum {
    vec low, middle, high;
    int some;
};

struct power {
    vec h;
};

INLINE TARGET_GCM struct power power_of(vec h)
{
    return (struct power){ h };
}

/* The powers for the blocks of one vector, from power i on. */
INLINE TARGET_GCM struct power power_at(const struct aead_key *key, size_t i)
{
    return (struct power){ load(key->powers[i]) };
}

/* Power i for all blocks of a vector. */
INLINE TARGET_GCM struct power power_spread(const struct aead_key *key, size_t i)
{
    return (struct power){ spread(key->powers[i]) };
}

/* The powers from i on, except that the last block's power is h. */
INLINE TARGET_GCM struct power power_and_h(const struct aead_key *key, size_t i)
{
    return (struct power){ put_last(load(key->powers[i]), load16(key->powers[POWERS - 1])) };
}

INLINE TARGET_GCM void add_product(struct sum *sum, vec x, struct power p)
{
    const vec low = PRODUCT(x, p.h, 0x00), high = PRODUCT(x, p.h, 0x11);
    const vec a = PRODUCT(x, p.h, 0x01), b = PRODUCT(x, p.h, 0x10);
    sum->low = sum->some ? xor(sum->low, low) : low;
    sum->high = sum->some ? xor(sum->high, high) : high;
    sum->middle = sum->some ? xor3(sum->middle, a, b) : xor(a, b);
    sum->some = 1;
}

INLINE TARGET_GCM void add_products(struct sum *sum, vec x, struct power p, vec y, struct power q)
{
    if (!sum->some) {
        add_product(sum, x, p);
        add_product(sum, y, q);
        return;
    }
    sum->low = xor3(sum->low, PRODUCT(x, p.h, 0x00), PRODUCT(y, q.h, 0x00));
    sum->high = xor3(sum->high, PRODUCT(x, p.h, 0x11), PRODUCT(y, q.h, 0x11));
    sum->middle = xor3(sum->middle, PRODUCT(x, p.h, 0x01), PRODUCT(x, p.h, 0x10));
    sum->middle = xor3(sum->middle, PRODUCT(y, q.h, 0x01), PRODUCT(y, q.h, 0x10));
}

/* add_low() adds the product of h and a block whose high half is zero, add_high() of one whose low
 * half is. */
INLINE TARGET_GCM void add_low(struct sum *sum, block x, const struct aead_key *key)
{
    const block h = load16(key->powers[POWERS - 1]);
    const vec low = widen(_mm_clmulepi64_si128(x, h, 0x00)),
              middle = widen(_mm_clmulepi64_si128(x, h, 0x10));
    sum->low = sum->some ? xor(sum->low, low) : low;
    sum->middle = sum->some ? xor(sum->middle, middle) : middle;
    if (!sum->some)
        sum->high = zero();
    sum->some = 1;
}

INLINE TARGET_GCM void add_high(struct sum *sum, uint64_t x, const struct aead_key *key)
{
    const block h = load16(key->powers[POWERS - 1]), y = _mm_cvtsi64_si128((long long)x);
    sum->middle = xor(sum->middle, widen(_mm_clmulepi64_si128(y, h, 0x00)));
    sum->high = xor(sum->high, widen(_mm_clmulepi64_si128(y, h, 0x10)));
}

INLINE TARGET_GCM vec middle_of(const struct sum *sum)
{
    return sum->middle;
}

/* Karatsuba's sums of halves are not used at 512 bits, so none are stored. */
INLINE TARGET_GCM void keep_halves(struct aead_key *key)
{
    (void)key;
}

#endif
