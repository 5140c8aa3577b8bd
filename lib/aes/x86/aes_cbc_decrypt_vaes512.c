/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_vec512.h"

#include "../aes_cbc_decrypt.h"
