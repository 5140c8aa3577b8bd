/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-sliced DES of 64 lanes in words of 64 bits, for any CPU. */
#include "../bytes.h"
#include "des_vec.h"

#define KERNEL(stem) stem##_c64
#define TARGET

typedef uint64_t V;
#define SLICE_LE(x) HR_LE64(x)
typedef int32_t slice_mask;
typedef int64_t slice_spread;
