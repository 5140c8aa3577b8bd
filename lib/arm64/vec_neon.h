/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes in vectors of 16 bytes, of words of 32 bits: NEON. */
#ifndef HR_VEC_H
#define HR_VEC_H

#include <arm_neon.h>

#define VEC_BYTES 16
/* A shift, and one that inserts (SRI). */
#define ROR(x, n) ((vec)vsriq_n_u32(vshlq_n_u32((uint32x4_t)(x), 32 - (n)), (uint32x4_t)(x), n))
#include "../lanes.h"

#define TARGET /* every 64-bit Arm has them */

#define CHOOSE(x, y, z) ((vec)vbslq_u32((uint32x4_t)(x), (uint32x4_t)(y), (uint32x4_t)(z)))
#define MAJORITY(x, y, z) CHOOSE((x) ^ (y), z, x) /* where two differ the third decides */
#define XOR_OR_NOT(x, y, z) ((x) ^ ((y) | ~(z)))

INLINE vec spread(word x)
{
    return x - (vec){ 0 };
}

#endif
