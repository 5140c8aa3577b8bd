/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512's rounds in general registers (FIPS 180-4 section 6.4.2), words plus constants from
 * memory.  Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, where b ^ c is the last round's a ^ b. */
#ifndef HR_SHA512_ROUNDS_H
#define HR_SHA512_ROUNDS_H

#include "../bytes.h"

/* x + y, in this order of sums. */
static inline __attribute__((always_inline)) uint64_t plus(uint64_t x, uint64_t y)
{
    x += y;
    __asm__("" : "+r"(x));
    return x;
}

/* The words go to the general registers through memory: extracting them costs vector ports. */
#define IN_MEMORY() __asm__ volatile("" : : : "memory")

/* The new e is (d + h + word) + Ch + Sigma1, in which only the last sum waits for Sigma1: one
 * addition more, one less in the chain from e to e. */
#define ROUND(a, b, c, d, e, f, g, h, x)                                       \
    do {                                                                       \
        const uint64_t ch = ((f ^ g) & e) ^ g;                                 \
        const uint64_t sigma1 = rotr64(e, 14) ^ rotr64(e, 18) ^ rotr64(e, 41); \
        h = plus(h, x);                                                        \
        d = plus(plus(plus(d, h), ch), sigma1);                                \
        h = plus(plus(h, ch), sigma1);                                         \
        const uint64_t ab = a ^ b, maj = (ab & bc) ^ b;                        \
        bc = ab;                                                               \
        h = plus(h, plus(maj, rotr64(a, 28) ^ rotr64(a, 34) ^ rotr64(a, 39))); \
    } while (0)

/* Two rounds with the words of vector i of `now`, then MORE. */
#define WORD(now, i, lane, j) ((const uint64_t *)&(now)[i])[2 * (lane) + (j)]
#define ROUNDS16(now, lane, MORE)                             \
    do {                                                      \
        ROUND(a, b, c, d, e, f, g, h, WORD(now, 0, lane, 0)); \
        ROUND(h, a, b, c, d, e, f, g, WORD(now, 0, lane, 1)); \
        MORE(0)                                               \
        ROUND(g, h, a, b, c, d, e, f, WORD(now, 1, lane, 0)); \
        ROUND(f, g, h, a, b, c, d, e, WORD(now, 1, lane, 1)); \
        MORE(1)                                               \
        ROUND(e, f, g, h, a, b, c, d, WORD(now, 2, lane, 0)); \
        ROUND(d, e, f, g, h, a, b, c, WORD(now, 2, lane, 1)); \
        MORE(2)                                               \
        ROUND(c, d, e, f, g, h, a, b, WORD(now, 3, lane, 0)); \
        ROUND(b, c, d, e, f, g, h, a, WORD(now, 3, lane, 1)); \
        MORE(3)                                               \
        ROUND(a, b, c, d, e, f, g, h, WORD(now, 4, lane, 0)); \
        ROUND(h, a, b, c, d, e, f, g, WORD(now, 4, lane, 1)); \
        MORE(4)                                               \
        ROUND(g, h, a, b, c, d, e, f, WORD(now, 5, lane, 0)); \
        ROUND(f, g, h, a, b, c, d, e, WORD(now, 5, lane, 1)); \
        MORE(5)                                               \
        ROUND(e, f, g, h, a, b, c, d, WORD(now, 6, lane, 0)); \
        ROUND(d, e, f, g, h, a, b, c, WORD(now, 6, lane, 1)); \
        MORE(6)                                               \
        ROUND(c, d, e, f, g, h, a, b, WORD(now, 7, lane, 0)); \
        ROUND(b, c, d, e, f, g, h, a, WORD(now, 7, lane, 1)); \
        MORE(7)                                               \
    } while (0)
#endif
