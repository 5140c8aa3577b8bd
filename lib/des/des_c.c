/* SPDX-License-Identifier: Apache-2.0 */
/* DES in portable C, in constant time, a block at a time: all eight boxes at once as a tree of
 * selections in words of 64 bits.  Each byte of a word belongs to one box and holds its four
 * outputs for each of two inputs, which differ in their first bit.  The leaves of the tree are
 * constants: word i has the outputs for the inputs i and i + 32.  The last bit of the inputs
 * selects among 32 words, the bit before it among 16 and so on, by masks whose byte is all ones if
 * the box's input has that bit; the first bit selects one half of each byte.  That is some 110
 * operations, and 40 for P and E, whose rotations are few because outputs may lie anywhere in their
 * half.  Bit-slicing 64 blocks takes less time for each block, but as long for one block as for 64.
 */
#include "des_boxes_mux.h"
#include "des_word.h"

#define DES_ISA c
enum { DES_WIDE = 2 };

static inline uint64_t des_e(uint64_t x);

/* Returns a byte of all ones for each box whose input has bit b. */
static inline uint64_t mask(uint64_t x, unsigned b)
{
    const uint64_t bits = x >> b & 0x0101010101010101;
    return (bits << 8) - bits;
}

static inline des_half des_f(des_half acc, des_half x)
{
    uint64_t t[16];
    uint64_t m = mask(x, 0);
    for (size_t i = 0; i < 16; i++)
        t[i] = des_even[i] ^ (des_differ[i] & m);
#pragma GCC unroll 4
    for (unsigned b = 1, half = 8; b < 5; b++, half /= 2) {
        m = mask(x, b);
#pragma GCC unroll 8
        for (size_t i = 0; i < half; i++)
            t[i] = t[2 * i] ^ ((t[2 * i] ^ t[2 * i + 1]) & m);
    }
    m = mask(x, 5);
    return acc ^ des_e(des_p(t[0] ^ ((t[0] ^ t[0] >> 4) & m)));
}

#include "des_modes.h"
