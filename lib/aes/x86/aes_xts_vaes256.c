/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec256.h"
#include "xts_tweak.h"

#undef TARGET
#define TARGET LEAF __attribute__((target("vaes,vpclmulqdq,aes,avx2")))
/* WIDE vectors fit into 16 registers with their tweaks and the next four vectors of tweaks; more do
 * not. */
#define WIDE 4

struct tweaks {
    vec t0, t1, t2, t3; /* t0: t, t x; t1: t x^2, t x^3; and so on */
};

INLINE TARGET struct tweaks first_tweaks(block t)
{
    struct tweaks tweaks;
    block u = next_tweak(t);
    tweaks.t0 = _mm256_set_m128i(u, t);
    t = next_tweak(u), u = next_tweak(t);
    tweaks.t1 = _mm256_set_m128i(u, t);
    t = next_tweak(u), u = next_tweak(t);
    tweaks.t2 = _mm256_set_m128i(u, t);
    t = next_tweak(u), u = next_tweak(t);
    tweaks.t3 = _mm256_set_m128i(u, t);
    return tweaks;
}

/* Multiplies by x^8: the byte that is shifted out comes back as its product with 0x87.  Shifts of
 * whole bytes are used because shifts of bits take the ports that AES needs. */
INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec t = tweaks->t0;
    const vec fold = _mm256_clmulepi64_epi128(_mm256_bsrli_epi128(t, 15), low64(0x87), 0x00);
    tweaks->t0 = tweaks->t1;
    tweaks->t1 = tweaks->t2;
    tweaks->t2 = tweaks->t3;
    tweaks->t3 = xor(_mm256_bslli_epi128(t, 1), fold);
    return t;
}

#include "../aes_xts.h"
