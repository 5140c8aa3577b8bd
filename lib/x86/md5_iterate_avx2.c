/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-MD5's chain in eight lanes: AVX2. */
#include "../hmac_iterate.h"

#define WORD_BITS 32
#include "vec_avx2.h"

#include "../md5_compress.h"
#define compress(s, w) compress_halves((vec(*)[STATE_WORDS])(s), (const vec(*)[16])(w))

#include "../hmac_iterate_lanes.h"

/* As many times as iterations: u = HMAC(u), t = t ^ u, in every live lane of l. */
TARGET void md5_iterate_avx2(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
    leave();
}
