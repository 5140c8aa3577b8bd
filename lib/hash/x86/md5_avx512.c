/* SPDX-License-Identifier: Apache-2.0 */
/* MD5 compression, RFC 1321 section 3.4, in the lowest words of vectors.  Each step waits for the
 * one before it.  With three-operand logic and rotation, the chain from b to b has four
 * instructions in every step; in general registers F and I have five. */
#include "../md5.h"
#include "../md5_steps.h"
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl")))
#define INLINE static inline __attribute__((always_inline)) TARGET

#define CONSTANT(f, a, b, c, d, k, s, t) t,
static const uint32_t constants[64] = { MD5_STEPS(CONSTANT) };

/* Returns x + y; the compiler may not reorder this addition with others. */
INLINE __m128i plus(__m128i x, __m128i y)
{
    x = _mm_add_epi32(x, y);
    __asm__("" : "+v"(x));
    return x;
}

/* Returns x plus the word at p, which the addition takes from memory.  Compilers would keep the
 * constants in registers, of which there are too few. */
INLINE __m128i plus_word(__m128i x, const void *p)
{
    __asm__("vpaddd %1%{1to4%}, %0, %0" : "+v"(x) : "m"(*(const uint8_t(*)[4])p));
    return x;
}

/* Truth tables of F, G, H and I for VPTERNLOG. */
enum { F = 0xca, G = 0xe4, H = 0x96, I = 0x39 };
#define STEP(f, a, b, c, d, k, s, t)                 \
    a = plus_word(plus_word(a, at++), in + 4 * (k)); \
    a = plus(a, _mm_ternarylogic_epi32(b, c, d, f)); \
    a = plus(_mm_rol_epi32(a, s), b);

/* Compresses num_blocks blocks into `state` (RFC 1321 section 3.4).  `state` is aligned for its
 * words; `in` may have any alignment, and must not overlap `state`. */
TARGET void md5_blocks_avx512(void *state, const uint8_t *in, size_t num_blocks)
{
    int *words = state;
    __m128i a = _mm_cvtsi32_si128(words[0]), b = _mm_cvtsi32_si128(words[1]);
    __m128i c = _mm_cvtsi32_si128(words[2]), d = _mm_cvtsi32_si128(words[3]);

    for (; num_blocks; num_blocks--, in += 64) {
        const __m128i a_in = a, b_in = b, c_in = c, d_in = d;
        const uint32_t *at = constants;
        MD5_STEPS(STEP)
        a = _mm_add_epi32(a, a_in);
        b = _mm_add_epi32(b, b_in);
        c = _mm_add_epi32(c, c_in);
        d = _mm_add_epi32(d, d_in);
    }
    words[0] = _mm_cvtsi128_si32(a);
    words[1] = _mm_cvtsi128_si32(b);
    words[2] = _mm_cvtsi128_si32(c);
    words[3] = _mm_cvtsi128_si32(d);
}
