/* SPDX-License-Identifier: Apache-2.0 */
#include "gcm_counter.h"

#define COUNTERS_4(n) COUNTER(n), COUNTER((n) + 1), COUNTER((n) + 2), COUNTER((n) + 3)
#define COUNTERS_16(n) COUNTERS_4(n), COUNTERS_4((n) + 4), COUNTERS_4((n) + 8), COUNTERS_4((n) + 12)
#define COUNTERS_64(n) \
    COUNTERS_16(n), COUNTERS_16((n) + 16), COUNTERS_16((n) + 32), COUNTERS_16((n) + 48)

const uint8_t gcm_counter_table[2 + 256 + 3][16] = {
    COUNTER(0),       COUNTER(0), COUNTERS_64(0), COUNTERS_64(64), COUNTERS_64(128),
    COUNTERS_64(192), COUNTER(0), COUNTER(1),     COUNTER(2),
};
