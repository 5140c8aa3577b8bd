/* SPDX-License-Identifier: Apache-2.0 */
/* load_words() loads the words of each lane's block, and store_words() stores each lane's words: a
 * multiple of ROWS.  A vector is made of pieces of 16 bytes, each of another lane; the ROWS words
 * of the pieces are transposed after loading and before storing.  The file that includes this one
 * includes a vec_<isa>.h before. */

enum { ROWS = 128 / WORD_BITS };

#if WORD_BITS == 32
#define SWAPPED 0x0c0d0e0f08090a0b, 0x0405060700010203
#else
#define SWAPPED 0x08090a0b0c0d0e0f, 0x0001020304050607
#endif

/* Transposes words within each 16 bytes: word j of x[i] becomes word i of y[j]. */
INLINE TARGET void transpose(vec y[ROWS], const vec x[ROWS])
{
    if (ROWS == 2) {
        const vec low = LOW64(x[0], x[1]), high = HIGH64(x[0], x[1]);
        y[0] = low;
        y[1] = high;
        return;
    }
    const vec low01 = LOW32(x[0], x[1]), high01 = HIGH32(x[0], x[1]);
    const vec low23 = LOW32(x[2], x[3]), high23 = HIGH32(x[2], x[3]);
    y[0] = LOW64(low01, low23);
    y[1] = HIGH64(low01, low23);
    y[2] = LOW64(high01, high23);
    y[3] = HIGH64(high01, high23);
}

INLINE TARGET vec in_order(vec x, int swap)
{
    return swap ? SHUFFLE_BYTES(x, SWAPPED) : x;
}

/* load_rows() loads ROWS words of each lane. */
INLINE TARGET void load_rows(vec *w, const uint8_t *const *in, size_t at, int swap)
{
    vec x[4];
#pragma GCC unroll 4
    for (int row = 0; row < ROWS; row++)
        x[row] = in_order(gather16(in + row, ROWS, at), swap);
    transpose(w, x);
}

/* load_two_rows() loads twice as many. */
INLINE TARGET void load_two_rows(vec *w, const uint8_t *const *in, size_t at, int swap)
{
    vec x[4], y[4];
#pragma GCC unroll 4
    for (int row = 0; row < ROWS; row++) {
        gather32(&x[row], &y[row], in + row, ROWS, at);
        x[row] = in_order(x[row], swap);
        y[row] = in_order(y[row], swap);
    }
    transpose(w, x);
    transpose(w + ROWS, y);
}

INLINE TARGET void load_words(vec *w, int num, const uint8_t *const *in, size_t at, int swap)
{
    int i = 0;
#pragma GCC unroll 4
    for (; i + 2 * ROWS <= num; i += 2 * ROWS)
        load_two_rows(w + i, in, at + (size_t)i * sizeof(word), swap);
    if (i < num)
        load_rows(w + i, in, at + (size_t)i * sizeof(word), swap);
}

INLINE TARGET void store_words(uint8_t *const *out, const vec *w, int num)
{
#pragma GCC unroll 8
    for (int i = 0; i < num; i += ROWS) {
        vec x[4];
        transpose(x, w + i);
#pragma GCC unroll 4
        for (int row = 0; row < ROWS; row++)
            scatter16(out + row, ROWS, (size_t)i * sizeof(word), x[row]);
    }
}
