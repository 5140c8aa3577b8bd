/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec256.h"
#include "xts_tweak.h"

#define WIDE 6 /* with their tweaks, what 16 registers hold */

struct tweaks {
    vec t;
};

INLINE TARGET struct tweaks first_tweaks(block t)
{
    return (struct tweaks){ _mm256_set_m128i(next_tweak(t), t) };
}

/* Twice next_tweak: two bits leave a half. */
INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const vec t = tweaks->t, carry = _mm256_shuffle_epi32(_mm256_srli_epi64(t, 62), 0x4e);
    const vec low = _mm256_and_si256(carry, _mm256_set_epi64x(0, 3, 0, 3));
    const vec folded = xor(xor(_mm256_slli_epi64(low, 1), _mm256_slli_epi64(low, 2)),
                           xor(_mm256_slli_epi64(low, 7), carry));
    tweaks->t = xor(_mm256_slli_epi64(t, 2), folded);
    return t;
}

#include "../aes_xts.h"
