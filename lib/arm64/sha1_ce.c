/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression with the Armv8 cryptographic extension (Arm ARM: SHA1C, SHA1P, SHA1M, SHA1H,
 * SHA1SU0, SHA1SU1): four rounds an instruction, four words of schedule a pair. */
#include "sha1_ce.h"

/* Twenty rounds of one function and constant, FIPS 180-4 sections 4.1.1 and 4.2.1. */
#define ROUNDS20(number, rounds, constant)                                              \
    _Pragma("GCC unroll 5") for (int i = 5 * (number); i < 5 * (number) + 5; i++)       \
    {                                                                                   \
        uint32x4_t *wi = &w[i & 3];                                                     \
        const uint32x4_t w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3]; \
        if (i < 4)                                                                      \
            *wi = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in + 16 * i)));              \
        else                                                                            \
            *wi = sha1su1(sha1su0(*wi, w1, w2), w3);                                    \
        const uint32x4_t next_e = sha1h(abcd);                                          \
        abcd = rounds(abcd, e, vaddq_u32(*wi, vdupq_n_u32(constant)));                  \
        e = next_e;                                                                     \
    }

/* state = FIPS 180-4 section 6.1.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET_SHA1 void sha1_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    uint32x4_t abcd = vld1q_u32(words);
    uint32x4_t e = vsetq_lane_u32(words[4], vdupq_n_u32(0), 0);

    for (; num_blocks; num_blocks--, in += 64) {
        const uint32x4_t abcd_in = abcd, e_in = e;
        uint32x4_t w[4];
        ROUNDS20(0, sha1c, 0x5a827999)
        ROUNDS20(1, sha1p, 0x6ed9eba1)
        ROUNDS20(2, sha1m, 0x8f1bbcdc)
        ROUNDS20(3, sha1p, 0xca62c1d6)
        abcd = vaddq_u32(abcd, abcd_in);
        e = vaddq_u32(e, e_in);
    }
    vst1q_u32(words, abcd);
    words[4] = vgetq_lane_u32(e, 0);
}
