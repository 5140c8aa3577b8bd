/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 for multipliers of 52 by 52 bits in eight lanes.  The method is that of
 * poly1305_words.h, with limbs of 52, 52 and 26 bits, and pieces of the message at 2^0, 2^52 and
 * 2^104. */
#ifndef HR_POLY1305_IFMA_H
#define HR_POLY1305_IFMA_H

#include "poly1305.h"

enum { IFMA_LANES = 8, IFMA_GROUPS = 8 };

/* The layout of poly1305_key.powers: rows of three limbs, one row for each place of a piece. */
struct poly1305_ifma {
    uint64_t rows[IFMA_GROUPS + 1][9];         /* r^(8 j) */
    alignas(64) uint64_t lanes[9][IFMA_LANES]; /* r^8, r^4, r^7, r^3, r^6, r^2, r^5, r */
};
static_assert(sizeof(struct poly1305_ifma) <= POLY1305_WORDS * 8, "room in a key");

poly1305_setup_fn poly1305_setup_ifma;

#endif
