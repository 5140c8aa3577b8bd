/* SPDX-License-Identifier: Apache-2.0 */
/* Natural numbers as arrays of 64-bit limbs, least significant limb first, in constant time: the
 * time of a call depends only on the number of limbs.  Masks are all ones or zero.  An output may
 * be one of the inputs. */
#ifndef HR_BIGNUM_H
#define HR_BIGNUM_H

#include "../bytes.h"
#include <stddef.h>

typedef unsigned __int128 bn_wide;

#define BN_INLINE static inline __attribute__((always_inline))

/* Hides from the compiler that a mask has only two values, as ct_hide() of secret.h does. */
BN_INLINE uint64_t bn_hide(uint64_t x)
{
    __asm__("" : "+r"(x));
    return x;
}
/* bn_mask returns all ones if bit is 1, zero if it is 0. */
BN_INLINE uint64_t bn_mask(uint64_t bit)
{
    return 0 - bn_hide(bit);
}
BN_INLINE uint64_t bn_word_is_zero(uint64_t x)
{
    return bn_mask(~(x | (0 - x)) >> 63);
}

/* z = x + y; returns the carry. */
BN_INLINE uint64_t bn_add(uint64_t *z, const uint64_t *x, const uint64_t *y, size_t num)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < num; i++) {
        const bn_wide sum = (bn_wide)x[i] + y[i] + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}

/* z = x - y; returns the borrow. */
BN_INLINE uint64_t bn_sub(uint64_t *z, const uint64_t *x, const uint64_t *y, size_t num)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < num; i++) {
        const bn_wide difference = (bn_wide)x[i] - y[i] - borrow;
        z[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return borrow;
}

/* z = x + y or x - y where the mask has ones, else x; return the carry or borrow. */
BN_INLINE uint64_t bn_add_masked(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t mask,
                                 size_t num)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < num; i++) {
        const bn_wide sum = (bn_wide)x[i] + (y[i] & mask) + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}
BN_INLINE uint64_t bn_sub_masked(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t mask,
                                 size_t num)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < num; i++) {
        const bn_wide difference = (bn_wide)x[i] - (y[i] & mask) - borrow;
        z[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return borrow;
}

/* z = x / 2, rounded down. */
BN_INLINE void bn_halve(uint64_t *z, const uint64_t *x, size_t num)
{
    for (size_t i = 0; i < num; i++)
        z[i] = x[i] >> 1 | (i + 1 < num ? x[i + 1] << 63 : 0);
}

/* z = x where the mask has ones, else y. */
BN_INLINE void bn_select(uint64_t *z, uint64_t mask, const uint64_t *x, const uint64_t *y,
                         size_t num)
{
    for (size_t i = 0; i < num; i++)
        z[i] = (x[i] & mask) | (y[i] & ~mask);
}

BN_INLINE uint64_t bn_is_zero(const uint64_t *x, size_t num)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < num; i++)
        bits |= x[i];
    return bn_word_is_zero(bits);
}
BN_INLINE uint64_t bn_equal(const uint64_t *x, const uint64_t *y, size_t num)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < num; i++)
        bits |= x[i] ^ y[i];
    return bn_word_is_zero(bits);
}
/* bn_less returns the mask of x < y. */
BN_INLINE uint64_t bn_less(const uint64_t *x, const uint64_t *y, size_t num)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < num; i++)
        borrow = (uint64_t)(((bn_wide)x[i] - y[i] - borrow) >> 64) & 1;
    return bn_mask(borrow);
}

/* bn_mod_add and bn_mod_sub compute modulo m, from x and y that are below m. */
BN_INLINE void bn_mod_sub(uint64_t *z, const uint64_t *x, const uint64_t *y, const uint64_t *m,
                          size_t num)
{
    bn_add_masked(z, z, m, bn_mask(bn_sub(z, x, y, num)), num);
}
/* bn_reduce_once subtracts m from carry * 2^(64 num) + x if that is not below m. */
BN_INLINE void bn_reduce_once(uint64_t *z, uint64_t carry, const uint64_t *x, const uint64_t *m,
                              size_t num)
{
    bn_sub_masked(z, x, m, ~bn_less(x, m, num) | bn_mask(carry), num);
}
BN_INLINE void bn_mod_add(uint64_t *z, const uint64_t *x, const uint64_t *y, const uint64_t *m,
                          size_t num)
{
    const uint64_t carry = bn_add(z, x, y, num);
    bn_reduce_once(z, carry, z, m, num);
}

/* bn_from_bytes reads a big-endian number of in_len bytes, which fits num limbs. */
static inline void bn_from_bytes(uint64_t *z, size_t num, const uint8_t *in, size_t in_len)
{
    for (size_t i = 0; i < num; i++)
        z[i] = 0;
    for (size_t i = 0; i < in_len; i++)
        z[i / 8] |= (uint64_t)in[in_len - 1 - i] << i % 8 * 8;
}
/* bn_from_leftmost reads the leftmost `bits` bits of big-endian bytes, or all if there are fewer;
 * num limbs have room for `bits` and 7 more. */
static inline void bn_from_leftmost(uint64_t *z, size_t num, const uint8_t *in, size_t in_len,
                                    size_t bits)
{
    const size_t bytes = (bits + 7) / 8, len = in_len < bytes ? in_len : bytes;
    bn_from_bytes(z, num, in, len);
    if (8 * len <= bits)
        return;
    const size_t shift = 8 * len - bits;
    for (size_t i = 0; i < num; i++)
        z[i] = z[i] >> shift | (i + 1 < num ? z[i + 1] << (64 - shift) : 0);
}
/* bn_to_bytes writes the out_len low bytes of x, big-endian. */
static inline void bn_to_bytes(uint8_t *out, size_t out_len, const uint64_t *x)
{
    for (size_t i = 0; i < out_len; i++)
        out[out_len - 1 - i] = (uint8_t)(x[i / 8] >> i % 8 * 8);
}

#endif
