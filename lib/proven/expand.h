/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of ML-KEM and of ML-DSA: entry (row, column) is sampled from SHAKE128(rho || x || y),
 * where x and y are the column and the row (FIPS 203 algorithm 13 line 5, FIPS 204 algorithm 32)
 * or, in a transposed matrix, the row and the column.  Four lanes of Keccak work on four entries.
 * A key is also hashed, one block after the other: meanwhile the hash has lane 0, so that it costs
 * a quarter of what it takes alone.  All of it is public. */
#ifndef HR_PROVEN_EXPAND_H
#define HR_PROVEN_EXPAND_H

#include "../keccak/keccak.h"

enum { EXPAND_RATE = 168, EXPAND_MAX_BLOCKS = 5, EXPAND_COEFFICIENTS = 256 };

struct expansion {
    const uint8_t *rho; /* 32 bytes */
    uint8_t *entries;   /* row by row */
    size_t entry_size;
    unsigned rows, columns, transposed;
    unsigned blocks; /* blocks that are usually enough for an entry */
    /* Appends coefficients to an entry, which has `have` of them, and returns how many it has. */
    unsigned (*sample)(void *entry, unsigned have, const uint8_t *in, unsigned len);
    /* The hash: in_len 0 and a rate of 0 if there is none. */
    const uint8_t *in;
    size_t in_len, rate;
    uint8_t suffix;
    uint8_t *out;
    size_t out_len; /* a multiple of 8 */
};

static inline void expand_start(uint64_t state[KECCAK_WORDS], const struct expansion *e, unsigned n)
{
    const unsigned row = n / e->columns, column = n % e->columns;
    const unsigned x = e->transposed ? row : column, y = e->transposed ? column : row;
    memset(state, 0, KECCAK_WORDS * sizeof *state);
    for (int i = 0; i < 4; i++)
        state[i] = load_le64(e->rho + 8 * i);
    state[4] = x | y << 8 | KECCAK_SHAKE << 16;
    state[EXPAND_RATE / 8 - 1] = UINT64_C(1) << 63;
}

/* Adds the next block of the hash's message, and after the last whole one the rest and the padding.
 * Returns whether that was it. */
static inline int expand_hash(uint64_t state[KECCAK_WORDS], struct expansion *e)
{
    uint8_t last[200] = { 0 };
    const int ends = e->in_len < e->rate;
    const uint8_t *block = e->in;
    if (ends) {
        memcpy(last, e->in, e->in_len);
        last[e->in_len] = e->suffix;
        last[e->rate - 1] |= 0x80;
        block = last;
    }
    for (size_t i = 0; i < e->rate / 8; i++)
        state[i] ^= load_le64(block + 8 * i);
    e->in += ends ? 0 : e->rate;
    e->in_len -= ends ? 0 : e->rate;
    return ends;
}

static inline void expand_block(uint8_t *out, const uint64_t state[KECCAK_WORDS])
{
    for (int i = 0; i < EXPAND_RATE / 8; i++)
        store_le64(out + 8 * i, state[i]);
}

/* Samples one entry from what was squeezed, and from as much more as it needs. */
static inline void expand_entry(const struct expansion *e, unsigned n, uint64_t state[KECCAK_WORDS],
                                uint8_t *squeezed)
{
    uint8_t *entry = e->entries + n * e->entry_size;
    unsigned have = e->sample(entry, 0, squeezed, e->blocks * EXPAND_RATE);
    while (have < EXPAND_COEFFICIENTS) {
        keccak_f1600(state);
        expand_block(squeezed, state);
        have = e->sample(entry, have, squeezed, EXPAND_RATE);
    }
}

static inline void expand(struct expansion *e)
{
    alignas(32) uint64_t states[4][KECCAK_WORDS] = { { 0 } };
    alignas(32) uint8_t squeezed[4][864]; /* five blocks, and up to a multiple of 32 */
    static_assert(EXPAND_MAX_BLOCKS * EXPAND_RATE <= sizeof squeezed[0], "an entry's blocks");
    const unsigned num = e->rows * e->columns;
    int hashing = e->rate != 0;
    for (unsigned n = 0, lanes; n < num || hashing; n += lanes) {
        const unsigned first = hashing ? 1 : 0;
        lanes = num - n < 4 - first ? num - n : 4 - first;
        for (unsigned i = 0; i < lanes; i++)
            expand_start(states[first + i], e, n + i);
        for (unsigned block = 0; block < e->blocks; block++) {
            const int ends = hashing && expand_hash(states[0], e);
            keccak_f1600_x4(states);
            for (size_t i = 0; ends && i < e->out_len / 8; i++)
                store_le64(e->out + 8 * i, states[0][i]);
            hashing &= !ends;
            for (unsigned i = 0; i < lanes; i++)
                expand_block(squeezed[first + i] + block * EXPAND_RATE, states[first + i]);
        }
        for (unsigned i = 0; i < lanes; i++)
            expand_entry(e, n + i, states[first + i], squeezed[first + i]);
    }
}

#endif
