/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 in vectors of Neon.  Prototype: ../chacha.h. */
#include "../../aes/aes_kernel.h"

#include <arm_neon.h>

typedef uint32x4_t vec;
enum { LANES = 4, ROWS = 1 };
#define KERNEL(stem) stem##_neon
#define TARGET LEAF

INLINE TARGET vec add(vec a, vec b)
{
    return vaddq_u32(a, b);
}

INLINE TARGET vec xor (vec a, vec b) { return veorq_u32(a, b); }

/* A rotation by 16 is a reversal of halves; others are a shift and a shift that inserts. */
#define rotl(x, n)                                                            \
    ((n) == 16 ? vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x))) \
               : vsriq_n_u32(vshlq_n_u32(x, n), x, 32 - (n)))

    INLINE TARGET vec spread(uint32_t x)
{
    return vdupq_n_u32(x);
}

INLINE TARGET vec numbers(void)
{
    static const uint32_t counted[4] = { 0, 1, 2, 3 };
    return vld1q_u32(counted);
}

INLINE TARGET vec load_row(const uint32_t *p)
{
    return vld1q_u32(p);
}

INLINE TARGET vec row_numbers(void)
{
    return vdupq_n_u32(0);
}

INLINE TARGET vec first_words(uint32_t x)
{
    return vsetq_lane_u32(x, vdupq_n_u32(0), 0);
}

#define turn(x, n) vextq_u32(x, x, n)

INLINE TARGET void store(uint8_t *out, const uint8_t *in, vec x)
{
    vst1q_u8(out, veorq_u8(vld1q_u8(in), vreinterpretq_u8_u32(x)));
}

INLINE TARGET vec halves(uint32x4_t low, uint32x4_t high, int upper)
{
    const uint64x2_t x = vreinterpretq_u64_u32(low), y = vreinterpretq_u64_u32(high);
    return vreinterpretq_u32_u64(upper ? vtrn2q_u64(x, y) : vtrn1q_u64(x, y));
}

INLINE TARGET void store_lanes(uint8_t *out, const uint8_t *in, const vec x[16], size_t num)
{
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4, out += 16, in += 16) {
        const vec a = vtrn1q_u32(x[i], x[i + 1]), b = vtrn1q_u32(x[i + 2], x[i + 3]);
        const vec c = vtrn2q_u32(x[i], x[i + 1]), d = vtrn2q_u32(x[i + 2], x[i + 3]);
        store(out, in, halves(a, b, 0));
        store(out + 64, in + 64, halves(c, d, 0));
        store(out + 128, in + 128, halves(a, b, 1));
        if (num > 3)
            store(out + 192, in + 192, halves(c, d, 1));
    }
}

INLINE TARGET void store_rows(uint8_t *out, const uint8_t *in, const vec r[4], size_t num)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        store(out + 16 * i, in + 16 * i, r[i]);
}

INLINE TARGET void leave(void) {}

#include "../chacha_vec.h"
