/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec_avx2.h"

#include "../../ccm_soft.h"
