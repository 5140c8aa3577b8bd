/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo 2^130 - 5 in three words of 64 bits, for computations that are done once for a
 * key or once in a call. */
#ifndef HR_POLY1305_FIELD_H
#define HR_POLY1305_FIELD_H

#include "poly1305_scalar.h"

/* Computes out = x0 + x1 2^64 + x2 2^128, where bits from 2^130 on are reduced: they count five
 * times at 2^0. */
POLY1305_INLINE void poly1305_fold(uint64_t out[3], uint64_t x0, uint64_t x1, uint64_t x2)
{
    poly1305_wide x = (poly1305_wide)x0 + (poly1305_wide)(x2 >> 2) * 5;
    out[0] = (uint64_t)x;
    x = (poly1305_wide)x1 + (uint64_t)(x >> 64);
    out[1] = (uint64_t)x;
    out[2] = (x2 & 3) + (uint64_t)(x >> 64);
}

/* Computes out = a b for any a and b below 2^131; out is at most a little larger than 2^130. */
POLY1305_INLINE void poly1305_product(uint64_t out[3], const uint64_t a[3], const uint64_t b[3])
{
    const poly1305_wide p00 = (poly1305_wide)a[0] * b[0], p01 = (poly1305_wide)a[0] * b[1],
                        p10 = (poly1305_wide)a[1] * b[0], p11 = (poly1305_wide)a[1] * b[1];
    const uint64_t d0 = (uint64_t)p00;
    poly1305_wide x = (p00 >> 64) + (uint64_t)p01 + (uint64_t)p10;
    const uint64_t d1 = (uint64_t)x;
    x = (x >> 64) + (p01 >> 64) + (p10 >> 64) + (uint64_t)p11 + (poly1305_wide)a[0] * b[2] +
        (poly1305_wide)a[2] * b[0];
    const uint64_t d2 = (uint64_t)x;
    x = (x >> 64) + (p11 >> 64) + (poly1305_wide)a[1] * b[2] + (poly1305_wide)a[2] * b[1];
    const uint64_t d3 = (uint64_t)x, d4 = a[2] * b[2] + (uint64_t)(x >> 64);
    /* the part from 2^130 on is added five times: four times and once */
    x = (poly1305_wide)d0 + (d2 & ~UINT64_C(3)) + (d2 >> 2 | d3 << 62);
    const uint64_t h0 = (uint64_t)x;
    x = (poly1305_wide)d1 + d3 + (d3 >> 2 | d4 << 62) + (uint64_t)(x >> 64);
    poly1305_fold(out, h0, (uint64_t)x, (d2 & 3) + d4 + (d4 >> 2) + (uint64_t)(x >> 64));
}

/* Computes out = x 2^n for n from 1 to 61. */
POLY1305_INLINE void poly1305_shift(uint64_t out[3], const uint64_t x[3], int n)
{
    poly1305_fold(out, x[0] << n, x[1] << n | x[0] >> (64 - n), x[2] << n | x[1] >> (64 - n));
}

#endif
