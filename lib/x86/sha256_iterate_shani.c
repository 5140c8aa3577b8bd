/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA-256's chain with the SHA extensions (Intel SDM volume 2, SHA256RNDS2, SHA256MSG1,
 * SHA256MSG2).  One chain waits for its SHA256RNDS2, each for the one before; of two chains, step
 * by step in turns, each runs in the other's shadow. */
#include "../hmac_iterate.h"
#include "../sha2.h"
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1")))
#define INLINE static inline __attribute__((always_inline)) TARGET
enum { LANES = 2 };

/* A chaining value as the instructions want it: (f, e, b, a) and (h, g, d, c), lowest first. */
struct state {
    __m128i abef, cdgh;
};

INLINE struct state state_of(__m128i dcba, __m128i hgfe)
{
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    return (struct state){ _mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0) };
}

/* The words in their order, lowest first. */
INLINE void words_of(__m128i out[2], struct state s)
{
    const __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    out[0] = _mm_blend_epi16(feba, dchg, 0xf0);
    out[1] = _mm_alignr_epi8(dchg, feba, 8);
}

INLINE __m128i load(const uint32_t *p)
{
    return _mm_load_si128((const __m128i *)p);
}

/* Rounds 4i to 4i + 3. */
INLINE void four_rounds(struct state *s, __m128i w[4], int i)
{
    __m128i *wi = &w[i & 3];
    const __m128i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
    if (i >= 4)
        *wi = _mm_sha256msg2_epu32(
            _mm_add_epi32(_mm_sha256msg1_epu32(*wi, w1), _mm_alignr_epi8(w3, w2, 4)), w3);
    const __m128i wk = _mm_add_epi32(*wi, load(sha256_k + 4 * i));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, wk);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* u[n] = compression of from[n] and the block that holds the digest u[n]. */
INLINE void hmac_steps(__m128i u[][2], const struct state *from, const struct hmac_lanes *l,
                       int lanes)
{
    struct state s[LANES];
    __m128i w[LANES][4];
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        s[n] = from[n];
        w[n][0] = u[n][0]; /* both rows have 7 words at least */
        w[n][1] = _mm_or_si128(_mm_and_si128(u[n][1], load(l->keep.w32 + 4)), load(l->pad.w32 + 4));
        w[n][2] = load(l->pad.w32 + 8);
        w[n][3] = load(l->pad.w32 + 12);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
#pragma GCC unroll 2
        for (int n = 0; n < lanes; n++)
            four_rounds(&s[n], w[n], i);
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
        __asm__("" : "+r"(l)); /* keeps what is in memory there: fewer registers than that */
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

TARGET void sha256_iterate_shani(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
