/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-1 in four lanes, with NEON. */
#include "../hmac_iterate.h"

#define WORD_BITS 32
#include "vec_neon.h"

#include "../sha1_compress.h"

#include "../hmac_iterate_lanes.h"

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
void sha1_iterate_neon(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
}
