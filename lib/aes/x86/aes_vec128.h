/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one block for AES-NI. A kernel's file includes this once, before the mode's source. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "aes_x86.h"

typedef __m128i vec;
enum { LANES = 1 }; /* blocks in a vector */
#define KERNEL(stem) stem##_aesni
#define TARGET TARGET_AESNI

INLINE TARGET vec load(const uint8_t *p)
{
    return load16(p);
}

INLINE TARGET void store(uint8_t *p, vec x)
{
    store16(p, x);
}

INLINE TARGET vec spread(const uint8_t *p)
{
    return load16(p);
}

INLINE TARGET vec xor (vec a, vec b) { return _mm_xor_si128(a, b); } INLINE TARGET vec
    enc(vec x, vec k)
{
    return _mm_aesenc_si128(x, k);
}

INLINE TARGET vec enc_last(vec x, vec k)
{
    return _mm_aesenclast_si128(x, k);
}

INLINE TARGET vec dec(vec x, vec k)
{
    return _mm_aesdec_si128(x, k);
}

INLINE TARGET vec dec_last(vec x, vec k)
{
    return _mm_aesdeclast_si128(x, k);
}

INLINE TARGET vec round_key(const uint8_t k[16])
{
    return key16(k);
}

INLINE TARGET vec add64(vec a, vec b)
{
    return _mm_add_epi64(a, b);
}

/* Returns the blocks that precede the blocks of `next` in the message: the last block of `prev`,
 * then all of `next` except its last. */
INLINE TARGET vec blocks_before(vec prev, vec next)
{
    return (void)next, prev;
}

/* Reverses the bytes of each block. */
INLINE TARGET vec reverse(vec x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

/* Returns hi:lo + 0, 1, ... LANES - 1 as 128-bit numbers, without a carry from lo to hi. */
INLINE TARGET vec count_up(uint64_t hi, uint64_t lo)
{
    return _mm_set_epi64x((long long)hi, (long long)lo);
}

/* Puts x into the low half of each block, and zero into the high half. */
INLINE TARGET vec low64(uint64_t x)
{
    return _mm_set_epi64x(0, (long long)x);
}

/* Load or store the first num < LANES blocks of a vector.  LANES is 1, so these are never executed.
 */
INLINE TARGET vec load_part(const uint8_t *p, size_t num)
{
    return (void)num, load16(p);
}

INLINE TARGET void store_part(uint8_t *p, vec x, size_t num)
{
    (void)num, store16(p, x);
}

/* Returns the first block of a vector. */
INLINE TARGET __m128i low16(vec x)
{
    return x;
}

/* There are no upper vector halves to zero. */
INLINE TARGET void leave(void) {}

#include "aes_rounds.h"

#endif
