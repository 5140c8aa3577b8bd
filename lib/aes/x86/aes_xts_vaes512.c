/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec512.h"
#include "xts_tweak.h"

#undef TARGET
#define TARGET LEAF __attribute__((target("vaes,vpclmulqdq,aes,avx512f,avx512bw")))

#define WIDE 8

struct tweaks {
    vec now, after; /* now: t, t x, t x^2, t x^3; after: the next four */
};

/* Returns t x^i ... t x^(i + 3). */
INLINE TARGET vec four_tweaks(vec t, unsigned i)
{
    const vec by =
        _mm512_add_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0), _mm512_set1_epi64((long long)i));
    const vec out = _mm512_srlv_epi64(t, _mm512_sub_epi64(_mm512_set1_epi64(64), by));
    const vec fold = _mm512_clmulepi64_epi128(out, low64(0x87), 0x01);
    return xor(xor(_mm512_sllv_epi64(t, by), _mm512_bslli_epi128(out, 8)), fold);
}

INLINE TARGET struct tweaks first_tweaks(block t)
{
    const vec all = _mm512_broadcast_i32x4(t);
    return (struct tweaks){ four_tweaks(all, 0), four_tweaks(all, 4) };
}

/* Multiplies by x^8: the byte that is shifted out comes back as its product with 0x87.  Shifts of
 * whole bytes are used because shifts of bits take the port that AES needs. */
INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec t = tweaks->now;
    const vec fold = _mm512_clmulepi64_epi128(_mm512_bsrli_epi128(t, 15), low64(0x87), 0x00);
    tweaks->now = tweaks->after;
    tweaks->after = xor(_mm512_bslli_epi128(t, 1), fold);
    return t;
}

#include "../aes_xts.h"
