/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a group of lanes as its kernel sees them: vectors with a digit of 52 bits of each
 * lane, a tile of ten digits for eight limbs.  R is 2^(520 tiles). */
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

/* Where vectors begin. */
enum {
    LANES_V = 0, /* 0, and the digits of n (-1/n mod 2^52) but the lowest */
    LANES_W = LANES_V + LANES_DIGITS + 1, /* digits of n */
    LANES_K = LANES_W + LANES_DIGITS + 1, /* -1/n mod 2^52 */
    LANES_U,                              /* for the kernel */
    LANES_POWER = LANES_U + LANES_DIGITS,
    LANES_FACTOR = LANES_POWER + LANES_DIGITS,
    LANES_TABLE = LANES_FACTOR + LANES_DIGITS, /* for each digit those of all powers */
    LANES_WORDS = LANES_TABLE + LANES_DIGITS * LANES_POWERS,
    LANES_HALF_WORDS = LANES_TABLE + LANES_DIGITS / 2 * LANES_POWERS, /* enough for half as long */
};

#endif
