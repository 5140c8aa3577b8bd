/* SPDX-License-Identifier: Apache-2.0 */
/* DES in constant time with NEON: a box is 64 bytes in four registers, in which TBL looks up, so
 * that no address depends on data.  TBL takes the indices from a register that has one byte for
 * each box, with the box's input.  The six bits of an input are kept in an order such that each bit
 * of a box's output is already at the position where the boxes that read it want it.  So P and E
 * are only a selection of bits, and a round is, for each box, its input in all bytes, a table
 * lookup, a mask and an XOR:
 *
 *   dup, tbl, and, eor   eight times, independent of each other except for the XORs
 *   ld1                  loads the box, because the registers do not hold all boxes
 *   7 instructions       put the next round's key into that order, outside the chain */
#include "des_boxes_tbl.h"

#include <arm_neon.h>
#include <stddef.h>

#define DES_ISA tbl
#define DES_TARGET
enum { DES_WIDE = 2 };

typedef uint8x8_t des_half;

/* Moves bits to their places, or back. */
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

/* Returns what box `box` adds to the other half. */
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
