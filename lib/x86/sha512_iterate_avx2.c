/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA-512's chain in four lanes: AVX2. */
#include "../hmac_iterate.h"
#include "../sha2.h"

#define WORD_BITS 64
#include "vec_avx2.h"

#include "../sha512_compress.h"

#include "../hmac_iterate_lanes.h"

/* As many times as iterations: u = HMAC(u), t = t ^ u, in every live lane of l. */
TARGET void sha512_iterate_avx2(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
    leave();
}
