/* SPDX-License-Identifier: Apache-2.0 */
/* GCM with EOR3 of FEAT_SHA3, the XOR of three vectors. */
#define KERNEL(stem) stem##_eor3
#if defined(__clang__) /* clang 14 does not accept the + */
#define TARGET LEAF __attribute__((target("aes,sha3")))
#else
#define TARGET LEAF __attribute__((target("arch=armv8.2-a+crypto+sha3")))
#endif
#include "aes_vec_ce.h"

INLINE TARGET block xor3(block a, block b, block c)
{
    block sum;
    __asm__("eor3 %0.16b, %1.16b, %2.16b, %3.16b" : "=w"(sum) : "w"(a), "w"(b), "w"(c));
    return sum;
}

#include "gcm_ce.h"
