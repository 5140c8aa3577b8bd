/* SPDX-License-Identifier: Apache-2.0 */
/* DES (FIPS 46-3): its permutations, one round and the key schedule. Bits are numbered as in the
 * standard: 1 is the most significant. */
#include "../tools/gen/des_tables.h"
#include "sem.h"

static const uint8_t initial[64] = {
    58, 50, 42, 34, 26, 18, 10, 2,  60, 52, 44, 36, 28, 20, 12, 4,  62, 54, 46, 38, 30, 22,
    14, 6,  64, 56, 48, 40, 32, 24, 16, 8,  57, 49, 41, 33, 25, 17, 9,  1,  59, 51, 43, 35,
    27, 19, 11, 3,  61, 53, 45, 37, 29, 21, 13, 5,  63, 55, 47, 39, 31, 23, 15, 7,
};
static const uint8_t final[64] = {
    40, 8,  48, 16, 56, 24, 64, 32, 39, 7,  47, 15, 55, 23, 63, 31, 38, 6,  46, 14, 54, 22,
    62, 30, 37, 5,  45, 13, 53, 21, 61, 29, 36, 4,  44, 12, 52, 20, 60, 28, 35, 3,  43, 11,
    51, 19, 59, 27, 34, 2,  42, 10, 50, 18, 58, 26, 33, 1,  41, 9,  49, 17, 57, 25,
};
static const uint8_t expansion[48] = {
    32, 1,  2,  3,  4,  5,  4,  5,  6,  7,  8,  9,  8,  9,  10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
};
static const uint8_t p[32] = {
    16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
    2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25,
};
static const uint8_t choice1[56] = {
    57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
    35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
    46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4,
};
static const uint8_t choice2[48] = {
    14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,  26, 8,  16, 7,  27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
};
/* A permutation or selection: bit i of the result is bit table[i] of `in`, which has in_bits
 * bits. */
static uint64_t choose(uint64_t in, unsigned in_bits, const uint8_t *table, unsigned out_bits)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < out_bits; i++)
        out = out << 1 | (in >> (in_bits - table[i]) & 1);
    return out;
}

uint64_t sem_des_ip(uint64_t block)
{
    return choose(block, 64, initial, 64);
}

uint64_t sem_des_iip(uint64_t halves)
{
    return choose(halves << 32 | halves >> 32, 64, final, 64);
}

uint64_t sem_des_pc1(uint64_t key)
{
    return choose(key, 64, choice1, 56);
}

uint64_t sem_des_rotate(uint64_t cd, unsigned n)
{
    const uint32_t mask = 0xfffffff;
    const uint32_t c = cd >> 28 & mask, d = cd & mask;
    return (uint64_t)((c << n | c >> (28 - n)) & mask) << 28 | ((d << n | d >> (28 - n)) & mask);
}

uint64_t sem_des_round(uint64_t halves, uint64_t cd)
{
    const uint32_t left = (uint32_t)(halves >> 32), right = (uint32_t)halves;
    const uint64_t in = choose(right, 32, expansion, 48) ^ choose(cd, 56, choice2, 48);
    uint32_t f = 0;
    for (unsigned box = 0; box < 8; box++) {
        const unsigned six = in >> (42 - 6 * box) & 63;
        f = f << 4 | des_sbox_table[box][(six >> 4 & 2) | (six & 1)][six >> 1 & 15];
    }
    return (uint64_t)right << 32 | (left ^ (uint32_t)choose(f, 32, p, 32));
}
