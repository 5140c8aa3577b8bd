/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 on four blocks at once, with products of 32 bits: h = (h + c_0) r^4 + c_1 r^3 + c_2 r^2
 * + c_3 r mod 2^130 - 5.
 *
 * Numbers are five limbs, x = x0 + x1 2^26 + ... + x4 2^104, in the lanes of vectors.  UMLAL
 * multiplies lanes 0 and 1 of the blocks' limbs, to which the hash so far has been added, UMLAL2
 * multiplies lanes 2 and 3, and both products are added to one sum.  So from four blocks to the
 * next there are two hashes,
 *
 *     even' = (even + c_0) r^4 + c_2 r^2,    odd' = (odd + c_1) r^4 + c_3 r^2.
 *
 * For the last four blocks, `even` is multiplied by r^4 and r^2, `odd` by r^3 and r, and the sum of
 * both is the hash.  This last step differs from the others only in the table of multipliers.
 *
 * Limbs of blocks are below 2^26, those of the hash below 2^26 + 2^24, those of powers below 2^27,
 * five times that below 2^29.4: a sum of ten products is below 2^60, and is carried once.
 *
 * According to Arm's software optimization guides, a Neoverse N1 or a Cortex-A76 starts one UMLAL a
 * cycle, a product of 64 bits in 3 cycles and its upper half in 4.  A block takes 12.5 UMLAL, or 34
 * cycles of 64-bit products: vectors are faster from four blocks on. */
#ifndef HR_POLY1305_NEON_H
#define HR_POLY1305_NEON_H

#include "../../aes/aes_kernel.h"
#include "../poly1305.h"
#include "../poly1305_scalar.h"

#include <arm_neon.h>

enum { LIMBS = 5, FACTORS = 9, LIMB = (1 << 26) - 1, FOUR = 4 };

/* For each lane, the limbs of a power of r, followed by five times all limbs but the lowest. */
struct __attribute__((may_alias)) factors {
    uint32_t lanes[FACTORS][4];
};

/* The layout of key->powers. */
struct __attribute__((may_alias)) poly1305_neon {
    struct factors more, last; /* more: r^4 r^4 r^2 r^2; last: r^4 r^3 r^2 r */
};
static_assert(sizeof(struct poly1305_neon) <= sizeof((struct poly1305_key *)0)->powers, "its room");

/* Splits h, which is below 2^131, into limbs. */
INLINE void split(uint32_t limbs[LIMBS], const uint64_t h[3])
{
    limbs[0] = h[0] & LIMB;
    limbs[1] = h[0] >> 26 & LIMB;
    limbs[2] = (h[0] >> 52 | h[1] << 12) & LIMB;
    limbs[3] = h[1] >> 14 & LIMB;
    limbs[4] = (uint32_t)(h[1] >> 40 | h[2] << 24);
}

/* Converts limbs below 2^61 to h below 2^131. */
INLINE void join(uint64_t h[3], const uint64_t limbs[LIMBS])
{
    const uint64_t l1 = limbs[1] + (limbs[0] >> 26), l2 = limbs[2] + (l1 >> 26);
    const uint64_t l3 = limbs[3] + (l2 >> 26), l4 = limbs[4] + (l3 >> 26);
    const uint64_t low = (limbs[0] & LIMB) | (l1 & LIMB) << 26 | l2 << 52;
    const uint64_t middle = (l2 & LIMB) >> 12 | (l3 & LIMB) << 14 | l4 << 40;
    poly1305_wide x = (poly1305_wide)low + 5 * (l4 >> 26);
    h[0] = (uint64_t)x;
    x = (poly1305_wide)middle + (uint64_t)(x >> 64);
    h[1] = (uint64_t)x;
    h[2] = (l4 >> 24 & 3) + (uint64_t)(x >> 64);
}

INLINE void set_lane(struct factors *f, unsigned lane, const uint32_t limbs[LIMBS])
{
    for (unsigned i = 0; i < LIMBS; i++)
        f->lanes[i][lane] = limbs[i];
    for (unsigned i = 1; i < LIMBS; i++)
        f->lanes[LIMBS + i - 1][lane] = 5 * limbs[i];
}

INLINE void make_powers(struct poly1305_key *key)
{
    struct poly1305_neon *powers = (struct poly1305_neon *)key->powers;
    uint64_t h[3] = { key->r[0], key->r[1], 0 };
    uint32_t limbs[LIMBS];
    for (unsigned n = 1; n <= FOUR; n++) {
        split(limbs, h);
        set_lane(&powers->last, FOUR - n, limbs);
        if (n % 2 == 0) {
            set_lane(&powers->more, FOUR - n, limbs);
            set_lane(&powers->more, FOUR - n + 1, limbs);
        }
        if (n < FOUR)
            poly1305_step(h, 0, 0, 0, key->r);
    }
    WIPE(&limbs);
    WIPE(&h);
}

