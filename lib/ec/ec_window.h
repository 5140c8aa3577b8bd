/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars as windows with signed digits (Booth): k = sum of digit(i) * 2^(width * i), each digit
 * from -2^(width - 1) to 2^(width - 1).
 *
 * Why no sum of a secret multiplication is that of a point and itself or its opposite, which the
 * kernels' additions could not do:  ec_halve() replaces k by n - k if that is smaller, so that
 * 0 < k <= (n - 1) / 2.  The sum so far and the point that is added are then u G and v G, with
 * integers u and v of distinct powers of 2^width times digits.  Such a sum u + v or u - v is not 0,
 * as its highest digit outweighs the rest, unless both are 0, and its absolute value is below n: it
 * is at most k plus twice the windows that are missing from u, and these, or those that are there,
 * lie below the highest window, which is worth at most n / 4 (for windows from the highest down, of
 * ec_multiply(): less than k / 2 + 2^width until the last, and then at most k + 2^width).
 * Infinity plus a point, and the digit 0, are handled by selection. */
#ifndef HR_EC_WINDOW_H
#define HR_EC_WINDOW_H

#include "ec.h"

struct ec_digit {
    uint64_t size;     /* its absolute value */
    uint64_t negative; /* a mask */
};

/* Returns `len` bits of k from `bit` on, len < 64. */
BN_INLINE uint64_t ec_bits(const uint64_t *k, size_t bit, size_t len, size_t num)
{
    const size_t limb = bit / 64, shift = bit % 64;
    uint64_t bits = k[limb] >> shift;
    if (shift + len > 64 && limb + 1 < num)
        bits |= k[limb + 1] << (64 - shift);
    return bits & ((UINT64_C(1) << len) - 1);
}

/* Returns digit i; the number of windows is such that k is below 2^(width * windows - 1). */
BN_INLINE struct ec_digit ec_digit(const uint64_t *k, size_t i, size_t width, size_t num)
{
    const size_t bit = i * width;
    const uint64_t raw = bit ? ec_bits(k, bit - 1, width + 1, num) : ec_bits(k, 0, width, num) << 1;
    const uint64_t negative = bn_mask(raw >> width);
    const uint64_t size = (raw ^ negative) & ((UINT64_C(2) << width) - 1);
    return (struct ec_digit){ (size >> 1) + (size & 1), negative };
}

BN_INLINE size_t ec_num_windows(const struct ec_domain *domain, size_t width)
{
    return (domain->bits + width - 1) / width;
}

/* out = the smaller of k and n - k; returns the mask of the second. */
static inline uint64_t ec_halve(uint64_t *out, const uint64_t *k, const struct ec_domain *domain)
{
    uint64_t opposite[EC_LIMBS];
    const uint64_t negate = bn_less(domain->n_half, k, domain->num);
    bn_sub(opposite, domain->n, k, domain->num);
    bn_select(out, negate, opposite, k, domain->num);
    WIPE(&opposite);
    return negate;
}

/* y = -y mod p where the mask has ones. */
BN_INLINE void ec_negate(uint64_t *y, uint64_t mask, const uint64_t *p, size_t num)
{
    static const uint64_t zero[EC_LIMBS];
    uint64_t opposite[EC_LIMBS];
    bn_mod_sub(opposite, zero, y, p, num);
    bn_select(y, mask, opposite, y, num);
}

#endif
