/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA-1's chain in sixteen lanes: rotations and three-operand logic of AVX-512. */
#include "../hmac_iterate.h"
#include "../sha1.h"

#define WORD_BITS 32
#include "vec_avx512.h"

#include "../sha1_compress.h"

#include "../hmac_iterate_lanes.h"

TARGET void sha1_iterate_avx512(struct hmac_lanes *l, uint64_t iterations)
{
    hmac_iterate(l, iterations);
    leave();
}