/* Loads four blocks, and adds 2^128 to each. */
INLINE void load_blocks(uint32x4_t limbs[LIMBS], const uint8_t *in)
{
    const uint32x4x4_t words = vld4q_u32((const uint32_t *)(const void *)in);
    const uint32x4_t mask = vdupq_n_u32(LIMB), bit_128 = vdupq_n_u32(1 << 24);
    const uint32x4_t w0 = words.val[0], w1 = words.val[1], w2 = words.val[2], w3 = words.val[3];
    limbs[0] = vandq_u32(w0, mask);
    limbs[1] = vandq_u32(vsliq_n_u32(vshrq_n_u32(w0, 26), w1, 6), mask);
    limbs[2] = vandq_u32(vsliq_n_u32(vshrq_n_u32(w1, 20), w2, 12), mask);
    limbs[3] = vandq_u32(vsliq_n_u32(vshrq_n_u32(w2, 14), w3, 18), mask);
    limbs[4] = vorrq_u32(vshrq_n_u32(w3, 8), bit_128);
}

/* Multiplies x by f.  The first element of sums[k] is the sum of the products of lanes 0 and 2, the
 * second one that of lanes 1 and 3. */
INLINE void multiply(uint64x2_t sums[LIMBS], const uint32x4_t x[LIMBS], const struct factors *f)
{
#pragma GCC unroll 5
    for (unsigned i = 0; i < LIMBS; i++)
#pragma GCC unroll 5
        for (unsigned j = 0; j < LIMBS; j++) {
            const unsigned k = i + j; /* limbs from 2^130 on count five times at 2^0 */
            const uint32x4_t by = vld1q_u32(f->lanes[k < LIMBS ? j : LIMBS + j - 1]);
            uint64x2_t *const sum = &sums[k % LIMBS];
            *sum = i ? vmlal_u32(*sum, vget_low_u32(x[i]), vget_low_u32(by))
                     : vmull_u32(vget_low_u32(x[i]), vget_low_u32(by));
            *sum = vmlal_high_u32(*sum, x[i], by);
        }
}

INLINE uint64x2_t carry(uint64x2_t *from, uint64x2_t to)
{
    const uint64x2_t sum = vsraq_n_u64(to, *from, 26);
    *from = vandq_u64(*from, vdupq_n_u64(LIMB));
    return sum;
}

/* Carries in two independent chains.  Afterwards limbs are below 2^26, except that s[1] and s[4]
 * may be a little larger. */
INLINE void carry_all(uint64x2_t s[LIMBS])
{
    s[1] = carry(&s[0], s[1]);
    s[4] = carry(&s[3], s[4]);
    s[2] = carry(&s[1], s[2]);
    const uint64x2_t top = vshrq_n_u64(s[4], 26);
    s[4] = vandq_u64(s[4], vdupq_n_u64(LIMB));
    s[0] = vaddq_u64(s[0], vaddq_u64(top, vshlq_n_u64(top, 2)));
    s[3] = carry(&s[2], s[3]);
    s[1] = carry(&s[0], s[1]);
    s[4] = carry(&s[3], s[4]);
}

/* Processes num_blocks blocks, at least 4 and a multiple of 4. */
INLINE void fours(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                  const struct poly1305_neon *powers)
{
    uint32_t limbs[LIMBS];
    uint32x4_t hash[LIMBS], x[LIMBS];
    uint64x2_t sums[LIMBS];
    split(limbs, h);
#pragma GCC unroll 5
    for (unsigned i = 0; i < LIMBS; i++)
        hash[i] = vsetq_lane_u32(limbs[i], vdupq_n_u32(0), 0);
    for (;; num_blocks -= FOUR, in += 16 * FOUR) {
        load_blocks(x, in);
#pragma GCC unroll 5
        for (unsigned i = 0; i < LIMBS; i++)
            x[i] = vaddq_u32(x[i], hash[i]);
        if (num_blocks == FOUR)
            break;
        multiply(sums, x, &powers->more);
        carry_all(sums);
#pragma GCC unroll 5
        for (unsigned i = 0; i < LIMBS; i++)
            hash[i] = vcombine_u32(vmovn_u64(sums[i]), vdup_n_u32(0));
    }
    multiply(sums, x, &powers->last);
    uint64_t sum[LIMBS];
#pragma GCC unroll 5
    for (unsigned i = 0; i < LIMBS; i++)
        sum[i] = vaddvq_u64(sums[i]);
    join(h, sum);
}

INLINE void blocks(uint64_t h[3], const uint8_t *in, size_t num_blocks,
                   const struct poly1305_key *key)
{
    for (; num_blocks % FOUR; num_blocks--, in += 16)
        poly1305_step(h, load_le64(in), load_le64(in + 8), 1, key->r);
    if (num_blocks)
        fours(h, in, num_blocks, (const struct poly1305_neon *)key->powers);
}

#endif
