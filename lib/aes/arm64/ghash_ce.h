/* SPDX-License-Identifier: Apache-2.0 */
/* GHASH, SP 800-38D section 6.4, by PMULL (Arm ARM, C7: the product of two polynomials of 64 bits).
 *
 * GCM has the coefficient of x^0 in the first byte's highest bit.  With the bits of each byte
 * reversed (RBIT), a block read in byte order is a number whose bit i belongs to x^i.  So blocks
 * are bit-reversed when they are read ("turned"), and the powers of H and the hash so far are kept
 * in that form.
 *
 * A product is computed as three products of halves (Karatsuba); the middle one is that of the sums
 * of halves.  Blocks are absorbed in groups of up to GROUP, each block with a power of H of its
 * own, and the sum of products is reduced once:
 *
 *     y' = (y + c_1) H^n + c_2 H^(n-1) + ... + c_n H.
 *
 * According to Arm's software optimization guides, the cores A76 and Neoverse N1 start one pair of
 * AESE and AESMC or one PMULL in a cycle; three products instead of four leave more cycles to the
 * cipher. */
#ifndef HR_GHASH_CE_H
#define HR_GHASH_CE_H

#include "../../aead.h"
#include "aes_vec_ce.h"

enum {
    GROUP = 8,
    /* key->powers[n - 1] is H^n.  From MIDDLES on there are sums of halves: of H^2 and H, of H^4
     * and H^3 ... */
    MIDDLES = GROUP,
};

struct sum {
    block lo, mid, hi; /* coefficients of x^0, x^64, x^128; the subtractions of Karatsuba's
                        * method come later */
};

INLINE TARGET block multiply_low(block x, block y)
{
    block product;
    __asm__("pmull %0.1q, %1.1d, %2.1d" : "=w"(product) : "w"(x), "w"(y));
    return product;
}

INLINE TARGET block multiply_high(block x, block y)
{
    block product;
    __asm__("pmull2 %0.1q, %1.2d, %2.2d" : "=w"(product) : "w"(x), "w"(y));
    return product;
}

/* `lows` returns the lower halves of two vectors, `highs` the upper halves. */
INLINE TARGET block lows(block a, block b)
{
    return vreinterpretq_u8_u64(vtrn1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

INLINE TARGET block highs(block a, block b)
{
    return vreinterpretq_u8_u64(vtrn2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/* Returns the upper half of a and the lower half of b as one vector. */
INLINE TARGET block between(block a, block b)
{
    return vextq_u8(a, b, 8);
}

INLINE TARGET block turn(block x)
{
    return vrbitq_u8(x);
}

INLINE TARGET struct sum empty_sum(void)
{
    const block zero = vdupq_n_u8(0);
    return (struct sum){ zero, zero, zero };
}

/* Reduces modulo x^128 + x^7 + x^2 + x + 1: first the part at x^192, then the part at x^128. */
INLINE TARGET block reduce(struct sum s)
{
    const block poly = vreinterpretq_u8_u64(vdupq_n_u64(0x87));
    block mid = xor3(s.mid, s.lo, s.hi);
    mid = xor3(mid, between(s.lo, s.hi), multiply_high(s.hi, poly));
    return xor16(lows(s.lo, mid), multiply_high(mid, poly));
}

/* Adds x times h to the sum. */
INLINE TARGET void absorb(struct sum *s, block x, block h)
{
    const block h_mid = xor16(h, between(h, h)), x_mid = xor16(x, between(x, x));
    s->lo = xor16(s->lo, multiply_low(x, h));
    s->mid = xor16(s->mid, multiply_low(x_mid, h_mid));
    s->hi = xor16(s->hi, multiply_high(x, h));
}

/* Absorbs blocks 2 i and 2 i + 1 of a whole group; y is added to the group's first block. */
INLINE TARGET void absorb_pair(struct sum *s, const uint8_t *in, unsigned i, block y,
                               const struct aead_key *key)
{
    const unsigned n = GROUP - 2 * i; /* the sum gets a H^n + b H^(n-1) */
    const block h_a = load16(key->powers[n - 1]), h_b = load16(key->powers[n - 2]);
    const block h_mid = load16(key->powers[MIDDLES + n / 2 - 1]);
    const block first = turn(load16(in + 32 * i)), b = turn(load16(in + 32 * i + 16));
    const block a = i ? first : xor16(first, y), mid = xor16(lows(a, b), highs(a, b));
    const block lo_a = multiply_low(a, h_a), lo_b = multiply_low(b, h_b);
    const block mid_a = multiply_low(mid, h_mid), mid_b = multiply_high(mid, h_mid);
    const block hi_a = multiply_high(a, h_a), hi_b = multiply_high(b, h_b);
    s->lo = i ? xor3(s->lo, lo_a, lo_b) : xor16(lo_a, lo_b);
    s->mid = i ? xor3(s->mid, mid_a, mid_b) : xor16(mid_a, mid_b);
    s->hi = i ? xor3(s->hi, hi_a, hi_b) : xor16(hi_a, hi_b);
}

/* Returns the hash y after absorbing whole groups. */
INLINE TARGET block ghash_groups(block y, const uint8_t *in, size_t num_groups,
                                 const struct aead_key *key)
{
    for (; num_groups; num_groups--, in += 16 * GROUP) {
        struct sum s;
#pragma GCC unroll 4
        for (unsigned i = 0; i < GROUP / 2; i++)
            absorb_pair(&s, in, i, y, key);
        y = reduce(s);
    }
    return y;
}

/* Returns the hash y after absorbing whole blocks. */
INLINE TARGET block ghash(block y, const uint8_t *in, size_t num_blocks, const struct aead_key *key)
{
    y = ghash_groups(y, in, num_blocks / GROUP, key);
    in += num_blocks / GROUP * 16 * GROUP;
    num_blocks %= GROUP;
    if (!num_blocks)
        return y;
    struct sum s = empty_sum();
    for (; num_blocks; num_blocks--, in += 16) {
        absorb(&s, xor16(turn(load16(in)), y), load16(key->powers[num_blocks - 1]));
        y = vdupq_n_u8(0);
    }
    return reduce(s);
}

/* Computes each H^n from two powers of about n / 2, so that none waits for a long chain of
 * products. */
INLINE TARGET void make_powers(uint8_t powers[GCM_POWERS][16], block h)
{
    store16(powers[0], turn(h));
    for (unsigned n = 2; n <= GROUP; n++) {
        struct sum s = empty_sum();
        absorb(&s, load16(powers[n / 2 - 1]), load16(powers[(n + 1) / 2 - 1]));
        store16(powers[n - 1], reduce(s));
    }
    for (unsigned n = 2; n <= GROUP; n += 2) {
        const block a = load16(powers[n - 1]), b = load16(powers[n - 2]);
        store16(powers[MIDDLES + n / 2 - 1], xor16(lows(a, b), highs(a, b)));
    }
}

#endif
