/* SPDX-License-Identifier: Apache-2.0 */
/* CT_SECRET marks the place where a secret comes into being, CT_PUBLIC the place where a value
 * derived from it may be looked at, WIPE the place where it ends.  With HR_CT_VALGRIND, memcheck
 * treats secrets as undefined and so reports every branch and index that depends on one
 * (tests/ct.c); otherwise CT_SECRET and CT_PUBLIC do nothing. */
#ifndef HR_SECRET_H
#define HR_SECRET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef HR_CT_VALGRIND
#include <valgrind/memcheck.h>
#define CT_SECRET(p, len) ((void)VALGRIND_MAKE_MEM_UNDEFINED(p, len))
#define CT_PUBLIC(p, len) ((void)VALGRIND_MAKE_MEM_DEFINED(p, len))
#else
#define CT_SECRET(p, len) ((void)(p), (void)(len))
#define CT_PUBLIC(p, len) ((void)(p), (void)(len))
#endif

/* Zeroes *object in a way that the compiler does not remove.  It writes 64 bytes at a time: for
 * more, gcc uses a string instruction, which takes longer than a short message. */
#define WIPE(object) wipe_bytes((object), sizeof *(object))

static inline void wipe_bytes(void *p, size_t len)
{
    uint8_t *at = p;
    for (; len > 64; at += 64, len -= 64) {
        memset(at, 0, 64);
        __asm__ volatile("" : : "r"(at) : "memory");
    }
    memset(at, 0, len);
    __asm__ volatile("" : : "r"(at) : "memory");
}

/* Hides from the compiler that a mask has only two values, so that the compiler does not turn it
 * into a branch. */
static inline uint32_t ct_hide(uint32_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* ct_is_zero(), ct_eq() and ct_lt() return all ones if the condition holds, else zero; operands of
 * ct_lt() are below 2^31.  ct_select() returns the bits of a where the mask has ones, else of b. */
static inline uint32_t ct_is_zero(uint32_t x)
{
    return ct_hide((x | (0 - x)) >> 31) - 1;
}
static inline uint32_t ct_eq(uint32_t a, uint32_t b)
{
    return ct_is_zero(a ^ b);
}
static inline uint32_t ct_lt(uint32_t a, uint32_t b)
{
    return 0 - ct_hide((a - b) >> 31);
}
static inline uint32_t ct_select(uint32_t mask, uint32_t a, uint32_t b)
{
    return (a & mask) | (b & ~mask);
}

#endif
