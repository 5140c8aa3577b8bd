/* SPDX-License-Identifier: Apache-2.0 */
#include "camellia_gfni512.h"

#include "../camellia_lanes.h"

TARGET void camellia_cbc_lanes_gfni512(struct wide_lanes *l, size_t num_blocks)
{
    camellia_lanes(l, num_blocks, 0);
    _mm256_zeroupper();
}
