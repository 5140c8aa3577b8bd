/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions for lib/des/des_modes.h, for kernels that keep a half in a 64-bit word. */
#ifndef HR_DES_WORD_H
#define HR_DES_WORD_H

#include <stdint.h>

#ifndef DES_TARGET
#define DES_TARGET
#endif

typedef uint64_t des_half;
static inline des_half des_half_of(uint64_t word)
{
    return word;
}
static inline uint64_t des_word_of(des_half half)
{
    return half;
}

#endif
