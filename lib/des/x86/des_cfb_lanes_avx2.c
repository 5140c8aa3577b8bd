/* SPDX-License-Identifier: Apache-2.0 */
#include "des_vec_avx2.h"

#include "../des_lanes.h"

TARGET void KERNEL(des_cfb_lanes)(struct wide_lanes *l, size_t num_blocks)
{
    des_lanes(l, num_blocks, 1);
}
