/* SPDX-License-Identifier: Apache-2.0 */
/* Camellia on eight blocks at once, bit-sliced in two times eight 64-bit planes, without tables
 * (camellia_bitslice.c). */
#ifndef HR_CAMELLIA_BITSLICE_H
#define HR_CAMELLIA_BITSLICE_H

#include "camellia.h"

enum { CAMELLIA_BLOCKS = 8, CAMELLIA_LEN = 16 * CAMELLIA_BLOCKS };

/* Encrypts or decrypts eight blocks in place. */
void camellia_sliced(uint8_t blocks[CAMELLIA_LEN], const struct camellia_key *key, enum hr_op op);

/* The F-function, RFC 3713 section 2.4.1. */
uint64_t camellia_f(uint64_t x, uint64_t k);

#endif
