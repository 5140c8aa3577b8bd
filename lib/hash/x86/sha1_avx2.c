/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 compression with rounds in general registers (BMI2 RORX) and the message schedule in
 * vectors, for two blocks at a time or one. */
#include "../sha1.h"
#include "../sha1_rounds.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi2")))
#define BIG_ENDIAN_WORDS _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203)

#define LANES 1
#define NAME(stem) stem##_1
#define V __m128i
#define LOAD_BE(p) _mm_shuffle_epi8(_mm_loadu_si128((const V *)(p)), BIG_ENDIAN_WORDS)
#define SET1(x) _mm_set1_epi32(x)
#define ADD(x, y) _mm_add_epi32(x, y)
#define XOR(x, y) _mm_xor_si128(x, y)
#define ROTL(x, n) _mm_or_si128(_mm_slli_epi32(x, n), _mm_srli_epi32(x, 32 - (n)))
#define ALIGN8(high, low) _mm_alignr_epi8(high, low, 8)
#define UP12(x) _mm_slli_si128(x, 12)
#define DOWN4(x) _mm_srli_si128(x, 4)
#include "sha1_lanes.h"

#define LANES 2
#define NAME(stem) stem##_2
#define V __m256i
#define HALF(p, i) _mm_loadu_si128((const __m128i *)((p) + 64 * (i)))
#define LOAD_BE(p)                                                                  \
    _mm256_shuffle_epi8(                                                            \
        _mm256_inserti128_si256(_mm256_castsi128_si256(HALF(p, 0)), HALF(p, 1), 1), \
        _mm256_broadcastsi128_si256(BIG_ENDIAN_WORDS))
#define SET1(x) _mm256_set1_epi32(x)
#define ADD(x, y) _mm256_add_epi32(x, y)
#define XOR(x, y) _mm256_xor_si256(x, y)
#define ROTL(x, n) _mm256_or_si256(_mm256_slli_epi32(x, n), _mm256_srli_epi32(x, 32 - (n)))
#define ALIGN8(high, low) _mm256_alignr_epi8(high, low, 8)
#define UP12(x) _mm256_slli_si256(x, 12)
#define DOWN4(x) _mm256_srli_si256(x, 4)
#include "sha1_lanes.h"

typedef uint32_t word;
/* The kernel of sha_twos.h: compresses blocks into `state` (FIPS 180-4 section 6.1.2). */
#define KERNEL sha1_blocks_avx2
#define BLOCK_LEN 64
#define ONE sha1_lanes_1
#define WK_ONE 20
#define TWO sha1_lanes_2
#define WK_TWO 20
#include "sha_twos.h"
