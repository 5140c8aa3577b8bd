/* SPDX-License-Identifier: Apache-2.0 */
/* DES's key schedule, FIPS 46-3 appendix 1: two halves of 28 bits, which are rotated left before
 * each round; a round uses 48 of their bits.  The tables say where bits lie and are read in the
 * same order for every key.  Keys of two rounds are made at once, one in each half of a word. */
#include "des.h"

enum { HALF_BITS = 28 };

/* PC-1: the key's bits, counted from 1, in the order of C and D. */
static const uint8_t pc1[2][HALF_BITS] = {
    { 57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18,
      10, 2,  59, 51, 43, 35, 27, 19, 11, 3,  60, 52, 44, 36 },
    { 63, 55, 47, 39, 31, 23, 15, 7,  62, 54, 46, 38, 30, 22,
      14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4 },
};
/* PC-2: the bits that each box gets: of C, 1 to 28, for the first four boxes, of D, 29 to 56, for
 * the others. */
static const uint8_t pc2[8][6] = {
    { 14, 17, 11, 24, 1, 5 },   { 3, 28, 15, 6, 21, 10 },   { 23, 19, 12, 4, 26, 8 },
    { 16, 7, 27, 20, 13, 2 },   { 41, 52, 31, 37, 47, 55 }, { 30, 40, 51, 45, 33, 48 },
    { 44, 49, 39, 56, 34, 53 }, { 46, 42, 50, 36, 29, 32 },
};
/* By how many bits the halves have been rotated in all, in round r + 1. */
static const uint8_t turned[16] = { 1, 2, 4, 6, 8, 10, 12, 14, 15, 17, 19, 21, 23, 25, 27, 28 };

static uint32_t half(uint64_t key, const uint8_t from[HALF_BITS])
{
    uint32_t out = 0;
    for (size_t i = 0; i < HALF_BITS; i++)
        out = out << 1 | (uint32_t)(key >> (64 - from[i]) & 1);
    return out;
}

struct des_halves des_permuted_choice(const uint8_t key[8])
{
    const uint64_t bits = load_be64(key);
    return (struct des_halves){ half(bits, pc1[0]), half(bits, pc1[1]) };
}

/* Rotates a half for two rounds; the bits above the lowest 28 of each result are ignored. */
static uint64_t turn(uint32_t x, size_t round)
{
    const unsigned by[2] = { turned[round], turned[round + 1] };
    return (uint64_t)(x << by[1] | x >> (HALF_BITS - by[1])) << 32 |
           (uint32_t)(x << by[0] | x >> (HALF_BITS - by[0]));
}

/* Writes the keys of 16 rounds from *first on, at distances of `step` (8 or -8) bytes. */
static void pass(uint8_t *first, ptrdiff_t step, const uint8_t bytes[8])
{
    struct des_halves halves = des_permuted_choice(bytes);
    for (size_t round = 0; round < 16; round += 2) {
        uint64_t turned_halves[2] = { turn(halves.c, round), turn(halves.d, round) };
        uint8_t *const at = first + (ptrdiff_t)round * step;
        for (size_t box = 0; box < 8; box++) {
            const uint64_t from = turned_halves[box / 4];
            uint64_t bits = 0;
            for (size_t i = 0; i < 6; i++)
                bits = bits << 1 |
                       (from >> (HALF_BITS * (1 + box / 4) - pc2[box][i]) & 0x0000000100000001);
            at[box] = (uint8_t)bits;
            at[step + (ptrdiff_t)box] = (uint8_t)(bits >> 32);
        }
        WIPE(&turned_halves);
    }
    WIPE(&halves);
}

void des_expand(void *schedule, const uint8_t *bytes, size_t bytes_len, int decrypt)
{
    struct des_key *key = schedule;
    pass(key->round[0], 8, bytes);
    key->passes = 1;
    memcpy(key->key, bytes, bytes_len);
    if (bytes_len == 8)
        return;
    if (bytes_len == 16)
        memcpy(key->key[2], bytes, 8);
    pass(key->round[31], -8, bytes + 8);
    pass(key->round[32], 8, bytes_len == 24 ? bytes + 16 : bytes);
    key->passes = 3;
}
