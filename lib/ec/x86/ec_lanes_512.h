/* SPDX-License-Identifier: Apache-2.0 */
/* Eight lanes of 512-bit vectors. */
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512ifma,bmi2")))
#define NAME__(curve, stem) curve##_##stem##_ifma512
enum { LANES = 8 };
typedef __m512i vec;
typedef __mmask8 lanes_mask;
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, x) _mm512_storeu_si512(p, x)
#define ALL(x) _mm512_set1_epi64((long long)(x))
#define ADD _mm512_add_epi64
#define SUB _mm512_sub_epi64
#define AND _mm512_and_si512
#define OR _mm512_or_si512
#define SHR _mm512_srli_epi64
#define SAR _mm512_srai_epi64
#define SHL _mm512_slli_epi64
#define MADD_LOW _mm512_madd52lo_epu64
#define MADD_HIGH _mm512_madd52hi_epu64
#define EQUAL _mm512_cmpeq_epi64_mask
#define IS_NEGATIVE(x) _mm512_cmplt_epi64_mask(x, _mm512_setzero_si512())
#define HAS_BIT(x, bit) _mm512_test_epi64_mask(x, ALL(bit))
#define PICK(mask, x, y) _mm512_mask_blend_epi64(mask, y, x)
/* PERMUTE gets the entries with these indices out of sixteen. */
#define PERMUTE(low, index, high) _mm512_permutex2var_epi64(low, index, high)
