/* SPDX-License-Identifier: Apache-2.0 */
#include "des_vec_avx512.h"

#include "../des_cfb_decrypt_slice.h"
