/* SPDX-License-Identifier: Apache-2.0 */
#include "../../des/x86/des_vec_avx2.h"

#include "../kasumi_lanes_kernel.h"
