/* SPDX-License-Identifier: Apache-2.0 */
/* Poly1305 for multipliers of 32 by 32 bits in lanes.
 *
 * The message need not be split into limbs: its 32-bit words are multiplied as they are.  For a
 * word at 2^(32 a), the key has the power of r times 2^(32 a), modulo 2^130 - 5, in five limbs of
 * 26 bits.  So all products of a block, and of many blocks, are added to the same five sums of 64
 * bits, and a turn of 64 blocks needs one carry.  Each lane has every eighth block; the 2^128 of
 * all blocks are a constant that is added once a turn. */
#ifndef HR_POLY1305_WORDS_H
#define HR_POLY1305_WORDS_H

#include "poly1305.h"

enum { WORDS_LANES = 8, WORDS_GROUPS = 8 };

/* The layout of poly1305_key.powers. */
struct poly1305_words {
    uint32_t rows[WORDS_GROUPS][5][5];  /* r^(8 j) 2^(32 a) */
    uint32_t sums[WORDS_GROUPS + 1][5]; /* sum of 2^128 r^(8 i) for i < j; limbs below 2^29 */
    uint32_t turn[2][5];                /* r^64, and five times its limbs */
    uint32_t lanes[5][WORDS_LANES];     /* r^8, r^4, r^7, r^3, r^6, r^2, r^5, r: in the order in
                                         * which loaded vectors are unpacked */
};
static_assert(sizeof(struct poly1305_words) <= POLY1305_WORDS * 8, "room in a key");

poly1305_setup_fn poly1305_setup_words;

#endif
