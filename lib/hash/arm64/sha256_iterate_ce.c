/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-256 and the cryptographic extension.  In one chain
 * each pair of SHA256H and SHA256H2 waits for the pair before.  So two chains are computed,
 * alternating step by step: while one waits, the other runs. */
#include "../hmac_iterate.h"
#include "sha256_ce.h"

enum { LANES = 2 };

/* Compresses the block that holds the digest u[n] into from[n]; the result is u[n]. */
INLINE void hmac_steps(struct state *u, const struct state *from, const struct hmac_lanes *l,
                       int lanes)
{
    const uint32_t *k = sha256_k;
    struct state s[LANES];
    uint32x4_t w[LANES][4];
    __asm__("" : "+r"(k)); /* keeps loads of constants inside loops: there are too few registers */
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n] = from[n];
        w[n][0] = u[n].abcd; /* digests of 28 and 32 bytes fill these four words */
        w[n][1] =
            vorrq_u32(vandq_u32(u[n].efgh, vld1q_u32(l->keep.w32 + 4)), vld1q_u32(l->pad.w32 + 4));
        w[n][2] = vld1q_u32(l->pad.w32 + 8);
        w[n][3] = vld1q_u32(l->pad.w32 + 12);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
            four_rounds(&s[n], w[n], k, i);
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++)
        u[n] = sum(s[n], from[n]);
}

/* get() reads and put() writes the states of two lanes, whose words alternate in memory. */
INLINE void get(struct state s[LANES], const union lane_words *words)
{
    const uint32x4x2_t abcd = vld2q_u32(words->w32), efgh = vld2q_u32(words->w32 + 8);
#pragma GCC unroll 2
    for (int n = 0; n < LANES; n++)
        s[n] = (struct state){ abcd.val[n], efgh.val[n] };
}

INLINE void put(union lane_words *words, const struct state s[LANES])
{
    const uint32x4x2_t abcd = { { s[0].abcd, s[1].abcd } }, efgh = { { s[0].efgh, s[1].efgh } };
    vst2q_u32(words->w32, abcd);
    vst2q_u32(words->w32 + 8, efgh);
}

INLINE void iterate(struct hmac_lanes *l, uint64_t iterations, int lanes)
{
    struct state inner[LANES], outer[LANES], u[LANES], t[LANES];
    get(inner, &l->inner);
    get(outer, &l->outer);
    get(u, &l->u);
    get(t, &l->t);
    for (; iterations; iterations--) {
        __asm__("" : "+r"(l)); /* keeps loads inside the loop: there are too few registers */
        hmac_steps(u, inner, l, lanes);
        hmac_steps(u, outer, l, lanes);
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++) {
            t[n].abcd = veorq_u32(t[n].abcd, u[n].abcd);
            t[n].efgh = veorq_u32(t[n].efgh, u[n].efgh);
        }
    }
    put(&l->u, u);
    put(&l->t, t);
}

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void sha256_iterate_ce(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
