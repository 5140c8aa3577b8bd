/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 compression with rounds in general registers (BMI2 RORX) and the message schedule in
 * vectors, with the rotations and three-operand logic of AVX-512, for four blocks at a time or one.
 */
#include "../sha2.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,bmi2")))
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

#define LANES 1
#define NAME(stem) stem##_1
#define V __m128i
#define LOAD_BE(p) _mm_shuffle_epi8(_mm_loadu_si128((const V *)(p)), _mm_set_epi64x(BE1, BE0))
#define LOAD_K(p) _mm_load_si128((const V *)(p))
#define ADD(x, y) _mm_add_epi64(x, y)
#define ALIGN(high, low) _mm_alignr_epi8(high, low, 8)
#define XOR3(x, y, z) _mm_ternarylogic_epi64(x, y, z, 0x96)
#define SIGMA0(x) XOR3(_mm_ror_epi64(x, 1), _mm_ror_epi64(x, 8), _mm_srli_epi64(x, 7))
#define SIGMA1(x) XOR3(_mm_ror_epi64(x, 19), _mm_ror_epi64(x, 61), _mm_srli_epi64(x, 6))
#define BE0 0x0001020304050607
#define BE1 0x08090a0b0c0d0e0f
#include "sha2_lanes.h"
#undef ALIGN
#undef SIGMA0
#undef SIGMA1
#undef XOR3

#define LANES 4
#define NAME(stem) stem##_4
#define V __m512i
#define QUARTER(p, i) _mm_loadu_si128((const __m128i *)((p) + 128 * (i)))
#define PUT(v, p, i) _mm512_inserti32x4(v, QUARTER(p, i), i)
#define LOAD_BE(p)                                                                              \
    _mm512_shuffle_epi8(PUT(PUT(PUT(_mm512_castsi128_si512(QUARTER(p, 0)), p, 1), p, 2), p, 3), \
                        _mm512_broadcast_i32x4(_mm_set_epi64x(BE1, BE0)))
#define LOAD_K(p) _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(p)))
#define ADD(x, y) _mm512_add_epi64(x, y)
#define ALIGN(high, low) _mm512_alignr_epi8(high, low, 8)
#define XOR3(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define SIGMA0(x) XOR3(_mm512_ror_epi64(x, 1), _mm512_ror_epi64(x, 8), _mm512_srli_epi64(x, 7))
#define SIGMA1(x) XOR3(_mm512_ror_epi64(x, 19), _mm512_ror_epi64(x, 61), _mm512_srli_epi64(x, 6))
#include "sha2_lanes.h"

static __attribute__((noinline)) TARGET const uint8_t *fours(uint64_t state[8], const uint8_t *in,
                                                             const uint8_t *end)
{
    __m512i wk[40];
    for (; in < end; in += 512)
        sha2_lanes_4(state, in, wk);
    WIPE(&wk);
    _mm256_zeroupper();
    return in;
}

/* Compresses num_blocks blocks into `state` (FIPS 180-4 section 6.4.2).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void sha512_blocks_avx512(void *state, const uint8_t *in, size_t num_blocks)
{
    if (num_blocks >= 4)
        in = fours(state, in, in + num_blocks / 4 * 512);
    if (!(num_blocks &= 3))
        return;
    __m128i wk[8];
    for (; num_blocks; num_blocks--, in += 128)
        sha2_lanes_1(state, in, wk);
    WIPE(&wk);
}
