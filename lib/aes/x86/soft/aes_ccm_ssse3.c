/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec_ssse3.h"

#include "../../ccm_soft.h"
