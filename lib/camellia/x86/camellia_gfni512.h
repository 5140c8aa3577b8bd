/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 64 lanes for the kernels of many messages. */
#define W __m512i
#define BYTES 64
#define OP(name) _mm512_##name
#include "camellia_gfni_slice.h"
