/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one block for Advanced SIMD, without AES instructions.  A kernel's file includes this
 * once, before the mode's source. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "../aes_kernel.h"
#include <arm_neon.h>

typedef uint8x16_t vec, block;
enum { LANES = 1 }; /* blocks in a vector */
#define KERNEL(stem) stem##_neon
#define TARGET LEAF

INLINE TARGET vec load(const uint8_t *p)
{
    return vld1q_u8(p);
}

INLINE TARGET void store(uint8_t *p, vec x)
{
    vst1q_u8(p, x);
}

INLINE TARGET vec add64(vec a, vec b)
{
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/* Returns hi:lo as a 128-bit number. */
INLINE TARGET vec count_up(uint64_t hi, uint64_t lo)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(lo), vcreate_u64(hi)));
}

INLINE TARGET vec all_bytes(uint8_t x)
{
    return vdupq_n_u8(x);
}

INLINE TARGET vec look(vec table, vec index)
{
    return vqtbl1q_u8(table, index);
}

INLINE TARGET vec kept(vec x)
{
    __asm__("" : "+w"(x));
    return x;
}

/* Reverses the bytes of each block. */
INLINE TARGET vec reverse(vec x)
{
    const vec y = vrev64q_u8(x);
    return vextq_u8(y, y, 8);
}

INLINE TARGET vec low_nibbles(vec x)
{
    return x & all_bytes(15);
}

INLINE TARGET vec high_nibbles(vec x)
{
    return vshrq_n_u8(x, 4);
}

INLINE TARGET vec bytes_with(vec x, uint8_t bit)
{
    return vtstq_u8(x, all_bytes(bit));
}

/* Two instructions for each result, since BSL takes each bit from one of two vectors. */
INLINE TARGET void swap_bits(vec *a, vec *b, uint8_t mask, int shift)
{
    const vec old = *a;
    *a = vbslq_u8(all_bytes((uint8_t)(mask << shift)), *b << shift, old);
    *b = vbslq_u8(all_bytes(mask), old >> shift, *b);
}

INLINE TARGET void swap_nibbles(vec *a, vec *b)
{
    const vec old = *a;
    *a = vsliq_n_u8(old, *b, 4);
    *b = vsriq_n_u8(*b, old, 4);
}

#include "../aes_vec_one.h"

#include "../aes_soft.h"

#endif
