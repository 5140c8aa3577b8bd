/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes in vectors of 32 bytes: AVX2. */
#ifndef HR_VEC_H
#define HR_VEC_H

#define VEC_BYTES 32
#include "../lanes.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

#define CHOOSE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))           /* x ? y : z */
#define MAJORITY(x, y, z) (((x) & (y)) | (((x) | (y)) & (z))) /* of each bit */
#define XOR_OR_NOT(x, y, z) ((x) ^ ((y) | ~(z)))

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
