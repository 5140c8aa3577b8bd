/* SPDX-License-Identifier: Apache-2.0 */
/* Four lanes of 256-bit vectors, by multipliers of 52 by 52 bits. */
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512ifma,bmi2")))
#define NAME(stem) stem##_ifma256
enum { LANES = 4 };
typedef __m256i vec;
typedef __m256i digits;
typedef __mmask8 choice;
#define ADD _mm256_add_epi64
#define AND _mm256_and_si256
#define SHR52(x) _mm256_srli_epi64(x, 52)
#define ALL(x) _mm256_set1_epi64x((long long)(x))
#define MADD_LOW _mm256_madd52lo_epu64
#define MADD_HIGH _mm256_madd52hi_epu64
#define CHOICE(x, bit) _mm256_test_epi64_mask(x, ALL(bit))
#define PICK(choice, x, y) _mm256_mask_blend_epi64(choice, y, x)
#include "mont_lanes_ifma.h"

#include "mont_lanes.h"
