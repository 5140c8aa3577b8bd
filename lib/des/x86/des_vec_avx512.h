/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-sliced DES of 512 lanes with AVX-512. */
#ifndef HR_DES_VEC_H
#define HR_DES_VEC_H

#define KERNEL(stem) stem##_avx512
#define TARGET __attribute__((target("avx512f,avx512bw"), no_stack_protector))

#define VEC_BYTES 64
#define VEC __m512i
#define MM(name) _mm512_##name
#define MASK __mmask64
#include "des_ternary.h"

#endif
