/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of four blocks for VAES and AVX-512.  A kernel's file includes this once, before the
 * mode's source. */
#ifndef HR_AES_VEC_H
#define HR_AES_VEC_H

#include "aes_x86.h"

typedef __m512i vec;
enum { LANES = 4 }; /* blocks in a vector */
#define KERNEL(stem) stem##_vaes512
#define TARGET LEAF __attribute__((target("vaes,aes,avx512f,avx512bw")))

INLINE TARGET vec load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

INLINE TARGET void store(uint8_t *p, vec x)
{
    _mm512_storeu_si512(p, x);
}

INLINE TARGET vec spread(const uint8_t *p)
{
    return _mm512_broadcast_i32x4(load16(p));
}

INLINE TARGET vec xor (vec a, vec b) { return _mm512_xor_si512(a, b); } INLINE TARGET vec
    enc(vec x, vec k)
{
    return _mm512_aesenc_epi128(x, k);
}

INLINE TARGET vec enc_last(vec x, vec k)
{
    return _mm512_aesenclast_epi128(x, k);
}

INLINE TARGET vec dec(vec x, vec k)
{
    return _mm512_aesdec_epi128(x, k);
}

INLINE TARGET vec dec_last(vec x, vec k)
{
    return _mm512_aesdeclast_epi128(x, k);
}

INLINE TARGET vec round_key(const uint8_t k[16])
{
    return spread(k);
}

INLINE TARGET vec add64(vec a, vec b)
{
    return _mm512_add_epi64(a, b);
}

/* Returns the blocks that precede the blocks of `next` in the message: the last block of `prev`,
 * then all of `next` except its last. */
INLINE TARGET vec blocks_before(vec prev, vec next)
{
    return _mm512_alignr_epi64(next, prev, 6);
}

/* Reverses the bytes of each block.  The constant is a whole vector: if it were one block, the
 * compiler would broadcast it from a register, which occupies the port of shuffles. */
INLINE TARGET vec reverse(vec x)
{
    const long long high = 0x0001020304050607, low = 0x08090a0b0c0d0e0f;
    return _mm512_shuffle_epi8(x, _mm512_set_epi64(high, low, high, low, high, low, high, low));
}

/* Returns hi:lo + 0, 1, ... LANES - 1 as 128-bit numbers, without a carry from lo to hi. */
INLINE TARGET vec count_up(uint64_t hi, uint64_t lo)
{
    return _mm512_add_epi64(_mm512_broadcast_i32x4(_mm_set_epi64x((long long)hi, (long long)lo)),
                            _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
}

/* Puts x into the low half of each block, and zero into the high half.  A constant comes from
 * memory: of the other form gcc makes an instruction that moves it from a general register. */
INLINE TARGET vec low64(uint64_t x)
{
    const long long n = (long long)x;
    return __builtin_constant_p(x) ? _mm512_set_epi64(0, n, 0, n, 0, n, 0, n)
                                   : _mm512_maskz_set1_epi64(0x55, n);
}

/* first() returns a mask of the first num < LANES blocks of a vector.  load_part() and store_part()
 * load or store these, and neither read nor write bytes that are masked out. */
INLINE TARGET __mmask8 first(size_t num)
{
    return (__mmask8)((1u << 2 * num) - 1);
}

INLINE TARGET vec load_part(const uint8_t *p, size_t num)
{
    return _mm512_maskz_loadu_epi64(first(num), p);
}

INLINE TARGET void store_part(uint8_t *p, vec x, size_t num)
{
    _mm512_mask_storeu_epi64(p, first(num), x);
}

/* Returns the first block of a vector. */
INLINE TARGET __m128i low16(vec x)
{
    return _mm512_castsi512_si128(x);
}

/* Zeroes the upper halves of vector registers, which would slow down the code that follows. */
INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#define KEEP_KEYS /* aes_kept.h */

#include "aes_rounds.h"

#endif
