/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of two blocks for VAES and AVX2.  A kernel's file includes this once, before the mode's
 * source. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "aes_x86.h"

typedef __m256i vec;
enum { LANES = 2 }; /* blocks in a vector */
#define KERNEL(stem) stem##_vaes256
#define TARGET LEAF __attribute__((target("vaes,aes,avx2")))

INLINE TARGET vec load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE TARGET void store(uint8_t *p, vec x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

INLINE TARGET vec spread(const uint8_t *p)
{
    return _mm256_broadcastsi128_si256(load16(p));
}

INLINE TARGET vec xor (vec a, vec b) { return _mm256_xor_si256(a, b); } INLINE TARGET vec
    enc(vec x, vec k)
{
    return _mm256_aesenc_epi128(x, k);
}

INLINE TARGET vec enc_last(vec x, vec k)
{
    return _mm256_aesenclast_epi128(x, k);
}

INLINE TARGET vec dec(vec x, vec k)
{
    return _mm256_aesdec_epi128(x, k);
}

INLINE TARGET vec dec_last(vec x, vec k)
{
    return _mm256_aesdeclast_epi128(x, k);
}

INLINE TARGET vec round_key(const uint8_t k[16])
{
    return spread(k);
}

INLINE TARGET vec add64(vec a, vec b)
{
    return _mm256_add_epi64(a, b);
}

/* Returns the blocks that precede the blocks of `next` in the message: the last block of `prev`,
 * then all of `next` except its last. */
INLINE TARGET vec blocks_before(vec prev, vec next)
{
    return _mm256_permute2x128_si256(prev, next, 0x21);
}

/* Reverses the bytes of each block.  Constants in this file are whole vectors: if they were one
 * block, the compiler would broadcast them from a register, which occupies the port of shuffles. */
INLINE TARGET vec reverse(vec x)
{
    const long long high = 0x0001020304050607, low = 0x08090a0b0c0d0e0f;
    return _mm256_shuffle_epi8(x, _mm256_set_epi64x(high, low, high, low));
}

/* Returns hi:lo + 0, 1, ... LANES - 1 as 128-bit numbers, without a carry from lo to hi. */
INLINE TARGET vec count_up(uint64_t hi, uint64_t lo)
{
    return _mm256_add_epi64(
        _mm256_broadcastsi128_si256(_mm_set_epi64x((long long)hi, (long long)lo)),
        _mm256_set_epi64x(0, 1, 0, 0));
}

/* Puts x into the low half of each block, and zero into the high half. */
INLINE TARGET vec low64(uint64_t x)
{
    return _mm256_set_epi64x(0, (long long)x, 0, (long long)x);
}

/* Load or store the first num < LANES blocks of a vector: LANES is 2, so num is 1. */
INLINE TARGET vec load_part(const uint8_t *p, size_t num)
{
    return (void)num, _mm256_zextsi128_si256(load16(p));
}

INLINE TARGET void store_part(uint8_t *p, vec x, size_t num)
{
    (void)num;
    store16(p, _mm256_castsi256_si128(x));
}

/* Returns the first block of a vector. */
INLINE TARGET __m128i low16(vec x)
{
    return _mm256_castsi256_si128(x);
}

/* Zeroes the upper halves of vector registers, which would slow down the code that follows. */
INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#include "aes_rounds.h"

#endif
