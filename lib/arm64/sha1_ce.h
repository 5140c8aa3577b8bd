/* SPDX-License-Identifier: Apache-2.0 */
/* The SHA-1 instructions of arm64 (Arm Architecture Reference Manual for A-profile, C7).  Not
 * intrinsics: clang 14 declares them only under -march. */
#ifndef HR_SHA1_CE_H
#define HR_SHA1_CE_H

#include "../sha1.h"
#include <arm_neon.h>

#if defined(__clang__) /* 14, which has no + */
#define TARGET_SHA1 __attribute__((target("sha2")))
#else
#define TARGET_SHA1 __attribute__((target("+crypto")))
#endif
#define SHA1_INLINE static inline __attribute__((always_inline)) TARGET_SHA1

/* Four rounds with Ch, Parity or Maj: a to d, e, four words plus constants. */
#define SHA1_ROUNDS(name)                                                     \
    SHA1_INLINE uint32x4_t name(uint32x4_t abcd, uint32x4_t e, uint32x4_t wk) \
    {                                                                         \
        __asm__(#name " %q0, %s1, %2.4s" : "+w"(abcd) : "w"(e), "w"(wk));     \
        return abcd;                                                          \
    }
SHA1_ROUNDS(sha1c)
SHA1_ROUNDS(sha1p)
SHA1_ROUNDS(sha1m)

/* The e of four rounds later, from a; both lowest in vectors, where they stay. */
SHA1_INLINE uint32x4_t sha1h(uint32x4_t a)
{
    uint32x4_t e;
    __asm__("sha1h %s0, %s1" : "=w"(e) : "w"(a));
    return e;
}

SHA1_INLINE uint32x4_t sha1su0(uint32x4_t x, uint32x4_t y, uint32x4_t z)
{
    __asm__("sha1su0 %0.4s, %1.4s, %2.4s" : "+w"(x) : "w"(y), "w"(z));
    return x;
}

SHA1_INLINE uint32x4_t sha1su1(uint32x4_t x, uint32x4_t y)
{
    __asm__("sha1su1 %0.4s, %1.4s" : "+w"(x) : "w"(y));
    return x;
}

#endif
