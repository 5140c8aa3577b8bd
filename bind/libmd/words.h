/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian message words and rotations, for MD4 and RIPEMD-160. */
#ifndef HR_LIBMD_WORDS_H
#define HR_LIBMD_WORDS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* plus returns x + y.  The compiler cannot reorder a sum of several plus, so that the operand that
 * is computed last is added last. */
static inline uint32_t plus(uint32_t x, uint32_t y)
{
    x += y;
    __asm__("" : "+r"(x));
    return x;
}

static inline void load_words(uint32_t x[16], const uint8_t *in)
{
    memcpy(x, in, 64);
    for (unsigned i = 0; __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && i < 16; i++)
        x[i] = __builtin_bswap32(x[i]);
}

#endif
