/* SPDX-License-Identifier: Apache-2.0 */
#include "../des/des_vec_c64.h"

#include "kasumi_lanes_kernel.h"
