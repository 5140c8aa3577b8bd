/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression with the Armv8 cryptographic extension (Arm Architecture Reference Manual for
 * A-profile, C7: SHA1C, SHA1P, SHA1M, SHA1H, SHA1SU0, SHA1SU1): four rounds an instruction, four
 * words of schedule a pair.  The chain of 20 SHA1C, SHA1P and SHA1M bounds a block.  Not
 * intrinsics: clang 14 declares them only under -march. */
#ifndef HR_SHA1_CE_H
#define HR_SHA1_CE_H

#include "../sha1.h"
#include <arm_neon.h>

#if defined(__clang__) /* 14, which has no + */
#define TARGET __attribute__((target("sha2")))
#else
#define TARGET __attribute__((target("+crypto")))
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET

/* Four rounds with Ch, Parity or Maj: a to d, e, four words plus constants. */
#define SHA1_ROUNDS(name)                                                 \
    INLINE uint32x4_t name(uint32x4_t abcd, uint32x4_t e, uint32x4_t wk)  \
    {                                                                     \
        __asm__(#name " %q0, %s1, %2.4s" : "+w"(abcd) : "w"(e), "w"(wk)); \
        return abcd;                                                      \
    }
SHA1_ROUNDS(sha1c)
SHA1_ROUNDS(sha1p)
SHA1_ROUNDS(sha1m)

/* The e of four rounds later, from a; both lowest in vectors, where they stay. */
INLINE uint32x4_t sha1h(uint32x4_t a)
{
    uint32x4_t e;
    __asm__("sha1h %s0, %s1" : "=w"(e) : "w"(a));
    return e;
}

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

/* e is lowest of its vector, above which anything may be. */
struct state {
    uint32x4_t abcd, e;
};

INLINE struct state load_state(const uint32_t words[5])
{
    return (struct state){ vld1q_u32(words), vsetq_lane_u32(words[4], vdupq_n_u32(0), 0) };
}

/* Rounds 4i to 4i + 3, of which the function and constant are those of FIPS 180-4 sections 4.1.1
 * and 4.2.1. */
INLINE void four_rounds(struct state *s, uint32x4_t w[4], int i)
{
    uint32x4_t *wi = &w[i & 3];
    if (i >= 4)
        *wi = sha1su1(sha1su0(*wi, w[(i + 1) & 3], w[(i + 2) & 3]), w[(i + 3) & 3]);
    const uint32x4_t wk = vaddq_u32(*wi, vdupq_n_u32(sha1_k[i / 5])), next_e = sha1h(s->abcd);
    s->abcd = i < 5               ? sha1c(s->abcd, s->e, wk)
              : i >= 10 && i < 15 ? sha1m(s->abcd, s->e, wk)
                                  : sha1p(s->abcd, s->e, wk);
    s->e = next_e;
}

INLINE struct state sum(struct state a, struct state b)
{
    return (struct state){ vaddq_u32(a.abcd, b.abcd), vaddq_u32(a.e, b.e) };
}

/* The chaining value after a block, of which w are the 16 words. */
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
