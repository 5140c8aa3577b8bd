/* SPDX-License-Identifier: Apache-2.0 */
/* Multiples of the base point by a table: scalar B is the sum of d_i 32^i B, where the digits d_i
 * are -16 to 15, and the table has j 32^i B for j of 1 to 16. */
#ifndef HR_ED25519_COMB_H
#define HR_ED25519_COMB_H

#include "ed25519.h"

enum { COMB_WINDOWS = 52, COMB_ENTRIES = 16 };

/* [i][j - 1] is j 32^i B as y - x, x + y, 2 d x y, four words each. */
extern const uint64_t ed25519_comb_table[COMB_WINDOWS][COMB_ENTRIES][12];

/* A digit as its absolute value, and ones if it is negative. */
struct comb_digit {
    uint64_t abs, negative;
};

static inline void comb_digits(struct comb_digit out[COMB_WINDOWS], const uint64_t scalar[4])
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < COMB_WINDOWS; i++) {
        const unsigned word = 5 * i / 64, shift = 5 * i % 64;
        uint64_t bits = scalar[word] >> shift;
        if (shift > 59 && word < 3)
            bits |= scalar[word + 1] << (64 - shift);
        const uint64_t d = (bits & 31) + carry;
        carry = (d + 16) >> 5;
        out[i].negative = 0 - carry;
        out[i].abs = (d ^ out[i].negative) + carry + (carry << 5);
    }
}

#endif
