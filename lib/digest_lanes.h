/* SPDX-License-Identifier: Apache-2.0 */
/* A lanes kernel (batch.h) of a digest, in HALVES vectors side by side: where the instructions of
 * one vector wait for each other, those of a second one keep the CPU busy.  A file that includes
 * this one includes vec_<isa>.h and the load_words() and store_words() of its CPU before, and
 * defines compress_halves() for a state of STATE_WORDS words. */

enum { BLOCK_LEN = 16 * (int)sizeof(word), ALL_LANES = HALVES * LANES };

INLINE void state_rows(uint8_t *rows[ALL_LANES], struct digest_lanes *l)
{
#pragma GCC unroll 32
    for (int i = 0; i < ALL_LANES; i++)
        rows[i] = (uint8_t *)&l->state[i];
}

INLINE TARGET void digest_lanes(struct digest_lanes *l, size_t num_blocks)
{
    enum { NUM_WORDS = (STATE_WORDS + ROWS - 1) / ROWS * ROWS };
    const size_t len = num_blocks * BLOCK_LEN;
    vec s[HALVES][NUM_WORDS], w[HALVES][16];
    uint8_t *rows[ALL_LANES];
    state_rows(rows, l);
    for (int half = 0; half < HALVES; half++)
        load_words(s[half], NUM_WORDS, (const uint8_t *const *)rows + half * LANES, 0, 0);
    for (size_t at = 0; at < len; at += BLOCK_LEN) {
        for (int half = 0; half < HALVES; half++)
            load_words(w[half], 16, l->in + half * LANES, at, SWAP);
        compress_halves(s, w);
    }
    for (int half = 0; half < HALVES; half++)
        store_words(rows + half * LANES, s[half], NUM_WORDS);
    for (int i = 0; i < ALL_LANES; i++)
        l->in[i] += len;
}
