/* SPDX-License-Identifier: Apache-2.0 */
/* Keccak-f[1600] of LANES states, with a lane of each in a vector.  A file that includes this one
 * includes vec_<isa>.h and block_lanes.h of lib/hash/x86/ before, and defines ROL, CHI and XOR3. */
#include "../batch.h"

typedef vec lane;
#define SPREAD(word) spread(word)
#include "keccak_rounds.h"

/* Gets the 8 bytes at in[i] + at of every lane. */
INLINE TARGET vec load_word(const uint8_t *const *in, size_t at)
{
    vec x = spread(0);
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++)
        x[i] = load_le64(in[i] + at);
    return x;
}

/* Adds a block of each message to its state. */
INLINE TARGET void add_blocks(vec a[KECCAK_WORDS], const uint8_t *const *in, size_t at,
                              size_t block_len)
{
    size_t i = 0;
    for (; i + 2 <= block_len / 8; i += 2) {
        vec w[2];
        load_words(w, 2, in, at + 8 * i, 0);
        a[i] ^= w[0];
        a[i + 1] ^= w[1];
    }
    if (i < block_len / 8)
        a[i] ^= load_word(in, at + 8 * i);
}

/* A lanes kernel (batch.h) of a sponge.  A state takes more room there than its 25 words, so that a
 * word more can be loaded and stored. */
INLINE TARGET void sponge_lanes(struct digest_lanes *l, size_t num_blocks)
{
    const size_t len = num_blocks * l->block_len;
    vec a[KECCAK_WORDS + 1];
    uint8_t *rows[LANES];
    for (int i = 0; i < LANES; i++)
        rows[i] = (uint8_t *)&l->state[SPONGE_STATES * i];
    load_words(a, KECCAK_WORDS + 1, (const uint8_t *const *)rows, 0, 0);
    for (size_t at = 0; at < len; at += l->block_len) {
        add_blocks(a, l->in, at, l->block_len);
        keccak_rounds(a);
    }
    store_words(rows, a, KECCAK_WORDS + 1);
    for (int i = 0; i < LANES; i++)
        l->in[i] += len;
}

/* Permutes LANES states that follow each other in memory. */
INLINE TARGET void permute_lanes(uint64_t states[LANES][KECCAK_WORDS])
{
    enum { LAST = KECCAK_WORDS - 1 };
    vec a[KECCAK_WORDS];
    uint8_t *rows[LANES];
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++)
        rows[i] = (uint8_t *)states[i];
    load_words(a, LAST, (const uint8_t *const *)rows, 0, 0);
    a[LAST] = load_word((const uint8_t *const *)rows, sizeof(word) * LAST);
    keccak_rounds(a);
    store_words(rows, a, LAST);
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++)
        states[i][LAST] = a[LAST][i];
}
