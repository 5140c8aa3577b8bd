/* SPDX-License-Identifier: Apache-2.0 */
/* Eight lanes of 512-bit vectors, by multipliers of 52 by 52 bits. */
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,avx512ifma,bmi2")))
#define NAME(stem) stem##_ifma512
enum { LANES = 8 };
typedef __m512i vec;
typedef __m512i digits;
typedef __mmask8 choice;
#define ADD _mm512_add_epi64
#define AND _mm512_and_si512
#define SHR52(x) _mm512_srli_epi64(x, 52)
#define ALL(x) _mm512_set1_epi64((long long)(x))
#define MADD_LOW _mm512_madd52lo_epu64
#define MADD_HIGH _mm512_madd52hi_epu64
#define CHOICE(x, bit) _mm512_test_epi64_mask(x, ALL(bit))
#define PICK(choice, x, y) _mm512_mask_blend_epi64(choice, y, x)
#include "mont_lanes_ifma.h"

#include "mont_lanes.h"
