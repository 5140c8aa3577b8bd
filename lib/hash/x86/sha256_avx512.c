/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 compression with rounds in general registers (BMI2 RORX) and the message schedule in
 * vectors, with the rotations and three-operand logic of AVX-512, for two blocks at a time or one.
 */
#include "../sha2.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,bmi2")))
typedef uint32_t word;
#define BIG_SIGMA0(x) (rotr32(x, 2) ^ rotr32(x, 13) ^ rotr32(x, 22))
#define BIG_SIGMA1(x) (rotr32(x, 6) ^ rotr32(x, 11) ^ rotr32(x, 25))
#define K sha256_k
#define NUM_ROUNDS 64

/* Computes four words of the schedule: W(t) = W(t-16) + sigma0(W(t-15)) + W(t-7) + sigma1(W(t-2)).
 * For the last two of the words, the last term is sigma1 of the first two, which are shifted into
 * place; the zeros beside them have no effect, as sigma1(0) = 0. */
#define NEXT(w, i)                                                                  \
    ({                                                                              \
        const V w3 = (w)[(i + 3) & 3], t_minus_7 = ALIGN(w3, (w)[(i + 2) & 3]);     \
        V x = ADD(ADD((w)[i], t_minus_7), SIGMA0(ALIGN((w)[(i + 1) & 3], (w)[i]))); \
        x = ADD(x, SIGMA1(TO_LOWER(w3)));                                           \
        ADD(x, SIGMA1(TO_UPPER(x)));                                                \
    })
#define SIGMA0(x) XOR3(ROR(x, 7), ROR(x, 18), SHR(x, 3))
#define SIGMA1(x) XOR3(ROR(x, 17), ROR(x, 19), SHR(x, 10))
#define BIG_ENDIAN_WORDS _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203)

#define LANES 1
#define NAME(stem) stem##_1
#define V __m128i
#define LOAD_BE(p) _mm_shuffle_epi8(_mm_loadu_si128((const V *)(p)), BIG_ENDIAN_WORDS)
#define LOAD_K(p) _mm_load_si128((const V *)(p))
#define ADD(x, y) _mm_add_epi32(x, y)
#define ALIGN(high, low) _mm_alignr_epi8(high, low, 4)
#define TO_LOWER(x) _mm_srli_si128(x, 8)
#define TO_UPPER(x) _mm_slli_si128(x, 8)
#define XOR3(x, y, z) _mm_ternarylogic_epi32(x, y, z, 0x96)
#define ROR(x, n) _mm_ror_epi32(x, n)
#define SHR(x, n) _mm_srli_epi32(x, n)
#include "sha2_lanes.h"
#undef ALIGN
#undef TO_LOWER
#undef TO_UPPER
#undef XOR3
#undef ROR
#undef SHR

#define LANES 2
#define NAME(stem) stem##_2
#define V __m256i
#define HALF(p, i) _mm_loadu_si128((const __m128i *)((p) + 64 * (i)))
#define LOAD_BE(p)                                                                  \
    _mm256_shuffle_epi8(                                                            \
        _mm256_inserti128_si256(_mm256_castsi128_si256(HALF(p, 0)), HALF(p, 1), 1), \
        _mm256_broadcastsi128_si256(BIG_ENDIAN_WORDS))
#define LOAD_K(p) _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(p)))
#define ADD(x, y) _mm256_add_epi32(x, y)
#define ALIGN(high, low) _mm256_alignr_epi8(high, low, 4)
#define TO_LOWER(x) _mm256_srli_si256(x, 8)
#define TO_UPPER(x) _mm256_slli_si256(x, 8)
#define XOR3(x, y, z) _mm256_ternarylogic_epi32(x, y, z, 0x96)
#define ROR(x, n) _mm256_ror_epi32(x, n)
#define SHR(x, n) _mm256_srli_epi32(x, n)
#include "sha2_lanes.h"

/* The kernel of sha_twos.h: compresses blocks into `state` (FIPS 180-4 section 6.2.2). */
#define KERNEL sha256_blocks_avx512
#define BLOCK_LEN 64
#define ONE sha2_lanes_1
#define WK_ONE 4
#define TWO sha2_lanes_2
#define WK_TWO 16
#include "sha_twos.h"
