/* SPDX-License-Identifier: Apache-2.0 */
#include "../../des/x86/des_vec_avx512.h"

#include "../kasumi_lanes_kernel.h"
