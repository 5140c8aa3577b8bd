/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-sliced DES of 128 lanes in NEON registers. */
#include "../des_vec.h"

#define KERNEL(stem) stem##_neon
#define TARGET __attribute__((no_stack_protector))

typedef uint64_t V __attribute__((vector_size(16)));
#define SLICE_LE(x) (x)
typedef int32_t slice_mask; /* a key bit as a mask, which is broadcast as it is loaded */
typedef slice_mask slice_spread __attribute__((vector_size(sizeof(V))));
