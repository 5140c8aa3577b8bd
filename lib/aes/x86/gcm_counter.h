/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are zero except for their last byte, n in block n.  The table has three blocks more,
 * because four blocks may be loaded from any n on, and two before block 0, so that the first
 * counter of a text, 2, lies at a cache line. */
#ifndef HR_GCM_COUNTER_H
#define HR_GCM_COUNTER_H

#include "../../internal.h"

#define COUNTER(n) \
    {              \
        [15] = (n) \
    }
extern const uint8_t gcm_counter_table[2 + 256 + 3][16]
    __attribute__((aligned(64), visibility("hidden")));

static inline const uint8_t *gcm_counter(size_t n)
{
    return gcm_counter_table[2 + n];
}

#endif
