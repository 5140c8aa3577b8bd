/* SPDX-License-Identifier: Apache-2.0 */
/* The type `block` and its operations for block_modes.h in portable C, for kernels that compute FEW
 * blocks side by side in general registers. */
#ifndef HR_BLOCK_C_H
#define HR_BLOCK_C_H

#include "internal.h"

#define INLINE static inline
#define TARGET

typedef struct {
    uint64_t half[2]; /* in memory order */
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

INLINE void few_end(void) {}

#endif
