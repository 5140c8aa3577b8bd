/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel over two consecutive blocks at a time, and one where their number is odd; no include
 * guard needed, for each file has one such kernel.  The includer defines TARGET, word, BLOCK_LEN,
 * KERNEL, the functions ONE and TWO(state, in, wk), and of the words that they keep, which are
 * secret, WK_ONE and WK_TWO vectors. */

static __attribute__((noinline)) TARGET const uint8_t *twos(word *state, const uint8_t *in,
                                                            const uint8_t *end)
{
    __m256i wk[WK_TWO];
    for (; in < end; in += 2 * BLOCK_LEN)
        TWO(state, in, wk);
    WIPE(&wk);
    _mm256_zeroupper();
    return in;
}

/* Folds num_blocks blocks into `state`; nothing need be aligned, and `in` may not touch `state`. */
TARGET void KERNEL(void *state, const uint8_t *in, size_t num_blocks)
{
    if (num_blocks >= 2)
        in = twos(state, in, in + num_blocks / 2 * (2 * BLOCK_LEN));
    if (!(num_blocks & 1))
        return;
    __m128i wk[WK_ONE];
    ONE(state, in, wk);
    WIPE(&wk);
}
