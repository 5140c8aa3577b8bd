/* SPDX-License-Identifier: Apache-2.0 */
/* AES-NI in VEX encoding, which needs fewer micro-operations. */
#include "aes_x86.h"

#define KERNEL(stem) stem##_avx
#define TARGET LEAF __attribute__((target("aes,avx")))
#include "aes_ccm.h"
