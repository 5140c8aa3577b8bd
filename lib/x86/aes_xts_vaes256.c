/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec256.h"
#include "xts_tweak.h"

#undef TARGET
#define TARGET LEAF __attribute__((target("vaes,vpclmulqdq,aes,avx2")))
#define WIDE 4 /* with their tweaks, and those of the next four, what 16 registers hold */

struct tweaks {
    vec t0, t1, t2, t3; /* t, t x; t x^2, t x^3; ... */
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

/* Times x^8: a byte leaves, and comes back as its product with 0x87; shifts of bits would take the
 * ports that AES needs. */
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
