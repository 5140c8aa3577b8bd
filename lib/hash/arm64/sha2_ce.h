/* SPDX-License-Identifier: Apache-2.0 */
/* The SHA-2 instructions of arm64 (Arm Architecture Reference Manual for A-profile, C7) as
 * functions.  Intrinsics are not used, because clang 14 declares them only under -march. */
#ifndef HR_SHA2_CE_H
#define HR_SHA2_CE_H

#include "../sha2.h"
#include <arm_neon.h>

#if defined(__clang__) /* clang 14 accepts neither + nor arch= */
#define TARGET_SHA256 __attribute__((target("sha2")))
#define TARGET_SHA512 __attribute__((target("sha3")))
#else
#define TARGET_SHA256 __attribute__((target("+crypto")))
#define TARGET_SHA512 __attribute__((target("arch=armv8.2-a+sha3")))
#endif

/* SHA2_TWO and SHA2_THREE define an instruction of two or three operands as a function of the same
 * name; x is the old value of the destination register. */
#define SHA2_TWO(target, name, type, operands)                                    \
    static inline __attribute__((always_inline)) target type name(type x, type y) \
    {                                                                             \
        __asm__(#name " " operands : "+w"(x) : "w"(y));                           \
        return x;                                                                 \
    }
#define SHA2_THREE(target, name, type, operands)                                          \
    static inline __attribute__((always_inline)) target type name(type x, type y, type z) \
    {                                                                                     \
        __asm__(#name " " operands : "+w"(x) : "w"(y), "w"(z));                           \
        return x;                                                                         \
    }

/* Computes four rounds; wk is four words plus constants.  SHA256H2 needs abcd as it was before
 * SHA256H. */
static inline __attribute__((always_inline)) TARGET_SHA256 void
sha256h(uint32x4_t *abcd, uint32x4_t *efgh, uint32x4_t wk)
{
    uint32x4_t old;
    __asm__("mov %2.16b, %0.16b\n\tsha256h %q0, %q1, %3.4s\n\tsha256h2 %q1, %q2, %3.4s"
            : "+w"(*abcd), "+w"(*efgh), "=&w"(old)
            : "w"(wk));
}
SHA2_TWO(TARGET_SHA256, sha256su0, uint32x4_t, "%0.4s, %1.4s")
SHA2_THREE(TARGET_SHA256, sha256su1, uint32x4_t, "%0.4s, %1.4s, %2.4s")

SHA2_THREE(TARGET_SHA512, sha512h, uint64x2_t, "%q0, %q1, %2.2d")
SHA2_THREE(TARGET_SHA512, sha512h2, uint64x2_t, "%q0, %q1, %2.2d")
SHA2_TWO(TARGET_SHA512, sha512su0, uint64x2_t, "%0.2d, %1.2d")
SHA2_THREE(TARGET_SHA512, sha512su1, uint64x2_t, "%0.2d, %1.2d, %2.2d")

#endif
