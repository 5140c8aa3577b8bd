/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-512 and FEAT_SHA512.  In one chain each SHA512H
 * waits for the one before and the addition after it.  So two chains are computed, alternating step
 * by step: while one waits, the other runs. */
#include "../hmac_iterate.h"
#include "sha512_ce.h"

enum { LANES = 2 };

/* get() reads and put() writes the states of two lanes, whose words alternate in memory. */
INLINE void get(struct state s[LANES], const union lane_words *words)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const uint64x2x2_t x = vld2q_u64(words->w64 + 4 * i);
        s[0].pair[i] = x.val[0];
        s[1].pair[i] = x.val[1];
    }
}

INLINE void put(union lane_words *words, const struct state s[LANES])
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const uint64x2x2_t x = { { s[0].pair[i], s[1].pair[i] } };
        vst2q_u64(words->w64 + 4 * i, x);
    }
}

/* Compresses the block that holds the digest u[n] into lane n of `from`; the result is u[n]. */
INLINE void hmac_steps(struct state *u, const union lane_words *from, const struct hmac_lanes *l,
                       int lanes)
{
    const uint64_t *k = sha512_k;
    struct state s[LANES], before[LANES];
    uint64x2_t w[LANES][8];
    __asm__(""
            : "+r"(k), "+r"(from), "+r"(l)); /* keeps loads through these pointers in place:
                                              * there are too few registers */
    get(before, from);
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n] = before[n];
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            const uint64x2_t pad = vld1q_u64(l->pad.w64 + 2 * i);
            if (i < 4)
                w[n][i] = vorrq_u64(vandq_u64(u[n].pair[i], vld1q_u64(l->keep.w64 + 2 * i)), pad);
            else
                w[n][i] = pad;
        }
    }
#pragma GCC unroll 40
    for (int i = 0; i < 40; i++)
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
            two_rounds(&s[n], w[n], k, i);
    __asm__("" : "+r"(from));
    get(before, from);
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++)
        u[n] = sum(s[n], before[n]);
}

INLINE void iterate(struct hmac_lanes *l, uint64_t iterations, int lanes)
{
    struct state u[LANES], t[LANES];
    get(u, &l->u);
    for (; iterations; iterations--) {
        hmac_steps(u, &l->inner, l, lanes);
        hmac_steps(u, &l->outer, l, lanes);
        get(t, &l->t);
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                t[n].pair[i] = veorq_u64(t[n].pair[i], u[n].pair[i]);
        put(&l->t, t);
    }
    put(&l->u, u);
}

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void sha512_iterate_ce(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
