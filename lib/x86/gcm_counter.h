/* SPDX-License-Identifier: Apache-2.0 */
/* Counter blocks that are zero but for their last byte. */
#ifndef HR_GCM_COUNTER_H
#define HR_GCM_COUNTER_H

#include "../internal.h"

#define COUNTER(n) \
    {              \
        [15] = (n) \
    }
extern const uint8_t alignas(64) gcm_counter_table[256][16];

#endif
