/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes in vectors of 64 bytes: AVX-512. */
#ifndef HR_VEC_H
#define HR_VEC_H

#define VEC_BYTES 64
#include "../lanes.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f")))

/* Any function of three bits (Intel SDM volume 2, VPTERNLOG): bit 4x + 2y + z of a table. */
#define TERNARY(x, y, z, table) \
    ((vec)_mm512_ternarylogic_epi64((__m512i)(x), (__m512i)(y), (__m512i)(z), table))
#define CHOOSE(x, y, z) TERNARY(x, y, z, 0xca)     /* x ? y : z */
#define MAJORITY(x, y, z) TERNARY(x, y, z, 0xe8)   /* of each bit */
#define XOR_OR_NOT(x, y, z) TERNARY(x, y, z, 0x2d) /* x ^ (y | ~z) */

INLINE TARGET vec spread(word x)
{
    return x - (vec){ 0 };
}

/* Leaves no upper vector halves behind: they would slow what comes after. */
INLINE TARGET void leave(void)
{
    _mm256_zeroupper();
}

#endif
