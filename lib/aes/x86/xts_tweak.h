/* SPDX-License-Identifier: Apache-2.0 */
/* The tweaks of XTS on x86: products with powers of x in GF(2^128), as little-endian numbers, where
 * x^128 = 0x87. */
#ifndef HR_XTS_TWEAK_H
#define HR_XTS_TWEAK_H

#include "aes_x86.h"

/* Returns t x: each half is doubled, and its top bit is carried to the other half. */
INLINE TARGET_AESNI block next_tweak(block t)
{
    const block signs = _mm_srai_epi32(_mm_shuffle_epi32(t, 0x13), 31);
    return _mm_xor_si128(_mm_add_epi64(t, t), _mm_and_si128(signs, _mm_set_epi32(0, 1, 0, 0x87)));
}

/* Indices for PSHUFB: read from offset 16 - n on, they move bytes n places up, from 16 + n on, n
 * places down. */
static const uint8_t moves[48] = {
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
};

INLINE TARGET_AESNI block with_end(block whole, block last, size_t part)
{
    const block down = load16(moves + 32 - part);
    return _mm_blendv_epi8(_mm_shuffle_epi8(last, down), whole, down);
}

INLINE TARGET_AESNI block begin_behind(block whole, size_t part)
{
    return _mm_shuffle_epi8(whole, load16(moves + part));
}

#endif
