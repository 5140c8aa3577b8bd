/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of four 32-bit words in NEON registers, for lanes.h. */
#ifndef HR_VEC_H
#define HR_VEC_H

#include <arm_neon.h>

#define VEC_BYTES 16
/* ROR rotates right by a shift to the left, and a shift to the right that inserts its result
 * (SRI). */
#define ROR(x, n) ((vec)vsriq_n_u32(vshlq_n_u32((uint32x4_t)(x), 32 - (n)), (uint32x4_t)(x), n))
#include "../lanes.h"

#define TARGET /* every 64-bit Arm CPU has NEON */

#define CHOOSE(x, y, z) ((vec)vbslq_u32((uint32x4_t)(x), (uint32x4_t)(y), (uint32x4_t)(z)))
#define MAJORITY(x, y, z) CHOOSE((x) ^ (y), z, x) /* where x and y differ, z decides */
#define XOR_OR_NOT(x, y, z) ((x) ^ ((y) | ~(z)))

INLINE vec spread(word x)
{
    return x - (vec){ 0 };
}

#endif
