/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_x86.h"

#define KERNEL(stem) stem##_aesni
#define TARGET TARGET_AESNI
#include "aes_cbc_encrypt.h"
