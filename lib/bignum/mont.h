/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo an odd number in Montgomery's form (Montgomery, "Modular multiplication without
 * trial division", 1985), in constant time. */
#ifndef HR_MONT_H
#define HR_MONT_H

#include "bignum.h"

enum { MONT_MAX_LIMBS = 256, MONT_FIXED_LIMBS = 9 };

/* An odd modulus m of num limbs, with R = 2^(64 num). */
struct modulus {
    const uint64_t *m;
    const uint64_t *r2; /* R^2 mod m */
    uint64_t m0;        /* -1/m mod 2^64 */
    size_t num;
};

/* z = x * y / R mod m, if one of x and y is below m. */
void mont_mul(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct modulus *modulus);

/* The same with num limbs of room in t. */
BN_INLINE void mont_mul_in(uint64_t *t, uint64_t *z, const uint64_t *x, const uint64_t *y,
                           const uint64_t *m, uint64_t m0, size_t num)
{
    uint64_t top = 0;
    for (size_t i = 0; i < num; i++)
        t[i] = 0;
    for (size_t i = 0; i < num; i++) {
        bn_wide product = (bn_wide)x[0] * y[i] + t[0];
        const uint64_t u = (uint64_t)product * m0;
        bn_wide reduced = (bn_wide)u * m[0] + (uint64_t)product;
        for (size_t j = 1; j < num; j++) {
            product = (bn_wide)x[j] * y[i] + t[j] + (uint64_t)(product >> 64);
            reduced = (bn_wide)u * m[j] + (uint64_t)product + (uint64_t)(reduced >> 64);
            t[j - 1] = (uint64_t)reduced;
        }
        const bn_wide sum = (bn_wide)top + (uint64_t)(product >> 64) + (uint64_t)(reduced >> 64);
        t[num - 1] = (uint64_t)sum;
        top = (uint64_t)(sum >> 64);
    }
    bn_reduce_once(z, top, t, m, num);
}

/* The same with a number of limbs, up to MONT_FIXED_LIMBS, that the compiler knows, which unrolls
 * the loops. */
BN_INLINE void mont_mul_limbs(uint64_t *z, const uint64_t *x, const uint64_t *y, const uint64_t *m,
                              uint64_t m0, size_t num)
{
    uint64_t t[MONT_FIXED_LIMBS];
    mont_mul_in(t, z, x, y, m, m0, num);
}

#endif
