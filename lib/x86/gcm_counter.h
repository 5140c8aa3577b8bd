/* SPDX-License-Identifier: Apache-2.0 */
/* Counter blocks that are zero but for their last byte; three more are there for whoever loads four
 * from any of the others on. */
#ifndef HR_GCM_COUNTER_H
#define HR_GCM_COUNTER_H

#include "../internal.h"

#define COUNTER(n) \
    {              \
        [15] = (n) \
    }
extern const uint8_t gcm_counter_table[256 + 3][16] __attribute__((aligned(64)));

#endif
