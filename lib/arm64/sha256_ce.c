/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 compression with the Armv8 cryptographic extension (Arm ARM: SHA256H, SHA256H2,
 * SHA256SU0, SHA256SU1): four rounds a pair, four words of schedule a pair. */
#include "sha2_ce.h"

/* state = FIPS 180-4 section 6.2.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET_SHA256 void sha256_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint32_t *words = state;
    uint32x4_t abcd = vld1q_u32(words), efgh = vld1q_u32(words + 4);

    for (; num_blocks; num_blocks--, in += 64) {
        const uint32x4_t abcd_in = abcd, efgh_in = efgh;
        uint32x4_t w[4];
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            uint32x4_t *wi = &w[i & 3];
            const uint32x4_t w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
            if (i < 4)
                *wi = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in + 16 * i)));
            else
                *wi = sha256su1(sha256su0(*wi, w1), w2, w3);
            const uint32x4_t wk = vaddq_u32(*wi, vld1q_u32(sha256_k + 4 * i)), old = abcd;
            abcd = sha256h(abcd, efgh, wk);
            efgh = sha256h2(efgh, old, wk);
        }
        abcd = vaddq_u32(abcd, abcd_in);
        efgh = vaddq_u32(efgh, efgh_in);
    }
    vst1q_u32(words, abcd);
    vst1q_u32(words + 4, efgh);
}
