/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on 64 blocks, byte-sliced, with GFNI and AVX-512. */
#define W __m512i
#define BYTES 64
#define OP(name) _mm512_##name
#define KERNEL(stem) stem##_gfni512
#include "camellia_gfni_blocks.h"
