/* SPDX-License-Identifier: Apache-2.0 */
/* Montgomery multiplication of numbers of 8 limbs and more by s2n-bignum's products of fixed
 * lengths, and its reduction of a whole product.  Lengths that it does not have are made of those:
 * 24 limbs of three blocks, and twice a length by Karatsuba's method.  bignum_add and bignum_sub go
 * from limb to limb, and may write over an input. */
#include "../internal.h"
#include "../proven/bignum.h"
#include "mont_kernels.h"

#if defined(HR_PROVEN) && (defined(__x86_64__) || defined(__aarch64__))

/* Products z of 2 num limbs, with room for 4 num limbs in t. */
typedef void multiply_fn(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t *t);
typedef void square_fn(uint64_t *z, const uint64_t *x, uint64_t *t);

/* ---- what s2n-bignum has ---- */

static void multiply_8(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t *t)
{
    (void)t;
    hr_proven_bignum_mul_8_16(z, x, y);
}
static void square_8(uint64_t *z, const uint64_t *x, uint64_t *t)
{
    (void)t;
    hr_proven_bignum_sqr_8_16(z, x);
}
#define multiply_16 hr_proven_bignum_kmul_16_32
#define square_16 hr_proven_bignum_ksqr_16_32
#define multiply_32 hr_proven_bignum_kmul_32_64
#define square_32 hr_proven_bignum_ksqr_32_64

/* ---- three blocks ---- */

/* c = x0 y1 + x0 y2 2^512 + x1 y2 2^1024, of 32 limbs and perhaps one bit more */
static void cross_24(uint64_t c[33], const uint64_t *x, const uint64_t *y, uint64_t p[16])
{
    hr_proven_bignum_mul_8_16(c, x, y + 8);
    hr_proven_bignum_mul_8_16(c + 16, x + 8, y + 16);
    hr_proven_bignum_mul_8_16(p, x, y + 16);
    c[32] = hr_proven_bignum_add(24, c + 8, 24, c + 8, 16, p);
}

static void multiply_24(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t *t)
{
    for (int i = 0; i < 24; i += 8)
        hr_proven_bignum_mul_8_16(z + 2 * i, x + i, y + i);
    cross_24(t, x, y, t + 40);
    hr_proven_bignum_add(40, z + 8, 40, z + 8, 33, t);
    cross_24(t, y, x, t + 40);
    hr_proven_bignum_add(40, z + 8, 40, z + 8, 33, t);
}

static void square_24(uint64_t *z, const uint64_t *x, uint64_t *t)
{
    for (int i = 0; i < 24; i += 8)
        hr_proven_bignum_sqr_8_16(z + 2 * i, x + i);
    cross_24(t, x, x, t + 40);
    hr_proven_bignum_add(40, z + 8, 40, z + 8, 33, t);
    hr_proven_bignum_add(40, z + 8, 40, z + 8, 33, t);
}

/* ---- Karatsuba: x0 y1 + x1 y0 = x0 y0 + x1 y1 - (x0 - x1) (y0 - y1) ---- */

/* z = |x0 - x1|; returns the mask of x0 < x1. */
BN_INLINE uint64_t distance(uint64_t *z, const uint64_t *x, size_t half)
{
    uint64_t carry = hr_proven_bignum_sub(half, z, half, x, half, x + half);
    const uint64_t negative = bn_mask(carry);
    for (size_t i = 0; i < half; i++)
        z[i] ^= negative;
    hr_proven_bignum_add(half, z, half, z, 1, &carry);
    return negative;
}

/* Completes z = x0 y0 + x1 y1 2^(128 half) by the middle of the product: p = |x0 - x1| |y0 - y1|,
 * of 2 half + 1 limbs, is subtracted where the mask has ones, else added. */
BN_INLINE void put_middle(uint64_t *z, uint64_t *p, uint64_t subtract, uint64_t *sum, size_t half)
{
    const size_t num = 2 * half;
    const uint64_t one = subtract & 1;
    p[num] = 0;
    for (size_t i = 0; i <= num; i++)
        p[i] ^= subtract;
    sum[num] = hr_proven_bignum_add(num, sum, num, z, num, z + num);
    hr_proven_bignum_add(num + 1, sum, num + 1, sum, num + 1, p);
    hr_proven_bignum_add(num + 1, sum, num + 1, sum, 1, &one);
    hr_proven_bignum_add(num + half, z + half, num + half, z + half, num + 1, sum);
}

BN_INLINE void multiply_twice(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t *t,
                              size_t half, multiply_fn *multiply)
{
    uint64_t *const product = t, *const dx = t + 2 * half + 8, *const dy = dx + half;
    multiply(z, x, y, t);
    multiply(z + 2 * half, x + half, y + half, t);
    const uint64_t other_signs = distance(dx, x, half) ^ distance(dy, y, half);
    multiply(product, dx, dy, dy + half);
    put_middle(z, product, ~other_signs, dx, half);
}

BN_INLINE void square_twice(uint64_t *z, const uint64_t *x, uint64_t *t, size_t half,
                            square_fn *square)
{
    uint64_t *const product = t, *const dx = t + 2 * half + 8;
    square(z, x, t);
    square(z + 2 * half, x + half, t);
    distance(dx, x, half);
    square(product, dx, dx + half);
    put_middle(z, product, UINT64_MAX, dx, half);
}

#define TWICE(half, num)                                                                       \
    static void multiply_##num(uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t *t) \
    {                                                                                          \
        multiply_twice(z, x, y, t, half, multiply_##half);                                     \
    }                                                                                          \
    static void square_##num(uint64_t *z, const uint64_t *x, uint64_t *t)                      \
    {                                                                                          \
        square_twice(z, x, t, half, square_##half);                                            \
    }
TWICE(24, 48)
TWICE(32, 64)
TWICE(48, 96)
TWICE(64, 128)

/* ---- modulo m ---- */

/* z = product / R mod m: the reduction gives less than 2 m. */
BN_INLINE void reduce(uint64_t *z, uint64_t *product, uint64_t *t, const struct modulus *m,
                      size_t num)
{
    const uint64_t carry = hr_proven_bignum_emontredc_8n(num, product, m->m, m->m0);
    const uint64_t less = hr_proven_bignum_sub(num, t, num, product + num, num, m->m);
    bn_select(z, bn_mask(carry) | ~bn_mask(less), t, product + num, num);
}

#define STEPS(num)                                                                   \
    void mont_steps_proven_##num(uint64_t *z, const uint64_t *x, unsigned squarings, \
                                 const uint64_t *y, const struct modulus *m)         \
    {                                                                                \
        uint64_t power[num], product[2 * num], t[4 * num];                           \
        memcpy(power, x, sizeof power);                                              \
        for (unsigned i = 0; i < squarings; i++) {                                   \
            square_##num(product, power, t);                                         \
            reduce(power, product, t, m, num);                                       \
        }                                                                            \
        multiply_##num(product, power, y, t);                                        \
        reduce(power, product, t, m, num);                                           \
        memcpy(z, power, sizeof power);                                              \
        WIPE(&power);                                                                \
        WIPE(&product);                                                              \
        WIPE(&t);                                                                    \
    }                                                                                \
    void mont_mul_proven_##num(uint64_t *z, const uint64_t *x, const uint64_t *y,    \
                               const struct modulus *m)                              \
    {                                                                                \
        mont_steps_proven_##num(z, x, 0, y, m);                                      \
    }
MONT_PROVEN_LENGTHS(STEPS)

#endif
