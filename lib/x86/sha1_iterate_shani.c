/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA-1's chain with the SHA extensions (Intel SDM volume 2, SHA1RNDS4, SHA1NEXTE, SHA1MSG1,
 * SHA1MSG2).  One chain waits for its SHA1RNDS4, each for the one before; of two chains, step by
 * step in turns, each runs in the other's shadow.
 *
 * Of four words the first is the highest: (d, c, b, a), and e above three zeros.  So they are words
 * of a block too. */
#include "../hmac_iterate.h"
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1")))
#define INLINE static inline __attribute__((always_inline)) TARGET
enum { LANES = 2 };

struct state {
    __m128i abcd, e;
};

/* Words 4i to 4i + 3. */
INLINE __m128i schedule(__m128i w[4], int i)
{
    __m128i *wi = &w[i & 3];
    if (i >= 4)
        *wi = _mm_sha1msg2_epu32(
            _mm_xor_si128(_mm_sha1msg1_epu32(*wi, w[(i + 1) & 3]), w[(i + 2) & 3]), w[(i + 3) & 3]);
    return *wi;
}

/* Rounds 4i to 4i + 3 of every chain.  s.e is what SHA1NEXTE makes e of: a of four rounds ago. */
#define FOUR_ROUNDS(i, f)                                                                  \
    _Pragma("GCC unroll 2") for (int n = 0; n < lanes; n++)                                \
    {                                                                                      \
        const __m128i wi = schedule(w[n], i);                                              \
        const __m128i e = i ? _mm_sha1nexte_epu32(s[n].e, wi) : _mm_add_epi32(s[n].e, wi); \
        s[n].e = s[n].abcd;                                                                \
        s[n].abcd = _mm_sha1rnds4_epu32(s[n].abcd, e, f);                                  \
    }
#define TWENTY_ROUNDS(f) \
    _Pragma("GCC unroll 5") for (int i = 5 * f; i < 5 * f + 5; i++) FOUR_ROUNDS(i, f)

/* u[n] = compression of from[n] and the block that holds the digest u[n]. */
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
    TWENTY_ROUNDS(0)
    TWENTY_ROUNDS(1)
    TWENTY_ROUNDS(2)
    TWENTY_ROUNDS(3)
#pragma GCC unroll 2
    for (int n = 0; n < lanes; n++) {
        u[n].abcd = _mm_add_epi32(s[n].abcd, from[n].abcd);
        u[n].e = _mm_sha1nexte_epu32(s[n].e, from[n].e);
    }
}

/* A lane's column. */
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
    /* After the digest's five words; the last is the length in bits (RFC 2104: a block of key). */
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

/* As many times as iterations: u = HMAC(u), t = t ^ u, in every live lane of l. */
TARGET void sha1_iterate_shani(struct hmac_lanes *l, uint64_t iterations)
{
    if (l->live == 1)
        iterate(l, iterations, 1);
    else
        iterate(l, iterations, LANES);
}
