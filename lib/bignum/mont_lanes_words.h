/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a group of lanes as its kernel sees them, in digits of 52 bits; R is
 * 2^(52 digits).  In lanes, a digit of each is in one vector, and a tile of ten digits is for eight
 * limbs.  In rows, the digits of a number follow one another, and one row the other. */
#ifndef HR_MONT_LANES_WORDS_H
#define HR_MONT_LANES_WORDS_H

#include "mont_lanes.h"

enum {
    LANES_DIGIT = 52,
    LANES_TILE = 10,
    LANES_TILE_LIMBS = 8,
    LANES_DIGITS = LANES_TILE * MONT_LANES_LIMBS / LANES_TILE_LIMBS,
    LANES_WINDOW = 4, /* bits of an exponent */
    LANES_POWERS = 1 << LANES_WINDOW,
};
#define LANES_MASK ((UINT64_C(1) << LANES_DIGIT) - 1)

/* Where vectors begin; in rows, where words do, of which eight make a vector. */
enum {
    LANES_V = 7, /* digits of n (-1/n mod 2^52) + 1, of which the lowest is 0 */
    LANES_W = LANES_V + LANES_DIGITS + 1, /* digits of n */
    LANES_K = LANES_W + LANES_DIGITS + 1, /* -1/n mod 2^52 */
    LANES_POWER = LANES_K + 7,
    LANES_FACTOR = LANES_POWER + LANES_DIGITS,
    LANES_U = LANES_FACTOR + LANES_DIGITS, /* for the kernel */
    /* In lanes, for each digit those of all powers; in rows, for each power its digits. */
    LANES_TABLE = LANES_U + LANES_DIGITS,
    LANES_WORDS = LANES_TABLE + LANES_DIGITS * LANES_POWERS,
    LANES_HALF_WORDS = LANES_TABLE + LANES_DIGITS / 2 * LANES_POWERS, /* enough for half as long */
};

#endif
