/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression with the Armv8 cryptographic extension (Arm Architecture Reference Manual for
 * A-profile, C7: SHA1C, SHA1P, SHA1M, SHA1H, SHA1SU0, SHA1SU1): one instruction does four rounds,
 * and two make four words of the message schedule.  The chain of 20 SHA1C, SHA1P and SHA1M
 * determines the time of a block.  Intrinsics are not used, because clang 14 declares them only
 * under -march. */
#ifndef HR_SHA1_CE_H
#define HR_SHA1_CE_H

#include "../sha1.h"
#include <arm_neon.h>

#if defined(__clang__) /* clang 14 does not accept the + */
#define TARGET __attribute__((target("sha2")))
#else
#define TARGET __attribute__((target("+crypto")))
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET

/* A chaining value. e is the lowest word of its vector; the other words may have any value. */
struct state {
    uint32x4_t abcd, e;
};

/* Defines a function that computes four rounds with Ch (SHA1C), Parity (SHA1P) or Maj (SHA1M); wk
 * is four words plus constants.  SHA1H makes from a the e that is used four rounds later. */
#define SHA1_ROUNDS(name)                                     \
    INLINE void name(struct state *s, uint32x4_t wk)          \
    {                                                         \
        uint32x4_t e;                                         \
        __asm__("sha1h %s1, %s0\n\t" #name " %q0, %s2, %3.4s" \
                : "+w"(s->abcd), "=&w"(e)                     \
                : "w"(s->e), "w"(wk));                        \
        s->e = e;                                             \
    }
SHA1_ROUNDS(sha1c)
SHA1_ROUNDS(sha1p)
SHA1_ROUNDS(sha1m)

INLINE uint32x4_t sha1su0(uint32x4_t x, uint32x4_t y, uint32x4_t z)
{
    __asm__("sha1su0 %0.4s, %1.4s, %2.4s" : "+w"(x) : "w"(y), "w"(z));
    return x;
}

INLINE uint32x4_t sha1su1(uint32x4_t x, uint32x4_t y)
{
    __asm__("sha1su1 %0.4s, %1.4s" : "+w"(x) : "w"(y));
    return x;
}

INLINE struct state load_state(const uint32_t words[5])
{
    return (struct state){ vld1q_u32(words), vsetq_lane_u32(words[4], vdupq_n_u32(0), 0) };
}

/* Computes the rounds 4i to 4i + 3, with their function and constant (FIPS 180-4 sections 4.1.1 and
 * 4.2.1). */
INLINE void four_rounds(struct state *s, uint32x4_t w[4], int i)
{
    uint32x4_t *wi = &w[i & 3];
    if (i >= 4)
        *wi = sha1su1(sha1su0(*wi, w[(i + 1) & 3], w[(i + 2) & 3]), w[(i + 3) & 3]);
    const uint32x4_t wk = vaddq_u32(*wi, vdupq_n_u32(sha1_k[i / 5]));
    if (i < 5)
        sha1c(s, wk);
    else if (i >= 10 && i < 15)
        sha1m(s, wk);
    else
        sha1p(s, wk);
}

INLINE struct state sum(struct state a, struct state b)
{
    return (struct state){ vaddq_u32(a.abcd, b.abcd), vaddq_u32(a.e, b.e) };
}

/* Returns the chaining value after a block of the 16 words w. */
INLINE struct state compress(struct state before, uint32x4_t w[4])
{
    struct state s = before;
#pragma GCC unroll 20
    for (int i = 0; i < 20; i++)
        four_rounds(&s, w, i);
    return sum(s, before);
}

INLINE struct state compress_blocks(struct state s, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64) {
        uint32x4_t w[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in + 16 * i)));
        s = compress(s, w);
    }
    return s;
}

#endif
