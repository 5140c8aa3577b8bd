/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-SHA-256 in sixteen lanes, with the rotations and
 * three-operand logic of AVX-512. */
#include "../hmac_iterate.h"
#include "../sha2.h"

#define WORD_BITS 32
#include "vec_avx512.h"

#include "../sha256_compress.h"

#include "../hmac_iterate_lanes.h"

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void sha256_iterate_avx512(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
    leave();
}
