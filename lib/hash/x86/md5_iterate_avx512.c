/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2's chain (hmac_iterate.h) with HMAC-MD5 in sixteen lanes, with the rotations and
 * three-operand logic of AVX-512. */
#include "../hmac_iterate.h"

#define WORD_BITS 32
#include "vec_avx512.h"

#include "../md5_compress.h"
#define compress(s, w) compress_halves((vec(*)[STATE_WORDS])(s), (const vec(*)[16])(w))

#include "../hmac_iterate_lanes.h"

/* Computes u = HMAC(u), t = t ^ u `iterations` times in every live lane of l. */
TARGET void md5_iterate_avx512(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
    leave();
}
