/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks for block_modes.h in portable C, where slices hold FEW of them. */
#ifndef HR_BLOCK_C_H
#define HR_BLOCK_C_H

#include "internal.h"

#define INLINE static inline
#define TARGET

typedef struct {
    uint64_t half[2]; /* as they are in memory */
} block;

INLINE block load16(const uint8_t *p)
{
    block x;
    memcpy(x.half, p, 16);
    return x;
}

INLINE void store16(uint8_t *p, block x)
{
    memcpy(p, x.half, 16);
}

INLINE block xor16(block a, block b)
{
    return (block){ { a.half[0] ^ b.half[0], a.half[1] ^ b.half[1] } };
}

INLINE void few_end(void)
{
}

#endif
