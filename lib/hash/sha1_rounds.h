/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1's rounds in general registers (FIPS 180-4 sections 4.1.1 and 6.1.2).  The chain from a to
 * the next a consists of a rotation and an addition only: older values are added before, and b,
 * which is the a of the round before, enters the functions late.  Maj is computed as a sum of two
 * terms that have no bit in common. */
#ifndef HR_SHA1_ROUNDS_H
#define HR_SHA1_ROUNDS_H

#include <stdint.h>

/* Returns x + y; the compiler may not reorder this addition with others. */
static inline __attribute__((always_inline)) uint32_t plus(uint32_t x, uint32_t y)
{
    x += y;
    __asm__("" : "+r"(x));
    return x;
}

/* Returns x ^ y; the compiler may not reorder this operation with others. */
static inline __attribute__((always_inline)) uint32_t differ(uint32_t x, uint32_t y)
{
    x ^= y;
    __asm__("" : "+r"(x));
    return x;
}

#define CH(e, b, c, d) plus(e, (differ(c, d) & b) ^ d)
#define PARITY(e, b, c, d) plus(e, differ(c, d) ^ b)
#define MAJ(e, b, c, d) plus(plus(e, (c) & (d)), differ(c, d) & b)

#define ROUND(f, a, b, c, d, e, x)  \
    do {                            \
        e = f(plus(e, x), b, c, d); \
        e = plus(e, rotr32(a, 27)); \
        b = rotr32(b, 2);           \
    } while (0)

/* Five rounds; WORD(t) is word t plus its constant. */
#define ROUNDS5(f, t, WORD)                   \
    do {                                      \
        ROUND(f, a, b, c, d, e, WORD(t));     \
        ROUND(f, e, a, b, c, d, WORD(t + 1)); \
        ROUND(f, d, e, a, b, c, WORD(t + 2)); \
        ROUND(f, c, d, e, a, b, WORD(t + 3)); \
        ROUND(f, b, c, d, e, a, WORD(t + 4)); \
    } while (0)
#define ROUNDS20(f, t, WORD)      \
    do {                          \
        ROUNDS5(f, t, WORD);      \
        ROUNDS5(f, t + 5, WORD);  \
        ROUNDS5(f, t + 10, WORD); \
        ROUNDS5(f, t + 15, WORD); \
    } while (0)
#define ROUNDS80(WORD)              \
    do {                            \
        ROUNDS20(CH, 0, WORD);      \
        ROUNDS20(PARITY, 20, WORD); \
        ROUNDS20(MAJ, 40, WORD);    \
        ROUNDS20(PARITY, 60, WORD); \
    } while (0)

#endif
