/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec128.h"
#include "xts_tweak.h"

#define WIDE 6 /* as many blocks as fit into 16 registers with their tweaks */

/* The tweak is kept in integer registers, because AES does not use the ports of integer
 * instructions. */
struct tweaks {
    unsigned __int128 t;
};

INLINE TARGET struct tweaks first_tweaks(block t)
{
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(t), high = (uint64_t)_mm_extract_epi64(t, 1);
    return (struct tweaks){ (unsigned __int128)high << 64 | low };
}

INLINE TARGET vec next_tweaks(struct tweaks *tweaks)
{
    const uint64_t high = (uint64_t)(tweaks->t >> 64);
    const vec now = _mm_set_epi64x((long long)high, (long long)(uint64_t)tweaks->t);
    tweaks->t = (tweaks->t + tweaks->t) ^ (0x87 & (0 - (high >> 63)));
    return now;
}

#include "../aes_xts.h"
