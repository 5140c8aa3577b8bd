/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 compression with rounds in general registers (BMI2 RORX) and the message schedule in
 * vectors, for two blocks at a time or one. */
#include "../sha2.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi2")))
typedef uint64_t word;
#define BIG_SIGMA0(x) (rotr64(x, 28) ^ rotr64(x, 34) ^ rotr64(x, 39))
#define BIG_SIGMA1(x) (rotr64(x, 14) ^ rotr64(x, 18) ^ rotr64(x, 41))
#define K sha512_k
#define NUM_ROUNDS 80

/* Computes the next two words of the schedule, which replace vector i: W(t) = W(t-16) +
 * sigma0(W(t-15)) + W(t-7) + sigma1(W(t-2)). */
#define NEXT(w, i)                                              \
    ADD(ADD((w)[i], ALIGN((w)[(i + 5) & 7], (w)[(i + 4) & 7])), \
        ADD(SIGMA0(ALIGN((w)[(i + 1) & 7], (w)[i])), SIGMA1((w)[(i + 7) & 7])))
#define BE0 0x0001020304050607
#define BE1 0x08090a0b0c0d0e0f
#define ROT8_0 0x0007060504030201 /* byte order that rotates each word right by 8 bits */
#define ROT8_1 0x080f0e0d0c0b0a09

#define LANES 1
#define NAME(stem) stem##_1
#define V __m128i
#define LOAD_BE(p) _mm_shuffle_epi8(_mm_loadu_si128((const V *)(p)), _mm_set_epi64x(BE1, BE0))
#define LOAD_K(p) _mm_load_si128((const V *)(p))
#define ADD(x, y) _mm_add_epi64(x, y)
#define ALIGN(high, low) _mm_alignr_epi8(high, low, 8)
#define XOR(x, y) _mm_xor_si128(x, y)
#define SHR(x, n) _mm_srli_epi64(x, n)
#define ROR(x, n) XOR(SHR(x, n), _mm_slli_epi64(x, 64 - (n)))
#define ROR8(x) _mm_shuffle_epi8(x, _mm_set_epi64x(ROT8_1, ROT8_0))
#define SIGMA0(x) XOR(XOR(ROR(x, 1), ROR8(x)), SHR(x, 7))
#define SIGMA1(x) XOR(XOR(ROR(x, 19), ROR(x, 61)), SHR(x, 6))
#include "sha2_lanes.h"
#undef ALIGN
#undef SIGMA0
#undef SIGMA1
#undef XOR
#undef SHR
#undef ROR
#undef ROR8

#define LANES 2
#define NAME(stem) stem##_2
#define V __m256i
#define HALF(p, i) _mm_loadu_si128((const __m128i *)((p) + 128 * (i)))
#define LOAD_BE(p)                                                                  \
    _mm256_shuffle_epi8(                                                            \
        _mm256_inserti128_si256(_mm256_castsi128_si256(HALF(p, 0)), HALF(p, 1), 1), \
        _mm256_broadcastsi128_si256(_mm_set_epi64x(BE1, BE0)))
#define LOAD_K(p) _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(p)))
#define ADD(x, y) _mm256_add_epi64(x, y)
#define ALIGN(high, low) _mm256_alignr_epi8(high, low, 8)
#define XOR(x, y) _mm256_xor_si256(x, y)
#define SHR(x, n) _mm256_srli_epi64(x, n)
#define ROR(x, n) XOR(SHR(x, n), _mm256_slli_epi64(x, 64 - (n)))
#define ROR8(x) _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_set_epi64x(ROT8_1, ROT8_0)))
#define SIGMA0(x) XOR(XOR(ROR(x, 1), ROR8(x)), SHR(x, 7))
#define SIGMA1(x) XOR(XOR(ROR(x, 19), ROR(x, 61)), SHR(x, 6))
#include "sha2_lanes.h"

/* The kernel of sha_twos.h: compresses blocks into `state` (FIPS 180-4 section 6.4.2). */
#define KERNEL sha512_blocks_avx2
#define BLOCK_LEN 128
#define ONE sha2_lanes_1
#define WK_ONE 8
#define TWO sha2_lanes_2
#define WK_TWO 40
#include "sha_twos.h"
