/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 in vectors, in two forms.
 *
 * Lanes: a vector holds one word of the state of LANES blocks.  This is the form for many blocks.
 *
 * Rows: a vector holds one row of the state, four words, of ROWS blocks.  A quarter round works on
 * all columns at once, and on the diagonals after three rows were turned.  So few blocks take as
 * long as their chain of dependent instructions, which is half the time of the lanes.
 *
 * A kernel's file defines the type `vec`, and before it includes this:
 *
 *   add, xor, rotl         on words; rotl by a constant
 *   spread, numbers        lanes: the same word in each; 0, 1, 2 ...
 *   store_lanes            lanes: encrypts the first `num` blocks
 *   load_row, row_numbers  rows: the same row in each block; 0, 1, 2 ... in each row's first word
 *   first_words            rows: the same number in each row's first word, else 0
 *   turn                   rows: by n words to the left
 *   store_rows             rows: encrypts the first `num` blocks
 *   leave                  is called at the end */
#include "chacha.h"

/* RFC 8439 section 2.1, on vectors. */
INLINE TARGET void quarter(vec *a, vec *b, vec *c, vec *d)
{
    *a = add(*a, *b), *d = rotl(xor(*d, *a), 16);
    *c = add(*c, *d), *b = rotl(xor(*b, *c), 12);
    *a = add(*a, *b), *d = rotl(xor(*d, *a), 8);
    *c = add(*c, *d), *b = rotl(xor(*b, *c), 7);
}

/* ---- lanes ---- */

INLINE TARGET void double_round_lanes(vec x[CHACHA_WORDS])
{
    quarter(&x[0], &x[4], &x[8], &x[12]);
    quarter(&x[1], &x[5], &x[9], &x[13]);
    quarter(&x[2], &x[6], &x[10], &x[14]);
    quarter(&x[3], &x[7], &x[11], &x[15]);
    quarter(&x[0], &x[5], &x[10], &x[15]);
    quarter(&x[1], &x[6], &x[11], &x[12]);
    quarter(&x[2], &x[7], &x[8], &x[13]);
    quarter(&x[3], &x[4], &x[9], &x[14]);
}

INLINE TARGET void begin_lanes(vec x[CHACHA_WORDS], const uint32_t state[CHACHA_WORDS],
                               uint32_t number)
{
#pragma GCC unroll 16
    for (int i = 0; i < CHACHA_WORDS; i++)
        x[i] = spread(state[i]);
    x[12] = add(spread(number), numbers());
}

INLINE TARGET void end_lanes(vec x[CHACHA_WORDS], const uint32_t state[CHACHA_WORDS],
                             uint32_t number)
{
#pragma GCC unroll 16
    for (int i = 0; i < CHACHA_WORDS; i++)
        x[i] = add(x[i], i == 12 ? add(spread(number), numbers()) : spread(state[i]));
}

INLINE TARGET void blocks_in_lanes(uint8_t *out, const uint8_t *in, size_t num,
                                   const uint32_t state[CHACHA_WORDS], uint32_t number)
{
    vec x[CHACHA_WORDS];
    begin_lanes(x, state, number);
    for (int i = 0; i < 10; i++)
        double_round_lanes(x);
    end_lanes(x, state, number);
    store_lanes(out, in, x, num);
}

/* ---- rows ---- */

INLINE TARGET void double_round_rows(vec r[4])
{
    quarter(&r[0], &r[1], &r[2], &r[3]);
    r[1] = turn(r[1], 1), r[2] = turn(r[2], 2), r[3] = turn(r[3], 3);
    quarter(&r[0], &r[1], &r[2], &r[3]);
    r[1] = turn(r[1], 3), r[2] = turn(r[2], 2), r[3] = turn(r[3], 1);
}

INLINE TARGET void begin_rows(vec r[4], const uint32_t state[CHACHA_WORDS], uint32_t number)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        r[i] = load_row(state + 4 * i);
    r[3] = add(r[3], add(row_numbers(), first_words(number - state[12])));
}

INLINE TARGET void end_rows(vec r[4], const uint32_t state[CHACHA_WORDS], uint32_t number)
{
    vec first[4];
    begin_rows(first, state, number);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        r[i] = add(r[i], first[i]);
}

INLINE TARGET void blocks_in_rows(uint8_t *out, const uint8_t *in, size_t num,
                                  const uint32_t state[CHACHA_WORDS], uint32_t number)
{
    vec r[4];
    begin_rows(r, state, number);
    for (int i = 0; i < 10; i++)
        double_round_rows(r);
    end_rows(r, state, number);
    store_rows(out, in, r, num);
}

/* More than ROWS blocks. */
INLINE TARGET void blocks_in_two_rows(uint8_t *out, const uint8_t *in, size_t num,
                                      const uint32_t state[CHACHA_WORDS], uint32_t number)
{
    enum { HALF = CHACHA_BLOCK * ROWS };
    vec r[4], s[4];
    begin_rows(r, state, number);
    begin_rows(s, state, number + ROWS);
    for (int i = 0; i < 10; i++) {
        double_round_rows(r);
        double_round_rows(s);
    }
    end_rows(r, state, number);
    store_rows(out, in, r, ROWS);
    end_rows(s, state, number + ROWS);
    store_rows(out + HALF, in + HALF, s, num - ROWS);
}

/* ---- both ---- */

/* LANES + 1 blocks: the last one is in rows, whose chain leaves room for the lanes beside it. */
INLINE TARGET void blocks_in_both(uint8_t *out, const uint8_t *in,
                                  const uint32_t state[CHACHA_WORDS], uint32_t number)
{
    enum { MANY = CHACHA_BLOCK * LANES };
    vec x[CHACHA_WORDS], r[4];
    begin_rows(r, state, number + LANES);
    begin_lanes(x, state, number);
    for (int i = 0; i < 10; i++) {
        double_round_rows(r);
        double_round_lanes(x);
    }
    end_lanes(x, state, number);
    store_lanes(out, in, x, LANES);
    end_rows(r, state, number + LANES);
    store_rows(out + MANY, in + MANY, r, 1);
}

TARGET void KERNEL(chacha_xor)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                               const uint32_t state[CHACHA_WORDS])
{
    uint32_t number = state[12];
    while (num_blocks > 2 * ROWS && num_blocks != LANES + 1) {
        const size_t num = num_blocks < LANES ? num_blocks : LANES;
        blocks_in_lanes(out, in, num, state, number);
        number += LANES, num_blocks -= num;
        in += CHACHA_BLOCK * num, out += CHACHA_BLOCK * num;
    }
    if (num_blocks > 2 * ROWS)
        blocks_in_both(out, in, state, number);
    else if (num_blocks > ROWS)
        blocks_in_two_rows(out, in, num_blocks, state, number);
    else if (num_blocks)
        blocks_in_rows(out, in, num_blocks, state, number);
    leave();
}
