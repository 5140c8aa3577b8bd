/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-sliced DES of 64 blocks at a time, portable. */
#include "des_vec_c64.h"

#include "des_cbc_decrypt_slice.h"
#include "des_cfb_decrypt_slice.h"
#include "des_ctr_slice.h"
#include "des_ecb_slice.h"
