/* SPDX-License-Identifier: Apache-2.0 */
/* The "program" of a Camellia key: the values that byte-sliced kernels add to the halves, in their
 * order.
 *
 * A round's key is added to a half when the half is written, and the key of two rounds before is
 * removed at the same time.  So the halves always have some key added to them, and an entry of the
 * program is the difference of two keys.  FL and its inverse are affine for a given key, so they
 * change what is added in a known way: it is chosen so that after FL it is the next round's key.
 * Whitening keys are treated in the same way. */
#ifndef HR_CAMELLIA_PROGRAM_H
#define HR_CAMELLIA_PROGRAM_H

#include "camellia.h"

/* The program's entries in the order of use: 1 for the left half at the beginning; 6 for each group
 * of rounds, the difference for the half that the round writes; 4 between two groups, for FL and
 * for its inverse (see camellia_fl_entries); 1 for the right half at the end. */
enum { CAMELLIA_MAX_PROGRAM = 48 }; /* 38, and as many more as the loops of vectors read */

static inline unsigned camellia_program_len(unsigned rounds)
{
    return rounds + 4 * (rounds / 6 - 1) + 2;
}

/* Whether entry n belongs to a round.  Such entries are transformed by a map: that of the right
 * half if n is odd, else of the left half. */
static inline int camellia_of_round(unsigned n, unsigned rounds)
{
    return n && n + 1 < camellia_program_len(rounds) && (n - 1) % 10 < 6;
}

/* If x is added to the input of FL's inverse, returns what is then added to its output.  For FL the
 * returned value is the one to add to the input so that x is added to the output. */
static inline uint64_t camellia_fl_added(uint64_t x, uint64_t k)
{
    const uint32_t left = (uint32_t)(x >> 32) ^ ((uint32_t)x & ~(uint32_t)k);
    const uint32_t right = (uint32_t)x ^ rotr32(left & (uint32_t)(k >> 32), 31);
    return (uint64_t)left << 32 | right;
}

/* Returns FL's key in the form for FL's two steps: its left word is rotated left by a bit, because
 * it masks the half's left word after this word has been rotated. */
static inline uint64_t camellia_fl_words(uint64_t k)
{
    return (uint64_t)rotr32((uint32_t)(k >> 32), 31) << 32 | (uint32_t)k;
}

/* Rotating by a bit splits the left key word into two masks, because bytes are rotated each on its
 * own: the first entry masks the upper seven bits of each byte, the second the lowest bit, which
 * comes from the next byte. */
static inline void camellia_fl_entries(uint64_t program[2], uint64_t k)
{
    const uint64_t words = camellia_fl_words(k);
    program[0] = bswap64(words & 0xfefefefeffffffff);
    program[1] = bswap64(words & 0x0101010100000000);
}

/* Makes a program, whose entries are not transformed by a map; their first byte is the lowest.
 * added_left and added_right are constants that the S-boxes of a half need to have added to their
 * input, of_f is a constant to be added to F's result. */
static inline __attribute__((always_inline)) void
camellia_program(uint64_t program[CAMELLIA_MAX_PROGRAM], const struct camellia_key *key,
                 enum hr_op op, uint64_t added_left, uint64_t added_right, uint64_t of_f)
{
    const uint64_t added[2] = { bswap64(added_left), bswap64(added_right) }, f = bswap64(of_f);
    const int forth = op == HR_OP_ENCRYPT;
    const uint64_t *const end = key->k + camellia_num_keys(key->rounds);
    const uint64_t *const first = forth ? key->k : end - 2, *const last = forth ? end - 2 : key->k;
    const uint64_t *at = forth ? key->k + 2 : end - 3;
    uint64_t has[2]; /* what is added to the left half and to the right half */
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
