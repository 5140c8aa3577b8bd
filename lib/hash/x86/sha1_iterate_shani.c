/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-1 and the SHA extensions.  In one chain each
 * SHA1RNDS4 waits for the one before.  So two chains are computed, alternating step by step: while
 * one waits, the other runs.
 *
 * The first of four words is in the highest place: (d, c, b, a), and e above three zeros.  In this
 * form chaining values are words of a block, too. */
#include "../hmac_iterate.h"
#include "sha1_shani.h"

enum { LANES = 2 };

/* Compresses the block that holds the digest u[n] into from[n]; the result is u[n]. */
INLINE void hmac_steps(struct state *u, const struct state *from, __m128i pad1, __m128i pad3,
                       int lanes)
{
    struct state s[LANES];
    __m128i w[LANES][4];
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n] = from[n];
        w[n][0] = u[n].abcd;
        w[n][1] = _mm_or_si128(u[n].e, pad1);
        w[n][2] = _mm_setzero_si128();
        w[n][3] = pad3;
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

/* get() reads and put() writes the state of one lane. */
INLINE struct state get(const union lane_words *words, int lane)
{
    const int *p = (const int *)words->w32 + lane;
    return (struct state){ _mm_set_epi32(p[0], p[LANES], p[2 * LANES], p[3 * LANES]),
                           _mm_set_epi32(p[4 * LANES], 0, 0, 0) };
}

INLINE void put(union lane_words *words, int lane, struct state s)
{
    int *p = (int *)words->w32 + lane;
    p[0] = _mm_extract_epi32(s.abcd, 3);
    p[LANES] = _mm_extract_epi32(s.abcd, 2);
    p[2 * LANES] = _mm_extract_epi32(s.abcd, 1);
    p[3 * LANES] = _mm_extract_epi32(s.abcd, 0);
    p[4 * LANES] = _mm_extract_epi32(s.e, 3);
}

INLINE void iterate(struct hmac_lanes *l, uint64_t iterations, int lanes)
{
    struct state inner[LANES], outer[LANES];
    struct state u[LANES], t[LANES];
    /* Words 4 to 7 and 12 to 15 of a block, with zero in word 4, where the digest ends.  The last
     * word is the message's length in bits, which includes a block of key (RFC 2104). */
    const int *pad = (const int *)l->pad.w32;
    const __m128i pad1 = _mm_set_epi32(0, pad[5], 0, 0), pad3 = _mm_set_epi32(0, 0, 0, pad[15]);
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        inner[n] = get(&l->inner, n);
        outer[n] = get(&l->outer, n);
        u[n] = get(&l->u, n);
        t[n] = get(&l->t, n);
    }
    for (; iterations; iterations--) {
        hmac_steps(u, inner, pad1, pad3, lanes);
        hmac_steps(u, outer, pad1, pad3, lanes);
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++) {
            t[n].abcd = _mm_xor_si128(t[n].abcd, u[n].abcd);
            t[n].e = _mm_xor_si128(t[n].e, u[n].e);
        }
    }
    for (int n = 0; n < lanes; n++) {
        put(&l->u, n, u[n]);
        put(&l->t, n, t[n]);
    }
}

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void sha1_iterate_shani(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
