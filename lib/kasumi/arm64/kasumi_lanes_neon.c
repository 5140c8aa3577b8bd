/* SPDX-License-Identifier: Apache-2.0 */
#include "../../des/arm64/des_vec_neon.h"

#include "../kasumi_lanes_kernel.h"
