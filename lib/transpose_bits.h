/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes bytes in eight words into bit planes, for bit-sliced code in 64-bit words. */
#ifndef HR_TRANSPOSE_BITS_H
#define HR_TRANSPOSE_BITS_H

#include <stdint.h>

/* Exchanges the bits of *a that mask << shift selects with the bits of *b that mask selects. */
static inline void swap_bits(uint64_t *a, uint64_t *b, uint64_t mask, unsigned shift)
{
    const uint64_t t = (*a >> shift ^ *b) & mask;
    *a ^= t << shift;
    *b ^= t;
}

/* Moves bit j of byte t in word k to bit 8 t + k of word j.  The function is its own inverse. */
static inline void transpose_bits(uint64_t q[8])
{
    for (unsigned i = 0; i < 8; i += 2)
        swap_bits(&q[i], &q[i + 1], 0x5555555555555555, 1);
    for (unsigned i = 0; i < 8; i += i & 1 ? 3 : 1)
        swap_bits(&q[i], &q[i + 2], 0x3333333333333333, 2);
    for (unsigned i = 0; i < 4; i++)
        swap_bits(&q[i], &q[i + 4], 0x0f0f0f0f0f0f0f0f, 4);
}

#endif
