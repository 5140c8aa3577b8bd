/* SPDX-License-Identifier: Apache-2.0 */
/* Four lanes of 256-bit vectors. */
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512ifma,bmi2")))
#define NAME__(curve, stem) curve##_##stem##_ifma256
enum { LANES = 4 };
typedef __m256i vec;
typedef __mmask8 lanes_mask;
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, x) _mm256_storeu_si256((__m256i *)(p), x)
#define ALL(x) _mm256_set1_epi64x((long long)(x))
#define ADD _mm256_add_epi64
#define SUB _mm256_sub_epi64
#define AND _mm256_and_si256
#define OR _mm256_or_si256
#define SHR _mm256_srli_epi64
#define SAR _mm256_srai_epi64
#define SHL _mm256_slli_epi64
#define MADD_LOW _mm256_madd52lo_epu64
#define MADD_HIGH _mm256_madd52hi_epu64
#define EQUAL _mm256_cmpeq_epi64_mask
#define IS_NEGATIVE(x) _mm256_cmplt_epi64_mask(x, _mm256_setzero_si256())
#define HAS_BIT(x, bit) _mm256_test_epi64_mask(x, ALL(bit))
#define PICK(mask, x, y) _mm256_mask_blend_epi64(mask, y, x)
/* PERMUTE gets the entries with these indices out of eight. */
#define PERMUTE(low, index, high) _mm256_permutex2var_epi64(low, index, high)
