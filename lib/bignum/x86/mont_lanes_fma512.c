/* SPDX-License-Identifier: Apache-2.0 */
/* Eight lanes of doubles in 512-bit vectors, whose instructions say how they round. */
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,bmi2")))
#define NAME(stem) stem##_fma512
enum { LANES = 8, TO_ZERO = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };
typedef __m512i vec;
typedef __m512d digits;
typedef __mmask8 choice;
#define ADD _mm512_add_epi64
#define AND _mm512_and_si512
#define OR _mm512_or_si512
#define SHR52(x) _mm512_srli_epi64(x, 52)
#define ALL(x) _mm512_set1_epi64((long long)(x))
#define ALL_DOUBLES _mm512_set1_pd
#define DOUBLES _mm512_castsi512_pd
#define BITS _mm512_castpd_si512
#define SUB_DOUBLES(x, y) _mm512_sub_round_pd(x, y, TO_ZERO)
#define FMA(x, y, z) _mm512_fmadd_round_pd(x, y, z, TO_ZERO)
#define CHOICE(x, bit) _mm512_test_epi64_mask(x, ALL(bit))
#define PICK(choice, x, y) _mm512_mask_blend_pd(choice, y, x)
#define BEGIN
#define END
#include "mont_lanes_fma.h"

#include "mont_lanes.h"
