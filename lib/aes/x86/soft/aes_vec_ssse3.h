/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one block for SSSE3, without AES instructions.  A kernel's file includes this once,
 * before the mode's source. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "../../aes_kernel.h"
#include <immintrin.h>

typedef __m128i vec, block;
enum { LANES = 1 }; /* blocks in a vector */
#define KERNEL(stem) stem##_ssse3
#define TARGET LEAF __attribute__((target("ssse3")))

INLINE TARGET vec load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE TARGET void store(uint8_t *p, vec x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

INLINE TARGET vec add64(vec a, vec b)
{
    return _mm_add_epi64(a, b);
}

/* Returns hi:lo as a 128-bit number. */
INLINE TARGET vec count_up(uint64_t hi, uint64_t lo)
{
    return _mm_set_epi64x((long long)hi, (long long)lo);
}

INLINE TARGET vec all_bytes(uint8_t x)
{
    return _mm_set1_epi8((char)x);
}

INLINE TARGET vec look(vec table, vec index)
{
    return _mm_shuffle_epi8(table, index);
}

INLINE TARGET vec kept(vec x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* Reverses the bytes of each block. */
INLINE TARGET vec reverse(vec x)
{
    return look(x, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

INLINE TARGET vec low_nibbles(vec x)
{
    return x & all_bytes(15);
}

INLINE TARGET vec high_nibbles(vec x)
{
    return low_nibbles(_mm_srli_epi16(x, 4));
}

INLINE TARGET vec bytes_with(vec x, uint8_t bit)
{
    return _mm_cmpeq_epi8(x & all_bytes(bit), all_bytes(bit));
}

INLINE TARGET void swap_bits(vec *a, vec *b, uint8_t mask, int shift)
{
    const vec t = (_mm_srli_epi64(*a, shift) ^ *b) & all_bytes(mask);
    *a ^= _mm_slli_epi64(t, shift);
    *b ^= t;
}

INLINE TARGET void swap_nibbles(vec *a, vec *b)
{
    swap_bits(a, b, 0x0f, 4);
}

#include "../../aes_vec_one.h"

#include "../../aes_soft.h"

#endif
