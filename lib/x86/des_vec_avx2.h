/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of 256 lanes: AVX2. */
#include "../des_vec.h"

#define KERNEL(stem) stem##_avx2
#define TARGET __attribute__((target("avx2"), no_stack_protector))

typedef uint64_t V __attribute__((vector_size(32)));
#define SLICE_LE(x) (x)
typedef int32_t slice_mask; /* of a key bit, spread over a vector as it is loaded */
typedef slice_mask slice_spread __attribute__((vector_size(sizeof(V))));
