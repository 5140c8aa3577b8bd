/* SPDX-License-Identifier: Apache-2.0 */
/* DES in constant time with NEON: a box is 64 bytes, of which TBL takes a register's bytes as the
 * inputs and looks up in registers, not by address. A byte for each box is its input; its six bits
 * are kept in an order such that a box's answer has every bit where the boxes that it goes to want
 * it. So P and E are nothing but which bit each of them takes, and a round is, for each box, its
 * input in all bytes, the look-up, a mask and a sum:
 *
 *   dup, tbl, and, eor   eight times, side by side but for the sums
 *   ld1                  the box, which does not fit into the registers with the others
 *   7 instructions       which put the next round's key in that order, beside the chain */
#include "des_boxes_tbl.h"

#include <arm_neon.h>
#include <stddef.h>

#define DES_ISA tbl
#define DES_TARGET
enum { DES_WIDE = 2 };

typedef uint8x8_t des_half;

/* Bits to their places, or back. */
static inline des_half des_moved(uint8x8_t stay, uint8x8_t up, int8x8_t by_up, uint8x8_t down,
                                 int8x8_t by_down)
{
    return stay | vshl_u8(up, by_up) | vshl_u8(down, by_down);
}

static inline des_half des_half_of(uint64_t word)
{
    const uint8x8_t x = vcreate_u8(word);
    return des_moved(x & vld1_u8(des_tbl_stay), x & vld1_u8(des_tbl_up), vld1_s8(des_tbl_by[0]),
                     x & vld1_u8(des_tbl_down), vld1_s8(des_tbl_by[1]));
}

static inline uint64_t des_word_of(des_half x)
{
    const int8x8_t up = vld1_s8(des_tbl_by[0]), down = vld1_s8(des_tbl_by[1]);
    const uint8x8_t was_up = vshl_u8(vld1_u8(des_tbl_up), up);
    const uint8x8_t was_down = vshl_u8(vld1_u8(des_tbl_down), down);
    return vget_lane_u64(vreinterpret_u64_u8(des_moved(x & vld1_u8(des_tbl_stay), x & was_up,
                                                       vneg_s8(up), x & was_down, vneg_s8(down))),
                         0);
}

/* What box `box` adds to the other half. */
#define DES_ADDS(box)                                             \
    (vqtbl4_u8(vld1q_u8_x4(des_tbl[box]), vdup_lane_u8(x, box)) & \
     vld1_u8(des_tbl_select + 8 * (box)))

static inline __attribute__((always_inline)) des_half des_f(des_half acc, des_half x)
{
    const des_half a = (acc ^ DES_ADDS(0)) ^ (DES_ADDS(1) ^ DES_ADDS(2));
    const des_half b = (DES_ADDS(3) ^ DES_ADDS(4)) ^ (DES_ADDS(5) ^ DES_ADDS(6));
    return a ^ (b ^ DES_ADDS(7));
}

#include "../des_modes.h"
