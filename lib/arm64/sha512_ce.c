/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 compression with Armv8.2 FEAT_SHA512 (Arm ARM: SHA512H, SHA512H2, SHA512SU0, SHA512SU1):
 * two rounds and two words of schedule a pair.  The state is in pairs (a, b), (c, d), (e, f),
 * (g, h), the first named in the lower half. */
#include "sha2_ce.h"

/* state = FIPS 180-4 section 6.4.2 over num_blocks blocks; nothing need be aligned, and `in` may
 * not touch `state`. */
TARGET_SHA512 void sha512_blocks_ce(void *state, const uint8_t *in, size_t num_blocks)
{
    uint64_t *words = state;
    uint64x2_t ab = vld1q_u64(words), cd = vld1q_u64(words + 2);
    uint64x2_t ef = vld1q_u64(words + 4), gh = vld1q_u64(words + 6);

    for (; num_blocks; num_blocks--, in += 128) {
        const uint64x2_t ab_in = ab, cd_in = cd, ef_in = ef, gh_in = gh;
        uint64x2_t w[8];
#pragma GCC unroll 40
        for (int i = 0; i < 40; i++) {
            uint64x2_t *wi = &w[i & 7];
            const uint64x2_t w1 = w[(i + 1) & 7], w4 = w[(i + 4) & 7], w5 = w[(i + 5) & 7];
            if (i < 8)
                *wi = vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(in + 16 * i)));
            else
                *wi = sha512su1(sha512su0(*wi, w1), w[(i + 7) & 7], vextq_u64(w4, w5, 1));
            /* The upper half is for the first of the two rounds, which needs h; the other's is g.
             */
            const uint64x2_t wk = vaddq_u64(*wi, vld1q_u64(sha512_k + 2 * i));
            const uint64x2_t t1 = sha512h(vaddq_u64(gh, vextq_u64(wk, wk, 1)), vextq_u64(ef, gh, 1),
                                          vextq_u64(cd, ef, 1));
            const uint64x2_t new_ab = sha512h2(t1, cd, ab);
            gh = ef;
            ef = vaddq_u64(cd, t1);
            cd = ab;
            ab = new_ab;
        }
        ab = vaddq_u64(ab, ab_in);
        cd = vaddq_u64(cd, cd_in);
        ef = vaddq_u64(ef, ef_in);
        gh = vaddq_u64(gh, gh_in);
    }
    vst1q_u64(words, ab);
    vst1q_u64(words + 2, cd);
    vst1q_u64(words + 4, ef);
    vst1q_u64(words + 6, gh);
}
