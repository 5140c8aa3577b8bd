/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on one to four blocks, and in chains.  AESE with a key of zero is ShiftRows and AES's
 * S-box. */
#include "../../bytes.h"
#include <arm_neon.h>

#define INLINE static inline __attribute__((always_inline))
#define TARGET __attribute__((target("+crypto")))
#define MODE(mode) camellia_##mode##_ce1

typedef uint8x16_t V;
#define WORDS16(x) vreinterpretq_u16_u8(x)
#define WORDS32(x) vreinterpretq_u32_u8(x)
#define WORDS64(x) vreinterpretq_u64_u8(x)

INLINE TARGET V load(const uint8_t *p)
{
    return vld1q_u8(p);
}

INLINE TARGET V load8(const uint64_t *p)
{
    return vreinterpretq_u8_u64(vcombine_u64(vld1_u64(p), vdup_n_u64(0)));
}

INLINE TARGET V spread(const uint64_t *p)
{
    return vreinterpretq_u8_u16(vshll_n_u8(vcreate_u8(*p), 8));
}

INLINE TARGET void store(uint8_t *p, V x)
{
    vst1q_u8(p, x);
}

INLINE TARGET V look(V table, V index)
{
    return vqtbl1q_u8(table, index);
}

INLINE TARGET V low(V x)
{
    return x & vdupq_n_u8(15);
}

INLINE TARGET V high(V x)
{
    return vshrq_n_u8(x, 4);
}

INLINE TARGET V high_of_words(V x)
{
    return high(x);
}

INLINE TARGET V sub(V x)
{
    return vaeseq_u8(x, vdupq_n_u8(0));
}

INLINE TARGET V kept(V x)
{
    __asm__("" : "+w"(x));
    return x;
}

INLINE TARGET V word1(V a, V b)
{
    return vreinterpretq_u8_u32(vcopyq_laneq_u32(WORDS32(a), 1, WORDS32(b), 1));
}

INLINE TARGET V words36(V a, V b)
{
    const uint16x8_t of_b = { 0, 0, 0, 0xffff, 0, 0, 0xffff, 0 };
    return vbslq_u8(vreinterpretq_u8_u16(of_b), b, a);
}

INLINE TARGET V fold_words(V x)
{
    return vreinterpretq_u8_u16(vshlq_n_u16(WORDS16(x), 8));
}

INLINE TARGET V fold_halves(V x)
{
    return vextq_u8(x, x, 8);
}

INLINE TARGET V turned(V x)
{
    const uint32x4_t words = WORDS32(x);
    return vreinterpretq_u8_u32(vsriq_n_u32(vshlq_n_u32(words, 1), words, 31));
}

INLINE TARGET V up(V x)
{
    return vreinterpretq_u8_u64(vshlq_n_u64(WORDS64(x), 32));
}

INLINE TARGET V down(V x)
{
    return vreinterpretq_u8_u64(vshrq_n_u64(WORDS64(x), 32));
}

INLINE TARGET void few_end(void) {}

#include "../camellia_one.h"
