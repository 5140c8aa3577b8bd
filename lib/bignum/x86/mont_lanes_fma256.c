/* SPDX-License-Identifier: Apache-2.0 */
/* Four lanes of doubles in 256-bit vectors.  The rounding is that of MXCSR, which is set for the
 * call: toward zero, all exceptions masked, denormals as they are. */
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx2,fma,bmi2")))
#define NAME(stem) stem##_fma256
enum { LANES = 4 };
typedef __m256i vec;
typedef __m256d digits;
typedef __m256i choice;
#define ADD _mm256_add_epi64
#define AND _mm256_and_si256
#define OR _mm256_or_si256
#define SHR52(x) _mm256_srli_epi64(x, 52)
#define ALL(x) _mm256_set1_epi64x((long long)(x))
#define ALL_DOUBLES _mm256_set1_pd
#define DOUBLES _mm256_castsi256_pd
#define BITS _mm256_castpd_si256
#define SUB_DOUBLES _mm256_sub_pd
#define FMA _mm256_fmadd_pd
#define CHOICE(x, bit) _mm256_cmpeq_epi64(_mm256_and_si256(x, ALL(bit)), ALL(bit))
#define PICK(choice, x, y) _mm256_blendv_pd(y, x, DOUBLES(choice))

#define BEGIN                             \
    const unsigned before = _mm_getcsr(); \
    _mm_setcsr(_MM_MASK_MASK | _MM_ROUND_TOWARD_ZERO);
#define END _mm_setcsr(before);
#include "mont_lanes_fma.h"

#include "mont_lanes.h"
