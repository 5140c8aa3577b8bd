/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC on two execution units at once, by the method of x86/crc_join.h.  The first half of a block
 * is folded by PMULL; on the other half, four chains of CRC32X run, which start from 0.  Then all
 * results are moved to the block's end, a sum of products that is divided once.  The constants and
 * the notation are those of crc_k.h.
 *
 * According to Arm's software optimization guides a Neoverse N1 starts one PMULL and one CRC32X a
 * cycle: each alone processes 8 bytes, and both 16.  A message that is too short for a block is
 * only folded, and a still shorter one only divided: an instruction in a chain of CRC32X takes 2
 * cycles, and the end of folding takes about 20. */
#if defined(__clang__) /* clang 14 does not accept the + */
#define TARGET __attribute__((target("crc,aes")))
#else
#define TARGET __attribute__((target("+crc+crypto")))
#endif
#include "crc_chain.h"

#include <arm_neon.h>

enum {
    NUM = 4, /* vectors that are folded at once, and number of chains */
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

/* multiply_low() returns the carry-less product of the lower halves of x and y, multiply_high()
 * that of the upper halves. */
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

/* Loads the first NUM vectors of a message.  The register before the message is added to its first
 * bytes. */
INLINE void begin_many(vec x[NUM], const uint8_t *in, uint32_t crc)
{
#pragma GCC unroll 4
    for (int i = 0; i < NUM; i++)
        x[i] = load(in + 16 * i);
    x[0] = veorq_u64(x[0], vcombine_u64(vcreate_u64(crc), vcreate_u64(0)));
}

/* Folds each of the NUM vectors into one of the next NUM vectors at `in`. */
INLINE void step_many(vec x[NUM], const uint8_t *in, const struct crc_k *k)
{
    const vec by = vld1q_u64(k->fold[2]);
#pragma GCC unroll 4
    for (int i = 0; i < NUM; i++)
        x[i] = fold(x[i], by, load(in + 16 * i));
}

/* Folds all vectors into the last one, and returns it. */
INLINE vec end_many(const vec x[NUM], const struct crc_k *k)
{
    const vec by2 = vld1q_u64(k->fold[1]), by1 = vld1q_u64(k->fold[0]);
    return fold(fold(x[0], by2, x[2]), by1, fold(x[1], by2, x[3]));
}

/* Returns the CRC register, 0 before, after the 16 bytes x. */
INLINE uint32_t divide16(vec x)
{
    return step8(step8(0, vgetq_lane_u64(x, 0)), vgetq_lane_u64(x, 1));
}

/* Advances the four chains by 16 bytes each. */
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
