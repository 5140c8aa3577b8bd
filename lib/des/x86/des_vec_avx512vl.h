/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-sliced DES of 256 lanes with AVX-512's instructions.  On CPUs that execute these on three
 * ports but those of 64 bytes on two, or that split 64 bytes into two times 32, this takes less
 * time for a pass than 512 lanes. */
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
