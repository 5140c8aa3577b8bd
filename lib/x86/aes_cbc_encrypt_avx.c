/* SPDX-License-Identifier: Apache-2.0 */
/* AES-NI in VEX encoding: fewer micro-operations, so more short messages at once in the core. */
#include "aes_x86.h"

#define KERNEL(stem) stem##_avx
#define TARGET LEAF __attribute__((target("aes,avx")))
#include "aes_cbc_encrypt.h"
