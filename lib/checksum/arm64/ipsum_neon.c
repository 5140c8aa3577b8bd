/* SPDX-License-Identifier: Apache-2.0 */
/* The Internet checksum with NEON, which every 64-bit Arm CPU has: UADALP adds pairs of 32-bit
 * words to 64-bit elements, in whose upper halves carries collect (RFC 1071 section 2, Deferred
 * Carries). */
#include "../checksum.h"
#include <arm_neon.h>

static inline uint64x2_t add(uint64x2_t acc, const uint8_t *in)
{
    return vpadalq_u32(acc, vreinterpretq_u32_u8(vld1q_u8(in)));
}

static uint32_t update(uint32_t sum, const uint8_t *in, size_t num_blocks)
{
    uint64x2_t a = vdupq_n_u64(0), b = a, c = a, d = a;
    if (num_blocks < 32)
        return ipsum_short(sum, in, num_blocks);
    for (; num_blocks >= 32; num_blocks -= 32, in += 64) {
        a = add(a, in);
        b = add(b, in + 16);
        c = add(c, in + 32);
        d = add(d, in + 48);
    }
    const uint64x2_t all = vaddq_u64(vaddq_u64(a, b), vaddq_u64(c, d));
    sum = ipsum_add(sum, vgetq_lane_u64(all, 0), vgetq_lane_u64(all, 1));
    return ipsum_short(sum, in, num_blocks);
}

/* Defines ipsum_value_neon() and ipsum_blocks_neon(), which add the 16-bit words at `in` to a sum
 * modulo 2^16 - 1; `in` may have any alignment. */
IPSUM_KERNEL(, neon, update)
