/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec_neon.h"

#include "../aes_xts_soft.h"
