/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of 256 lanes with AVX-512's instructions: where three ports have these and two those of 64
 * bytes, or 64 bytes are twice 32, a pass takes less time than one of 512 lanes. */
#ifndef HR_DES_VEC_H
#define HR_DES_VEC_H

#define KERNEL(stem) stem##_avx512vl
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl"), no_stack_protector))

#define VEC_BYTES 32
#define VEC __m256i
#define MM(name) _mm256_##name
#define MASK __mmask32
#include "des_ternary.h"

#endif
