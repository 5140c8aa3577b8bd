/* SPDX-License-Identifier: Apache-2.0 */
/* AESENCLAST on a state of four equal columns is SubWord on each, as ShiftRows moves bytes between
 * equal columns; its round key is zero. */
#include "aes_x86.h"

#define KERNEL(stem) stem##_aesni
#define TARGET TARGET_AESNI

INLINE TARGET uint32_t sub_word(uint32_t word)
{
    const block x = _mm_set1_epi32((int)word);
    return (uint32_t)_mm_cvtsi128_si32(_mm_aesenclast_si128(x, _mm_setzero_si128()));
}

INLINE TARGET block inv_mix_columns(block x)
{
    return _mm_aesimc_si128(x);
}

#include "../aes_expand.h"
