/* SPDX-License-Identifier: Apache-2.0 */
#include "gcm_polynomial.h"

#define IN_BOTH_HALVES          \
    {                           \
        [7] = 0xc2, [15] = 0xc2 \
    }
const uint8_t gcm_polynomial_table[4][16] = { IN_BOTH_HALVES, IN_BOTH_HALVES, IN_BOTH_HALVES,
                                              IN_BOTH_HALVES };
