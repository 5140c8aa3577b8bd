/* SPDX-License-Identifier: Apache-2.0 */
/* The 24 rounds of Keccak-f[1600], FIPS 202 sections 3.2 and 3.3.  There is no include guard
 * needed: a file includes this header once, after it has defined `lane`, the type of a lane or of a
 * vector with one lane of each state; ROL(x, n); XOR3(x, y, z); CHI(x, y, z), x ^ (~y & z);
 * SPREAD(word), a lane of the word's value; and TARGET.  Lane (x, y) of a state is a[x + 5y]. */
#ifndef HR_KECCAK_ROUNDS_H
#define HR_KECCAK_ROUNDS_H

#include "keccak.h"

#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif

/* Theta's column parities, and from them the value that it adds to each lane of a column. */
#define PARITY(a, x) XOR3(XOR3((a)[x], (a)[(x) + 5], (a)[(x) + 10]), (a)[(x) + 15], (a)[(x) + 20])
INLINE TARGET void theta(lane d[5], const lane a[25])
{
    const lane c0 = PARITY(a, 0), c1 = PARITY(a, 1), c2 = PARITY(a, 2);
    const lane c3 = PARITY(a, 3), c4 = PARITY(a, 4);
    d[0] = c4 ^ ROL(c1, 1);
    d[1] = c0 ^ ROL(c2, 1);
    d[2] = c1 ^ ROL(c3, 1);
    d[3] = c2 ^ ROL(c4, 1);
    d[4] = c3 ^ ROL(c0, 1);
}

/* Row y of the state after theta, rho, pi and chi.  It is made of five lanes, which were in five
 * rows before. */
#define MOVED(i, n) ROL(a[i] ^ d[(i) % 5], n)
INLINE TARGET void chi_row(lane e[5], lane b0, lane b1, lane b2, lane b3, lane b4)
{
    e[0] = CHI(b0, b1, b2);
    e[1] = CHI(b1, b2, b3);
    e[2] = CHI(b2, b3, b4);
    e[3] = CHI(b3, b4, b0);
    e[4] = CHI(b4, b0, b1);
}

/* One round, from `a` to `e`.  `constant` is iota's. */
INLINE TARGET void keccak_round(lane e[25], const lane a[25], lane constant)
{
    lane d[5];
    theta(d, a);
    chi_row(e, a[0] ^ d[0], MOVED(6, 44), MOVED(12, 43), MOVED(18, 21), MOVED(24, 14));
    e[0] ^= constant;
    chi_row(e + 5, MOVED(3, 28), MOVED(9, 20), MOVED(10, 3), MOVED(16, 45), MOVED(22, 61));
    chi_row(e + 10, MOVED(1, 1), MOVED(7, 6), MOVED(13, 25), MOVED(19, 8), MOVED(20, 18));
    chi_row(e + 15, MOVED(4, 27), MOVED(5, 36), MOVED(11, 10), MOVED(17, 15), MOVED(23, 56));
    chi_row(e + 20, MOVED(2, 62), MOVED(8, 55), MOVED(14, 39), MOVED(15, 41), MOVED(21, 2));
}

INLINE TARGET void keccak_rounds(lane a[25])
{
    lane e[25];
    for (size_t i = 0; i < 24; i += 2) {
        keccak_round(e, a, SPREAD(keccak_k[i]));
        keccak_round(a, e, SPREAD(keccak_k[i + 1]));
    }
}

#endif
