/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes in vectors of 16 bytes: NEON. */
#ifndef HR_VEC_H
#define HR_VEC_H

#define VEC_BYTES 16
#include "../lanes.h"
#include <arm_neon.h>

#define TARGET /* every 64-bit Arm has them */

/* A word whose type is that of NEON's intrinsics: uint32x4_t for words of 32 bits. */
#define CHOOSE(x, y, z) ((vec)vbslq_u32((uint32x4_t)(x), (uint32x4_t)(y), (uint32x4_t)(z)))
#define MAJORITY(x, y, z) CHOOSE((x) ^ (y), z, x) /* where two differ the third decides */
#define XOR_OR_NOT(x, y, z) ((x) ^ ((y) | ~(z)))

INLINE vec spread(word x)
{
    return x - (vec){ 0 };
}

#endif
