/* SPDX-License-Identifier: Apache-2.0 */
#include "des_vec_avx2.h"

#include "../des_ctr_slice.h"
