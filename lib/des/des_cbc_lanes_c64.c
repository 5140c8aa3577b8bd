/* SPDX-License-Identifier: Apache-2.0 */
#include "des_vec_c64.h"

#define ONE_WORD
#include "des_lanes.h"

TARGET void KERNEL(des_cbc_lanes)(struct wide_lanes *l, size_t num_blocks)
{
    des_lanes(l, num_blocks, 0);
}
