/* SPDX-License-Identifier: Apache-2.0
 *
 * S-box 1 of DES, alone and joined with the permutation P (FIPS 46-3, appendix 1).
 */
#include "constants_private.h"

static const uint8_t s1[4][16] = {
    { 14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7 },
    { 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8 },
    { 4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0 },
    { 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13 },
};

/* The S-box output for six input bits; the outer two bits choose the row. */
static unsigned substitute(unsigned six)
{
    return s1[(six >> 4 & 2) | (six & 1)][six >> 1 & 15];
}

static unsigned reverse6(unsigned six)
{
    unsigned out = 0;
    for (unsigned i = 0; i < 6; i++)
        out |= (six >> i & 1) << (5 - i);
    return out;
}

/* Variant 0: in order of rows; 1: indexed by the six bits; 2: indexed by the six bits in reverse
 * order. */
void des_sbox_values(uint64_t *out, unsigned variant)
{
    for (unsigned i = 0; i < 64; i++)
        out[i] = variant == 0   ? s1[i / 16][i % 16]
                 : variant == 1 ? substitute(i)
                                : substitute(reverse6(i));
}

/* Where bits 1 to 4 of the 32-bit input of P appear in its output; bit 1 is the most significant
 * or the least significant bit. */
static const uint8_t places[4] = { 9, 17, 23, 31 };

/* Variant: the number of bits by which the word is rotated; + 32 if bits are counted from the
 * other end; + 64 if the six input bits are reversed. */
void des_sp_values(uint64_t *out, unsigned variant)
{
    const unsigned turn = variant % 32;
    for (unsigned i = 0; i < 64; i++) {
        const unsigned s = substitute(variant & 64 ? reverse6(i) : i);
        uint32_t word = 0;
        for (unsigned k = 0; k < 4; k++)
            if (s >> (3 - k) & 1)
                word |= (uint32_t)1 << (variant & 32 ? places[k] - 1 : 32 - places[k]);
        out[i] = (uint32_t)(word << turn | word >> (-turn & 31));
    }
}
