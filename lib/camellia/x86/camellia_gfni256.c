/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 32 blocks, byte-sliced, with GFNI and AVX-512's instructions for vectors of 32 bytes.
 */
#define W __m256i
#define BYTES 32
#define OP(name) _mm256_##name
#define KERNEL(stem) stem##_gfni256
#include "camellia_gfni_blocks.h"
