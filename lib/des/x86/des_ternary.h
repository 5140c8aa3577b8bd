/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of bit-sliced DES with AVX-512's gates of three inputs.  The including file chooses
 * the width: VEC_BYTES, VEC and MM, the intrinsics' type and prefix, and MASK, a mask with one bit
 * a byte. */
#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t V __attribute__((vector_size(VEC_BYTES)));
#define T3(a, b, c, imm) ((V)MM(ternarylogic_epi64)((VEC)(a), (VEC)(b), (VEC)(c), imm))

#define SLICE_LE(x) (x)
typedef int32_t slice_mask; /* a key bit as a mask, which is broadcast as it is loaded */
typedef slice_mask slice_spread __attribute__((vector_size(VEC_BYTES)));

/* Exchanges whole bytes by shuffles, which use another port than shifts.  A masked shuffle leaves
 * the other bytes unchanged; compilers would need more than one instruction. */
INLINE TARGET void swap_bytes(V *a, V *b, unsigned s)
{
    const MASK low = (MASK)(UINT64_MAX / ((1ull << s / 8) + 1)), high = (MASK)~low;
    const __m128i in_order = _mm_set_epi64x(0x0f0e0d0c0b0a0908, 0x0706050403020100);
    const V other = (V)MM(broadcast_i32x4)(in_order) ^ s / 8 * 0x0101010101010101;
    const V before = *a;
    __asm__("vpshufb %2, %1, %0%{%3%}" : "+v"(*a) : "v"(*b), "v"(other), "Yk"(high));
    __asm__("vpshufb %2, %1, %0%{%3%}" : "+v"(*b) : "v"(before), "v"(other), "Yk"(low));
}

INLINE TARGET void swap_shifted(V *a, V *b, unsigned s, V mask)
{
    const V before = *a;
    *a = T3(*b << s, before, mask, 0xd8); /* mask ? *a : *b << s */
    *b = T3(before >> s, *b, mask, 0xe4);
}

#define SLICE_SWAP(a, b, s, mask) \
    ((s) >= 8 ? swap_bytes(&(a), &(b), s) : swap_shifted(&(a), &(b), s, mask))
