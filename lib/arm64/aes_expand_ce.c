/* SPDX-License-Identifier: Apache-2.0 */
/* AESE with a key of zero on a state of four equal columns is SubWord on each, as ShiftRows moves
 * bytes between equal columns. */
#include "aes_ce.h"

INLINE TARGET uint32_t sub_word(uint32_t word)
{
    const block x = vreinterpretq_u8_u32(vdupq_n_u32(word));
    return vgetq_lane_u32(vreinterpretq_u32_u8(enc_last(x, vdupq_n_u8(0))), 0);
}

#include "../aes_expand.h"
