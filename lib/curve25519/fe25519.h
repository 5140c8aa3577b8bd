/* SPDX-License-Identifier: Apache-2.0 */
/* The field of integers modulo p = 2^255 - 19, portable: a number is the sum of v[i] * 2^(51 i),
 * and every limb is below 2^52, before and after each function. */
#ifndef HR_FE25519_H
#define HR_FE25519_H

#include "../bytes.h"
#include "../secret.h"

struct fe {
    uint64_t v[5];
};

#define FE_MASK ((UINT64_C(1) << 51) - 1)

void fe_load(struct fe *out, const uint8_t in[32]);  /* ignores the highest bit */
void fe_store(uint8_t out[32], const struct fe *in); /* the number below p */
void fe_mul(struct fe *out, const struct fe *a, const struct fe *b);
void fe_invert(struct fe *out, const struct fe *a);     /* 1/a; 0 for 0 */
void fe_root_power(struct fe *out, const struct fe *a); /* a^((p - 5) / 8) */

/* Brings limbs below 2^63 back below 2^52. */
static inline void fe_carry(struct fe *x)
{
    for (int i = 0; i < 4; i++) {
        x->v[i + 1] += x->v[i] >> 51;
        x->v[i] &= FE_MASK;
    }
    x->v[0] += 19 * (x->v[4] >> 51);
    x->v[4] &= FE_MASK;
}

static inline void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    for (int i = 0; i < 5; i++)
        out->v[i] = a->v[i] + b->v[i];
    fe_carry(out);
}

/* 4 p is added, whose limbs are not below those of b. */
static inline void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    for (int i = 0; i < 5; i++)
        out->v[i] = a->v[i] + (4 * FE_MASK - (i ? 0 : 4 * 18)) - b->v[i];
    fe_carry(out);
}

static inline void fe_square(struct fe *out, const struct fe *a)
{
    fe_mul(out, a, a);
}

/* Exchanges a and b if bit is 1, in constant time. */
static inline void fe_swap(struct fe *a, struct fe *b, uint32_t bit)
{
    const uint64_t mask = 0 - (uint64_t)ct_hide(bit);
    for (int i = 0; i < 5; i++) {
        const uint64_t x = (a->v[i] ^ b->v[i]) & mask;
        a->v[i] ^= x;
        b->v[i] ^= x;
    }
}

#endif
