/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-MD5 in four lanes, with NEON. */
#include "../hmac_iterate.h"

#define WORD_BITS 32
#include "vec_neon.h"

#include "../md5_compress.h"
#define compress(s, w) compress_halves((vec(*)[STATE_WORDS])(s), (const vec(*)[16])(w))

#include "../hmac_iterate_lanes.h"

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
void md5_iterate_neon(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
}
