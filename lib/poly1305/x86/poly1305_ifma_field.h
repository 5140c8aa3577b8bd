/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo 2^130 - 5 by multipliers of 52 by 52 bits, in lanes.  poly1305_ifma.c
 * includes this file for each width of vectors: VEC is the type, OP(name) an intrinsic,
 * NAME(stem) a name.
 *
 * Numbers are three limbs of 44, 44 and 42 bits.  A product that would lie at 2^132 or above is
 * made with 20 times the limb of r instead, as 2^132 = 20 modulo 2^130 - 5.  Limbs may exceed
 * their width, as multipliers take 52 bits.  So a carry goes one limb up and no further, and is
 * made once for up to eight products, whose sums are below 2^58. */

/* A multiplier: its limbs, and 20 times the second and the third. */
struct NAME(factor) {
    VEC r[3], s[2];
};

/* Sums at 2^0, 2^44, 2^88 (lower halves of products) and 2^52, 2^96, 2^140 (upper halves). */
struct NAME(sums) {
    VEC low[3], high[3];
};

INLINE TARGET VEC NAME(spread)(uint64_t x)
{
    return OP(set1_epi64x)((long long)x);
}

INLINE TARGET VEC NAME(add)(VEC a, VEC b)
{
    return OP(add_epi64)(a, b);
}

INLINE TARGET void NAME(clear)(struct NAME(sums) * sum)
{
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        sum->low[b] = sum->high[b] = NAME(spread)(0);
}

INLINE TARGET void NAME(add_term)(struct NAME(sums) * sum, int b, VEC x, VEC r)
{
    sum->low[b] = OP(madd52lo_epu64)(sum->low[b], x, r);
    sum->high[b] = OP(madd52hi_epu64)(sum->high[b], x, r);
}

/* Computes sum += x f. */
INLINE TARGET void NAME(add_product)(struct NAME(sums) * sum, const VEC x[3],
                                     const struct NAME(factor) * f)
{
    NAME(add_term)(sum, 0, x[1], f->s[1]);
    NAME(add_term)(sum, 2, x[1], f->r[1]);
    NAME(add_term)(sum, 1, x[1], f->r[0]);
    NAME(add_term)(sum, 0, x[2], f->s[0]);
    NAME(add_term)(sum, 2, x[2], f->r[0]);
    NAME(add_term)(sum, 1, x[2], f->s[1]);
    NAME(add_term)(sum, 0, x[0], f->r[0]);
    NAME(add_term)(sum, 2, x[0], f->r[2]);
    NAME(add_term)(sum, 1, x[0], f->r[1]);
}

/* Puts the upper halves to their places: 2^140 is 2^12 + 2^10. */
INLINE TARGET void NAME(join_halves)(VEC t[3], const struct NAME(sums) * sum)
{
    const VEC over = NAME(add)(OP(slli_epi64)(sum->high[2], 12), OP(slli_epi64)(sum->high[2], 10));
    t[0] = NAME(add)(sum->low[0], over);
    t[1] = NAME(add)(sum->low[1], OP(slli_epi64)(sum->high[0], 52 - LIMB));
    t[2] = NAME(add)(sum->low[2], OP(slli_epi64)(sum->high[1], 52 - LIMB));
}

INLINE TARGET void NAME(reduce)(VEC x[3], const struct NAME(sums) * sum)
{
    VEC t[3];
    NAME(join_halves)(t, sum);
    const VEC over = OP(srli_epi64)(t[2], TOP);
    const VEC mask = NAME(spread)(LIMB_MASK), top = NAME(spread)((UINT64_C(1) << TOP) - 1);
    x[2] = NAME(add)(t[2] & top, OP(srli_epi64)(t[1], LIMB));
    x[1] = NAME(add)(t[1] & mask, OP(srli_epi64)(t[0], LIMB));
    x[0] = NAME(add)(NAME(add)(t[0] & mask, over), OP(slli_epi64)(over, 2));
}

INLINE TARGET void NAME(make_factor)(struct NAME(factor) * f, const VEC x[3])
{
#pragma GCC unroll 3
    for (int b = 0; b < 3; b++)
        f->r[b] = x[b];
#pragma GCC unroll 2
    for (int b = 0; b < 2; b++)
        f->s[b] = NAME(add)(OP(slli_epi64)(x[b + 1], 4), OP(slli_epi64)(x[b + 1], 2));
}

INLINE TARGET void NAME(multiply)(VEC out[3], const VEC x[3], const struct NAME(factor) * f)
{
    struct NAME(sums) sum;
    NAME(clear)(&sum);
    NAME(add_product)(&sum, x, f);
    NAME(reduce)(out, &sum);
}
