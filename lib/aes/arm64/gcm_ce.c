/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec_ce.h"

INLINE TARGET block xor3(block a, block b, block c)
{
    return xor16(xor16(a, b), c);
}

#include "gcm_ce.h"
