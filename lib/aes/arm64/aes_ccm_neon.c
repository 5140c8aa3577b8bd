/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec_neon.h"

#include "../ccm_soft.h"
