/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-sliced DES of 256 lanes with AVX2. */
#include "../des_vec.h"

#define KERNEL(stem) stem##_avx2
#define TARGET __attribute__((target("avx2"), no_stack_protector))

typedef uint64_t V __attribute__((vector_size(32)));
#define SLICE_LE(x) (x)
typedef int32_t slice_mask; /* a key bit as a mask, which is broadcast as it is loaded */
typedef slice_mask slice_spread __attribute__((vector_size(sizeof(V))));
