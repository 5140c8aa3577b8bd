/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-2's rounds in general registers (FIPS 180-4 sections 6.2.2 and 6.4.2).  The file that
 * includes this one first defines `word`, BIG_SIGMA0 and BIG_SIGMA1.  Maj(a, b, c) = ((a ^ b) & (b
 * ^ c)) ^ b, where b ^ c is a ^ b of the round before. */
#ifndef HR_SHA2_ROUNDS_H
#define HR_SHA2_ROUNDS_H

/* Returns x + y; the compiler may not reorder this addition with others. */
static inline __attribute__((always_inline)) word plus(word x, word y)
{
    x += y;
    __asm__("" : "+r"(x));
    return x;
}

/* The file that includes this one defines SUM as one of two ways to add to d and h what e and a
 * have in common, h + word + Ch + Sigma1.  SHORT_SUM makes the new e as (d + h + word) + Ch +
 * Sigma1, so that only the last addition waits for Sigma1: the chain from e to the next e has an
 * addition less. FEW_SUM adds once for both, two additions less: where the message schedule takes
 * general registers too, the number of operations bounds a round, not the chain (on a Zen 4 6 % of
 * SHA-512). */
#define SHORT_SUM(d, h, x, ch, sigma1)      \
    h = plus(h, x);                         \
    d = plus(plus(plus(d, h), ch), sigma1); \
    h = plus(plus(h, ch), sigma1)
#define FEW_SUM(d, h, x, ch, sigma1)        \
    h = plus(plus(plus(h, x), ch), sigma1); \
    d = plus(d, h)

#define ROUND(a, b, c, d, e, f, g, h, x)                           \
    do {                                                           \
        const word ch = ((f ^ g) & e) ^ g, sigma1 = BIG_SIGMA1(e); \
        SUM(d, h, x, ch, sigma1);                                  \
        const word ab = a ^ b, maj = (ab & bc) ^ b;                \
        bc = ab;                                                   \
        h = plus(h, plus(maj, BIG_SIGMA0(a)));                     \
    } while (0)

/* Sixteen rounds; WORD(t) is a word plus its constant, and MORE(t) is executed after each round. */
#define ROUNDS16(WORD, MORE)                     \
    do {                                         \
        ROUND(a, b, c, d, e, f, g, h, WORD(0));  \
        MORE(0);                                 \
        ROUND(h, a, b, c, d, e, f, g, WORD(1));  \
        MORE(1);                                 \
        ROUND(g, h, a, b, c, d, e, f, WORD(2));  \
        MORE(2);                                 \
        ROUND(f, g, h, a, b, c, d, e, WORD(3));  \
        MORE(3);                                 \
        ROUND(e, f, g, h, a, b, c, d, WORD(4));  \
        MORE(4);                                 \
        ROUND(d, e, f, g, h, a, b, c, WORD(5));  \
        MORE(5);                                 \
        ROUND(c, d, e, f, g, h, a, b, WORD(6));  \
        MORE(6);                                 \
        ROUND(b, c, d, e, f, g, h, a, WORD(7));  \
        MORE(7);                                 \
        ROUND(a, b, c, d, e, f, g, h, WORD(8));  \
        MORE(8);                                 \
        ROUND(h, a, b, c, d, e, f, g, WORD(9));  \
        MORE(9);                                 \
        ROUND(g, h, a, b, c, d, e, f, WORD(10)); \
        MORE(10);                                \
        ROUND(f, g, h, a, b, c, d, e, WORD(11)); \
        MORE(11);                                \
        ROUND(e, f, g, h, a, b, c, d, WORD(12)); \
        MORE(12);                                \
        ROUND(d, e, f, g, h, a, b, c, WORD(13)); \
        MORE(13);                                \
        ROUND(c, d, e, f, g, h, a, b, WORD(14)); \
        MORE(14);                                \
        ROUND(b, c, d, e, f, g, h, a, WORD(15)); \
        MORE(15);                                \
    } while (0)

#endif
