/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec128.h"

#include "../aes_cfb_decrypt.h"
