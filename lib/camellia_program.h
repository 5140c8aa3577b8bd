/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels in slices of bytes add, and when.
 *
 * A round's key is added to a half where the half is written, together with what takes the key of
 * two rounds before away: so the halves always have something added to them, and only the
 * difference is an entry.  FL and its inverse are affine under their key, and so let what is added
 * pass, changed: it is chosen such that it is the next round's key behind them.  Whitening goes the
 * same way. */
#ifndef HR_CAMELLIA_PROGRAM_H
#define HR_CAMELLIA_PROGRAM_H

#include "camellia.h"

/* In the order of use: 1 that is added to the left half at first; 6 for each group of rounds, the
 * difference for the half that a round writes; 4 between two groups, see camellia_fl_entries, of FL
 * and of its inverse; 1 that is added to the right half at last. */
enum { CAMELLIA_MAX_PROGRAM = 48 }; /* 38, and as many as loops of vectors touch */

static inline unsigned camellia_program_len(unsigned rounds)
{
    return rounds + 4 * (rounds / 6 - 1) + 2;
}

/* Whether entry n is of a round: under a map, the right half's where n is odd. */
static inline int camellia_of_round(unsigned n, unsigned rounds)
{
    return n && n + 1 < camellia_program_len(rounds) && (n - 1) % 10 < 6;
}

/* What is added to FL's input, as its output has it, and of the inverse: each is the other's. */
static inline uint64_t camellia_fl_added(uint64_t x, uint64_t k)
{
    const uint32_t left = (uint32_t)(x >> 32) ^ ((uint32_t)x & ~(uint32_t)k);
    const uint32_t right = (uint32_t)x ^ rotr32(left & (uint32_t)(k >> 32), 31);
    return (uint64_t)left << 32 | right;
}

/* FL's key as it is added to words: the left one turned by a bit, for the right one. */
static inline uint64_t camellia_fl_words(uint64_t k)
{
    return (uint64_t)rotr32((uint32_t)(k >> 32), 31) << 32 | (uint32_t)k;
}

/* Turned by a bit, the left word of a key masks bytes that are turned each for itself: with its
 * entry's left word their upper seven bits, with the next one's the lowest of the byte behind. */
static inline void camellia_fl_entries(uint64_t program[2], uint64_t k)
{
    const uint64_t words = camellia_fl_words(k);
    program[0] = bswap64(words & 0xfefefefeffffffff);
    program[1] = bswap64(words & 0x0101010100000000);
}

/* Entries as they are in the clear, the first byte the lowest.  added_left and added_right are what
 * else the S-boxes of a half want to be added to what they read, of_f what is to be added to F. */
static inline __attribute__((always_inline)) void
camellia_program(uint64_t program[CAMELLIA_MAX_PROGRAM], const struct camellia_key *key,
                 enum hr_op op, uint64_t added_left, uint64_t added_right, uint64_t of_f)
{
    const uint64_t added[2] = { bswap64(added_left), bswap64(added_right) }, f = bswap64(of_f);
    const int forth = op == HR_OP_ENCRYPT;
    const uint64_t *const end = key->k + camellia_num_keys(key->rounds);
    const uint64_t *const first = forth ? key->k : end - 2, *const last = forth ? end - 2 : key->k;
    const uint64_t *at = forth ? key->k + 2 : end - 3;
    uint64_t has[2]; /* the left half, the right one */
    unsigned n = 0, r = 0;
#define NEXT (forth ? *at++ : *at--)
    has[0] = NEXT ^ added[0];
    has[1] = first[1];
    program[n++] = bswap64(first[0] ^ has[0]);
    for (;;) {
        _Pragma("GCC unroll 5") for (unsigned i = 1; i < 6; i++)
        {
            const uint64_t k = NEXT ^ added[i & 1];
            program[n++] = bswap64(has[i & 1] ^ k ^ f);
            has[i & 1] = k;
        }
        r += 6;
        if (r == key->rounds)
            break;
        const uint64_t fl = NEXT, inverse = NEXT, k = NEXT ^ added[0];
        program[n++] = bswap64(has[0] ^ camellia_fl_added(k, fl) ^ f);
        camellia_fl_entries(program + n, fl);
        camellia_fl_entries(program + n + 2, inverse);
        n += 4;
        has[0] = k;
        has[1] = camellia_fl_added(has[1], inverse);
    }
    program[n++] = bswap64(has[0] ^ last[1] ^ f);
    program[n] = bswap64(has[1] ^ last[0]);
#undef NEXT
}

#endif
