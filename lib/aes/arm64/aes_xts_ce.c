/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec_ce.h"

#define WIDE 8

struct tweaks {
    vec t;
};

INLINE TARGET struct tweaks first_tweaks(block t)
{
    return (struct tweaks){ t };
}

/* Returns t x: each half is doubled, and its top bit is carried to the other half.  The sign mask
 * is made by a comparison, because a Neoverse N1 has one pipe for shifts and two for comparisons.
 */
INLINE TARGET block next_tweak(block t)
{
    const vec signs = vreinterpretq_u8_u64(vcltzq_s64(vreinterpretq_s64_u8(t)));
    return xor(add64(t, t), vandq_u8(vextq_u8(signs, signs, 8), count_up(1, 0x87)));
}

INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec now = tweaks->t;
    tweaks->t = next_tweak(now);
    return now;
}

/* Indices for TBL and TBX: read from offset 16 - n on, they move bytes n places up, from 16 + n on,
 * n places down.  For an index that is too high, TBL returns zero, and TBX leaves the byte
 * unchanged. */
static const uint8_t moves[48] = {
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
};

INLINE TARGET block with_end(block whole, block last, size_t part)
{
    return vqtbx1q_u8(whole, last, load16(moves + 32 - part));
}

INLINE TARGET block begin_behind(block whole, size_t part)
{
    return vqtbl1q_u8(whole, load16(moves + part));
}

#include "../aes_xts.h"
