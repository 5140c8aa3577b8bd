/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-1 and the cryptographic extension.  In one chain
 * each SHA1C, SHA1P or SHA1M waits for the one before.  So two chains are computed, alternating
 * step by step: while one waits, the other runs. */
#include "../hmac_iterate.h"
#include "sha1_ce.h"

enum { LANES = 2 };

/* Compresses the block that holds the digest u[n] into from[n]; the result is u[n].  `pad` is the
 * words 4 to 7 and 12 to 15 of the block, with zeros for the digest. */
INLINE void hmac_steps(struct state *u, const struct state *from, const uint32x4_t pad[2],
                       int lanes)
{
    struct state s[LANES];
    uint32x4_t w[LANES][4];
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n] = from[n];
        w[n][0] = u[n].abcd;
        w[n][1] = vcopyq_laneq_u32(pad[0], 0, u[n].e, 0);
        w[n][2] = vdupq_n_u32(0);
        w[n][3] = pad[1];
    }
#pragma GCC unroll 20
    for (int i = 0; i < 20; i++)
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
            four_rounds(&s[n], w[n], i);
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++)
        u[n] = sum(s[n], from[n]);
}

/* get() reads and put() writes the states of two lanes, whose words alternate in memory. */
INLINE void get(struct state s[LANES], const union lane_words *words)
{
    const uint32x4x2_t abcd = vld2q_u32(words->w32);
#pragma GCC unroll 2
    for (int n = 0; n < LANES; n++)
        s[n] = (struct state){ abcd.val[n], vdupq_n_u32(words->w32[8 + n]) };
}

INLINE void put(union lane_words *words, const struct state s[LANES])
{
    const uint32x4x2_t abcd = { { s[0].abcd, s[1].abcd } };
    vst2q_u32(words->w32, abcd);
    words->w32[8] = vgetq_lane_u32(s[0].e, 0);
    words->w32[9] = vgetq_lane_u32(s[1].e, 0);
}

INLINE void iterate(struct hmac_lanes *l, uint64_t iterations, int lanes)
{
    struct state inner[LANES], outer[LANES], u[LANES], t[LANES];
    const uint32x4_t pad[2] = { vld1q_u32(l->pad.w32 + 4), vld1q_u32(l->pad.w32 + 12) };
    get(inner, &l->inner);
    get(outer, &l->outer);
    get(u, &l->u);
    get(t, &l->t);
    for (; iterations; iterations--) {
        hmac_steps(u, inner, pad, lanes);
        hmac_steps(u, outer, pad, lanes);
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++) {
            t[n].abcd = veorq_u32(t[n].abcd, u[n].abcd);
            t[n].e = veorq_u32(t[n].e, u[n].e);
        }
    }
    put(&l->u, u);
    put(&l->t, t);
}

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void sha1_iterate_ce(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
