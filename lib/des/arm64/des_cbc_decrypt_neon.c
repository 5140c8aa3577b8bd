/* SPDX-License-Identifier: Apache-2.0 */
#include "des_vec_neon.h"

#include "../des_cbc_decrypt_slice.h"
