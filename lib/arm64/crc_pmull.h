/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC on two units at once, as x86/crc_join.h does it: of a block, the first half is folded by
 * PMULL, in the other four chains of CRC32X run from 0; then all are moved to the block's end, a
 * sum of products that is divided once.  The constants and the notation are those of crc_k.h.
 *
 * By Arm's software optimization guides a Neoverse N1 begins one PMULL and one CRC32X a cycle: each
 * alone takes 8 bytes, and both 16.  A message too short for a block is folded, and a shorter one
 * divided: the chain of CRC32X takes 2 cycles each, and to end a folding about 20. */
#if defined(__clang__) /* 14, which has no + */
#define TARGET __attribute__((target("crc,aes")))
#else
#define TARGET __attribute__((target("+crc+crypto")))
#endif
#include "crc_chain.h"

#include <arm_neon.h>

enum {
    NUM = 4, /* vectors in flight, and chains */
    STEPS = CRC_JOIN_STEPS(0),
    CHAIN = 16 * STEPS,
    FOLDED = 16 * NUM * STEPS,
    BLOCK = FOLDED + NUM * CHAIN,
    FOLD_LEAST = 192,
};

typedef uint64x2_t vec;

INLINE vec load(const uint8_t *p)
{
    return vreinterpretq_u64_u8(vld1q_u8(p));
}

/* The product of both lower halves; of both upper ones. */
INLINE vec multiply_low(vec x, vec y)
{
    vec product;
    __asm__("pmull %0.1q, %1.1d, %2.1d" : "=w"(product) : "w"(x), "w"(y));
    return product;
}

INLINE vec multiply_high(vec x, vec y)
{
    vec product;
    __asm__("pmull2 %0.1q, %1.2d, %2.2d" : "=w"(product) : "w"(x), "w"(y));
    return product;
}

INLINE vec fold(vec x, vec by, vec next)
{
    return veorq_u64(veorq_u64(multiply_low(x, by), next), multiply_high(x, by));
}

/* The register before a message stands in its first bytes. */
INLINE void begin_many(vec x[NUM], const uint8_t *in, uint32_t crc)
{
#pragma GCC unroll 4
    for (int i = 0; i < NUM; i++)
        x[i] = load(in + 16 * i);
    x[0] = veorq_u64(x[0], vcombine_u64(vcreate_u64(crc), vcreate_u64(0)));
}

/* Moves each on to one of the NUM vectors at `in`. */
INLINE void step_many(vec x[NUM], const uint8_t *in, const struct crc_k *k)
{
    const vec by = vld1q_u64(k->fold[2]);
#pragma GCC unroll 4
    for (int i = 0; i < NUM; i++)
        x[i] = fold(x[i], by, load(in + 16 * i));
}

/* All moved on to the last. */
INLINE vec end_many(const vec x[NUM], const struct crc_k *k)
{
    const vec by2 = vld1q_u64(k->fold[1]), by1 = vld1q_u64(k->fold[0]);
    return fold(fold(x[0], by2, x[2]), by1, fold(x[1], by2, x[3]));
}

/* The register after 16 bytes, from 0. */
INLINE uint32_t divide16(vec x)
{
    return step8(step8(0, vgetq_lane_u64(x, 0)), vgetq_lane_u64(x, 1));
}

/* One step of the four chains. */
INLINE void step_chains(uint32_t c[NUM], const uint8_t *in)
{
#pragma GCC unroll 2
    for (int word = 0; word < 16; word += 8)
#pragma GCC unroll 4
        for (int i = 0; i < NUM; i++)
            c[i] = step8(c[i], load_le64(in + CHAIN * i + word));
}

INLINE uint32_t join_block(uint32_t crc, const uint8_t *in, const struct crc_k *k)
{
    const struct crc_join *by = &k->join[0];
    const uint8_t *chains = in + FOLDED;
    uint32_t c[NUM] = { 0 };
    vec v[NUM];
    begin_many(v, in, crc);
    for (const uint8_t *at = in + 16 * NUM; at < in + FOLDED; at += 16 * NUM, chains += 16) {
        step_many(v, at, k);
        step_chains(c, chains);
    }
    step_chains(c, chains);
    const vec x = end_many(v, k), move = vld1q_u64(by->fold);
    vec sum = veorq_u64(multiply_low(x, move), multiply_high(x, move));
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        sum = veorq_u64(sum, multiply_low(vdupq_n_u64(c[i]), vdupq_n_u64(by->chain[i])));
    return divide16(sum) ^ c[3];
}

INLINE uint32_t crc_pmull(uint32_t crc, const uint8_t *in, size_t len, const struct crc_k *k)
{
    for (; UNLIKELY(len >= BLOCK); in += BLOCK, len -= BLOCK)
        crc = join_block(crc, in, k);
    if (len >= FOLD_LEAST) {
        vec v[NUM];
        begin_many(v, in, crc);
        for (in += 16 * NUM, len -= 16 * NUM; len >= 16 * NUM; in += 16 * NUM, len -= 16 * NUM)
            step_many(v, in, k);
        crc = divide16(end_many(v, k));
    }
    return crc_chain(crc, in, len);
}
