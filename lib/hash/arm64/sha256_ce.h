/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 compression with the Armv8 cryptographic extension (Arm ARM: SHA256H, SHA256H2,
 * SHA256SU0, SHA256SU1): a pair of instructions does four rounds, another pair makes four words of
 * the message schedule.  SHA256H and SHA256H2 do not wait for each other, so the chain of 16 pairs
 * determines the time of a block; the schedule is computed while the chain waits. */
#ifndef HR_SHA256_CE_H
#define HR_SHA256_CE_H

#include "sha2_ce.h"

#define TARGET TARGET_SHA256
#define INLINE static inline __attribute__((always_inline)) TARGET

struct state {
    uint32x4_t abcd, efgh;
};

INLINE struct state load_state(const uint32_t words[8])
{
    return (struct state){ vld1q_u32(words), vld1q_u32(words + 4) };
}

/* load_be() converts four words from big-endian bytes, store_be() converts them back. */
INLINE uint32x4_t load_be(const uint8_t *in)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in)));
}

INLINE void store_be(uint8_t *out, uint32x4_t x)
{
    vst1q_u8(out, vrev32q_u8(vreinterpretq_u8_u32(x)));
}

/* Computes the rounds 4i to 4i + 3; k are the constants. */
INLINE void four_rounds(struct state *s, uint32x4_t w[4], const uint32_t *k, int i)
{
    uint32x4_t *wi = &w[i & 3];
    if (i >= 4)
        *wi = sha256su1(sha256su0(*wi, w[(i + 1) & 3]), w[(i + 2) & 3], w[(i + 3) & 3]);
    sha256h(&s->abcd, &s->efgh, vaddq_u32(*wi, vld1q_u32(k + 4 * i)));
}

INLINE struct state sum(struct state a, struct state b)
{
    return (struct state){ vaddq_u32(a.abcd, b.abcd), vaddq_u32(a.efgh, b.efgh) };
}

/* Returns the chaining value after a block of the 16 words w. */
INLINE struct state compress(struct state before, uint32x4_t w[4])
{
    struct state s = before;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        four_rounds(&s, w, sha256_k, i);
    return sum(s, before);
}

INLINE struct state compress_blocks(struct state s, const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64) {
        uint32x4_t w[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            w[i] = load_be(in + 16 * i);
        s = compress(s, w);
    }
    return s;
}

#endif
