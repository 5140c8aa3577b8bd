/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-256 and the SHA extensions.  In one chain each
 * SHA256RNDS2 waits for the one before.  So two chains are computed, alternating step by step:
 * while one waits, the other runs. */
#include "../hmac_iterate.h"
#include "sha256_shani.h"

enum { LANES = 2 };

INLINE __m128i load(const uint32_t *p)
{
    return _mm_load_si128((const __m128i *)p);
}

/* Compresses the block that holds the digest u[n] into from[n]; the result is u[n]. */
INLINE void hmac_steps(__m128i u[][2], const struct state *from, const struct hmac_lanes *l,
                       int lanes)
{
    struct state s[LANES];
    __m128i w[LANES][4];
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n] = from[n];
        w[n][0] = u[n][0]; /* digests of 28 and 32 bytes fill these four words */
        w[n][1] = _mm_or_si128(_mm_and_si128(u[n][1], load(l->keep.w32 + 4)), load(l->pad.w32 + 4));
        w[n][2] = load(l->pad.w32 + 8);
        w[n][3] = load(l->pad.w32 + 12);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
            four_rounds(&s[n], w[n], (const __m128i *)sha256_k, i);
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n].abef = _mm_add_epi32(s[n].abef, from[n].abef);
        s[n].cdgh = _mm_add_epi32(s[n].cdgh, from[n].cdgh);
        words_of(u[n], s[n]);
    }
}

INLINE __m128i column(const union lane_words *words, int lane, int i)
{
    const uint32_t *p = &words->w32[lane + i * LANES];
    return _mm_set_epi32((int)p[3 * LANES], (int)p[2 * LANES], (int)p[LANES], (int)p[0]);
}

INLINE void put_column(union lane_words *words, int lane, int i, __m128i x)
{
    uint32_t *p = &words->w32[lane + i * LANES];
    p[0] = (uint32_t)_mm_extract_epi32(x, 0);
    p[LANES] = (uint32_t)_mm_extract_epi32(x, 1);
    p[2 * LANES] = (uint32_t)_mm_extract_epi32(x, 2);
    p[3 * LANES] = (uint32_t)_mm_extract_epi32(x, 3);
}

INLINE void iterate(struct hmac_lanes *l, uint64_t iterations, int lanes)
{
    struct state inner[LANES], outer[LANES];
    __m128i u[LANES][2], t[LANES][2];
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        inner[n] = state_of(column(&l->inner, n, 0), column(&l->inner, n, 4));
        outer[n] = state_of(column(&l->outer, n, 0), column(&l->outer, n, 4));
        for (int i = 0; i < 2; i++) {
            u[n][i] = column(&l->u, n, 4 * i);
            t[n][i] = column(&l->t, n, 4 * i);
        }
    }
    for (; iterations; iterations--) {
        __asm__("" : "+r"(l)); /* keeps loads inside the loop: there are too few registers */
        hmac_steps(u, inner, l, lanes);
        hmac_steps(u, outer, l, lanes);
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
            for (int i = 0; i < 2; i++)
                t[n][i] = _mm_xor_si128(t[n][i], u[n][i]);
    }
    for (int n = 0; n < lanes; n++)
        for (int i = 0; i < 2; i++) {
            put_column(&l->u, n, 4 * i, u[n][i]);
            put_column(&l->t, n, 4 * i, t[n][i]);
        }
}

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void sha256_iterate_shani(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
