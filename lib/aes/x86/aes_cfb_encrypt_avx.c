/* SPDX-License-Identifier: Apache-2.0 */
/* AES-NI in VEX encoding.  It needs fewer micro-operations, so more short messages are in the core
 * at once. */
#include "aes_x86.h"

#define KERNEL(stem) stem##_avx
#define TARGET LEAF __attribute__((target("aes,avx")))
#include "aes_cfb_encrypt.h"
