/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of two blocks for AVX2, without AES instructions.  A kernel's file includes this once,
 * before the mode's source.  A single block is computed in both halves of a vector. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "../../aes_kernel.h"
#include <immintrin.h>

typedef __m256i vec, block;
enum { LANES = 2 }; /* blocks in a vector */
#define KERNEL(stem) stem##_avx2
#define TARGET LEAF __attribute__((target("avx2")))

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
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}

INLINE TARGET block load16(const uint8_t *p)
{
    return spread(p);
}

INLINE TARGET void store16(uint8_t *p, block x)
{
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(x));
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

/* Returns hi:lo + 0, 1 as 128-bit numbers, without a carry from lo to hi. */
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
    return (void)num, load16(p);
}

INLINE TARGET void store_part(uint8_t *p, vec x, size_t num)
{
    (void)num, store16(p, x);
}

/* Returns the first block of a vector. */
INLINE TARGET block low16(vec x)
{
    return x;
}

/* Zeroes the upper halves of vector registers, which would slow down the code that follows. */
INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

INLINE TARGET vec all_bytes(uint8_t x)
{
    return _mm256_set1_epi8((char)x);
}

INLINE TARGET vec look(vec table, vec index)
{
    return _mm256_shuffle_epi8(table, index);
}

INLINE TARGET vec kept(vec x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* Reverses the bytes of each block. */
INLINE TARGET vec reverse(vec x)
{
    const long long high = 0x0001020304050607, low = 0x08090a0b0c0d0e0f;
    return look(x, _mm256_set_epi64x(high, low, high, low));
}

INLINE TARGET vec low_nibbles(vec x)
{
    return x & all_bytes(15);
}

INLINE TARGET vec high_nibbles(vec x)
{
    return low_nibbles(_mm256_srli_epi16(x, 4));
}

INLINE TARGET vec bytes_with(vec x, uint8_t bit)
{
    return _mm256_cmpeq_epi8(x & all_bytes(bit), all_bytes(bit));
}

INLINE TARGET void swap_bits(vec *a, vec *b, uint8_t mask, int shift)
{
    const vec t = (_mm256_srli_epi64(*a, shift) ^ *b) & all_bytes(mask);
    *a ^= _mm256_slli_epi64(t, shift);
    *b ^= t;
}

INLINE TARGET void swap_nibbles(vec *a, vec *b)
{
    swap_bits(a, b, 0x0f, 4);
}

#include "../../aes_soft.h"

#endif
