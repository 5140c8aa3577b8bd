/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that processes two consecutive blocks at a time, and a single one if their number is
 * odd.  This file needs no include guard, since a file that includes it has one such kernel.  That
 * file first defines TARGET, word, BLOCK_LEN, the kernel's name KERNEL, the functions ONE(state,
 * in, wk) and TWO(state, in, wk), which compress one block and two, and WK_ONE and WK_TWO, the
 * number of vectors of words that these functions keep in wk.  The words are secret. */

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

/* Compresses num_blocks blocks into `state`.  `state` is aligned for its words; `in` may have any
 * alignment, and must not overlap `state`. */
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
