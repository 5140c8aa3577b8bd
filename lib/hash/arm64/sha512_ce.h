/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 compression with Armv8.2 FEAT_SHA512 (Arm ARM: SHA512H, SHA512H2, SHA512SU0, SHA512SU1):
 * a pair of instructions does two rounds, another pair makes two words of the message schedule. */
#ifndef HR_SHA512_CE_H
#define HR_SHA512_CE_H

#include "sha2_ce.h"

#define TARGET TARGET_SHA512
#define INLINE static inline __attribute__((always_inline)) TARGET

/* A chaining value in pairs, the first named in the lower half: (a, b), (c, d), (e, f), (g, h). */
struct state {
    uint64x2_t pair[4];
};

INLINE struct state load_state(const uint64_t words[8])
{
    return (struct state){ { vld1q_u64(words), vld1q_u64(words + 2), vld1q_u64(words + 4),
                             vld1q_u64(words + 6) } };
}

/* load_be() converts two words from big-endian bytes, store_be() converts them back. */
INLINE uint64x2_t load_be(const uint8_t *in)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(in)));
}

INLINE void store_be(uint8_t *out, uint64x2_t x)
{
    vst1q_u8(out, vrev64q_u8(vreinterpretq_u8_u64(x)));
}

/* Computes the rounds 2i and 2i + 1; k are the constants. */
INLINE void two_rounds(struct state *s, uint64x2_t w[8], const uint64_t *k, int i)
{
    const uint64x2_t ab = s->pair[0], cd = s->pair[1], ef = s->pair[2], gh = s->pair[3];
    uint64x2_t *wi = &w[i & 7];
    if (i >= 8)
        *wi = sha512su1(sha512su0(*wi, w[(i + 1) & 7]), w[(i + 7) & 7],
                        vextq_u64(w[(i + 4) & 7], w[(i + 5) & 7], 1));
    /* SHA512H takes in the upper half the word for the first of the two rounds, which is added to
     * h; the lower half is for the second round and added to g. */
    const uint64x2_t wk = vaddq_u64(*wi, vld1q_u64(k + 2 * i));
    const uint64x2_t t1 =
        sha512h(vaddq_u64(gh, vextq_u64(wk, wk, 1)), vextq_u64(ef, gh, 1), vextq_u64(cd, ef, 1));
    *s = (struct state){ { sha512h2(t1, cd, ab), ab, vaddq_u64(cd, t1), ef } };
}

INLINE struct state sum(struct state a, struct state b)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        a.pair[i] = vaddq_u64(a.pair[i], b.pair[i]);
    return a;
}

/* Returns the chaining value after a block of the 16 words w. */
INLINE struct state compress(struct state before, uint64x2_t w[8])
{
    const uint64_t *k = sha512_k;
    struct state s = before;
    __asm__("" : "+r"(k)); /* keeps loads of constants inside loops: there are too few registers */
#pragma GCC unroll 40
    for (int i = 0; i < 40; i++)
        two_rounds(&s, w, k, i);
    return sum(s, before);
}

INLINE struct state compress_blocks(struct state s, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 128) {
        uint64x2_t w[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            w[i] = load_be(in + 16 * i);
        s = compress(s, w);
    }
    return s;
}

#endif
