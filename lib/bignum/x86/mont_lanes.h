/* SPDX-License-Identifier: Apache-2.0 */
/* x^e mod n in lanes, the source of all kernels.  A file that includes this defines
 *
 *   TARGET, LANES, NAME(stem)
 *   vec                    a vector of 64-bit integers
 *   digits                 a vector of numbers below 2^52
 *   ADD, AND, SHR52        of vec
 *   ALL(x)                 x in each lane
 *   NUM(x)                 the number whose 52 bits are in each lane
 *   ADD_LOW(column, x, y), ADD_BOTH(column, next, x, y)
 *                          add the low and the high 52 bits of x * y
 *   UNBIAS(column, lows, highs)
 *                          takes away what so many additions have added too much
 *   choice, CHOICE(x), PICK(choice, x, y)
 *                          x in the lanes where a bit is set, else y
 *
 * Numbers have R = 2^(52 digits) in Montgomery's form and are below 2.4 n, without a subtraction
 * (Walter, "Montgomery exponentiation needs no final subtractions", 1999).  A product is computed
 * by columns, a tile of them at a time, which stay in registers.
 *
 * The multiple of n that clears a column has its digit as factor, times -1/n mod 2^52.  All rows
 * but the last add multiples of n' = n (-1/n mod 2^52) instead, whose lowest digit is 2^52 - 1, so
 * that the factor is the digit itself, and moves to the next column: v has n' + 1, without its
 * lowest digit.  With n in the last row the sum is as small as if n had been in all: (x y + U n' +
 * 2^(52 (digits - 1)) u n) / R < x y / R + 2 n, as n' < 2^52 n. */
#include "../mont_lanes_words.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline)) TARGET
#define LEAF static __attribute__((noinline)) TARGET
#define UNROLL _Pragma("GCC unroll 16")

enum { TILE = LANES_TILE, POWERS = LANES_POWERS };

/* The layout of `words`. */
struct group {
    digits unused[LANES_V];
    digits v[LANES_DIGITS + 1], w[LANES_DIGITS + 1], k, unused_too[LANES_POWER - LANES_K - 1];
    digits power[LANES_DIGITS], factor[LANES_DIGITS];
    digits u[LANES_DIGITS]; /* factors of n' and n */
    digits table[LANES_DIGITS][POWERS];
};
static_assert(sizeof(struct group) == LANES_WORDS * sizeof(digits) &&
                  offsetof(struct group, power) == LANES_POWER * sizeof(digits),
              "mont_lanes_words.h");

/* ---- a tile of columns ---- */

/* The products x[s] y[t - s] that a block of rows adds to a tile: with both halves in it, and at
 * its ends with one. */
enum shape {
    ALL_ROWS,
    LOW,       /* t >= s: nothing is before y[0] */
    HIGH,      /* t < s: y ends there */
    HIGH_TOO,  /* t <= s */
    HALF,      /* squares: pairs of different digits, x[s] from the block before y */
    HALF_HIGH, /* the same where y ends */
    SAME,      /* x and y are the same block */
};

INLINE int in_shape(enum shape shape, int s, int t)
{
    switch (shape) {
    case ALL_ROWS:
        return 1;
    case LOW:
        return t >= s;
    case HIGH:
        return t < s;
    case HIGH_TOO:
        return t <= s;
    case HALF:
        return TILE + t > 2 * s;
    case HALF_HIGH:
        return t < s && TILE + t > 2 * s;
    case SAME:
        return t > 2 * s;
    }
    return 0;
}

/* One product of row s: its low half belongs to column t, its high half to the next. */
INLINE void add_product(vec column[TILE], int t, digits x, digits y)
{
    if (t < 0)
        ADD_HIGH(column[0], x, y);
    else if (t == TILE - 1)
        ADD_LOW(column[t], x, y);
    else
        ADD_BOTH(column[t], column[t + 1], x, y);
}

INLINE void unbias(vec column[TILE], enum shape shape)
{
    UNROLL for (int t = 0; t < TILE; t++)
    {
        int lows = 0, highs = 0;
        UNROLL for (int s = 0; s < TILE; s++)
        {
            lows += in_shape(shape, s, t);
            highs += in_shape(shape, s, t - 1);
        }
        UNBIAS(column[t], lows, highs);
    }
}

INLINE void add_rows(vec column[TILE], const digits *x, const digits *y, const digits *last_y,
                     enum shape shape)
{
    UNROLL for (int s = 0; s < TILE; s++)
    {
        const digits digit = x[s];
        const digits *row = s == TILE - 1 ? last_y : y;
        __asm__("" : "+r"(row));
        UNROLL for (int t = -1; t < TILE; t++)
        {
            if (in_shape(shape, s, t))
                add_product(column, t, digit, row[t - s]);
        }
    }
    unbias(column, shape);
}

/* ---- multiples of n ---- */

INLINE const digits *last_row(const struct group *g, size_t tiles, size_t i)
{
    return i == tiles - 1 ? g->w : g->v;
}

/* Adds the rows of multiples that are known.  n' has a digit more than n, whose product with the
 * last row of a block ends in the tile after that of the block's other ends. */
INLINE void add_multiples(vec column[TILE], const struct group *g, size_t tiles, size_t p)
{
    const size_t end = tiles * TILE;
    size_t i = 0;
    if (p >= tiles) {
        i = p - tiles;
        if (i) {
            ADD_HIGH(column[0], g->u[i * TILE - 1], g->v[end]);
            UNBIAS(column[0], 0, 1);
        }
        add_rows(column, g->u + i * TILE, g->v + end, last_row(g, tiles, i) + end, HIGH_TOO);
        i++;
    }
    for (; i < p && i < tiles; i++) {
        const size_t at = (p - i) * TILE;
        add_rows(column, g->u + i * TILE, g->v + at, last_row(g, tiles, i) + at, ALL_ROWS);
    }
}

/* Clears a tile by multiples that it finds, and returns the carry. */
INLINE vec clear_tile(vec column[TILE], struct group *g, size_t tiles, size_t p)
{
    digits *const u = g->u + p * TILE;
    const vec mask = ALL(LANES_MASK);
    UNROLL for (int s = 0; s < TILE - 1; s++)
    {
        const vec digit = AND(column[s], mask);
        const digits factor = NUM(digit);
        u[s] = factor;
        column[s + 1] = ADD(column[s + 1], SHR52(column[s]));
        UNROLL for (int t = s + 1; t < TILE; t++) add_product(column, t, factor, g->v[t - s]);
        UNROLL for (int t = s + 1; t < TILE; t++) UNBIAS(column[t], 1, t > s + 1);
    }
    vec last = column[TILE - 1];
    if (p < tiles - 1) {
        u[TILE - 1] = NUM(AND(last, mask));
        return SHR52(last);
    }
    vec digit = ALL(0);
    ADD_LOW(digit, NUM(AND(last, mask)), g->k);
    UNBIAS(digit, 1, 0);
    const digits factor = NUM(digit);
    u[TILE - 1] = factor;
    ADD_LOW(last, factor, g->w[0]);
    UNBIAS(last, 1, 0);
    return SHR52(last);
}

/* Writes a tile of the result, and returns the carry. */
INLINE vec write_tile(digits *z, vec column[TILE])
{
    const vec mask = ALL(LANES_MASK);
    UNROLL for (int t = 0; t < TILE; t++)
    {
        z[t] = NUM(AND(column[t], mask));
        const vec carry = SHR52(column[t]);
        if (t == TILE - 1)
            return carry;
        column[t + 1] = ADD(column[t + 1], carry);
    }
    return ALL(0);
}

INLINE vec finish_tile(digits *z, vec column[TILE], struct group *g, size_t tiles, size_t p,
                       vec carry)
{
    column[0] = ADD(column[0], carry);
    add_multiples(column, g, tiles, p);
    return p < tiles ? clear_tile(column, g, tiles, p) : write_tile(z + (p - tiles) * TILE, column);
}

/* ---- products ---- */

/* Hides a number from the compiler, which would make a loop for each half of a product's tiles, and
 * the code twice as long. */
INLINE size_t hidden(size_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* z = x y / R; z may be x or y. */
LEAF void multiply(digits *z, const digits *x, const digits *y, struct group *g, size_t tiles)
{
    vec carry = ALL(0);
    for (size_t next = 0; next < 2 * tiles; next++) {
        const size_t p = hidden(next);
        vec column[TILE];
        UNROLL for (int t = 0; t < TILE; t++) column[t] = ALL(0);
        size_t i = 0;
        if (p >= tiles) {
            i = p - tiles;
            add_rows(column, x + i * TILE, y + tiles * TILE, y + tiles * TILE, HIGH);
            i++;
        }
        for (; i < tiles && i < p; i++)
            add_rows(column, x + i * TILE, y + (p - i) * TILE, y + (p - i) * TILE, ALL_ROWS);
        if (p < tiles)
            add_rows(column, x + p * TILE, y, y, LOW);
        carry = finish_tile(z, column, g, tiles, p, carry);
    }
}

/* Adds the squares of digits to twice the products of unlike digits. */
INLINE void add_squares(vec column[TILE], const digits *x)
{
    UNROLL for (int t = 0; t < TILE; t++) column[t] = ADD(column[t], column[t]);
    UNROLL for (int t = 0; t < TILE; t += 2)
    {
        const digits digit = x[t / 2];
        ADD_BOTH(column[t], column[t + 1], digit, digit);
        UNBIAS(column[t], 1, 0);
        UNBIAS(column[t + 1], 0, 1);
    }
}

/* z = x^2 / R; z may be x. */
LEAF void square(digits *z, const digits *x, struct group *g, size_t tiles)
{
    vec carry = ALL(0);
    for (size_t next = 0; next < 2 * tiles; next++) {
        const size_t p = hidden(next);
        vec column[TILE];
        UNROLL for (int t = 0; t < TILE; t++) column[t] = ALL(0);
        size_t i = 0;
        const digits *end = x + tiles * TILE;
        if (p == 2 * tiles - 1) {
            i = tiles - 1;
            add_rows(column, x + i * TILE, end, end, HALF_HIGH);
            i++;
        } else if (p >= tiles) {
            i = p - tiles;
            add_rows(column, x + i * TILE, end, end, HIGH);
            i++;
        }
        for (; 2 * i + 1 < p; i++)
            add_rows(column, x + i * TILE, x + (p - i) * TILE, x + (p - i) * TILE, ALL_ROWS);
        if (p % 2 == 0)
            add_rows(column, x + i * TILE, x + i * TILE, x + i * TILE, SAME);
        else if (p != 2 * tiles - 1)
            add_rows(column, x + i * TILE, x + (i + 1) * TILE, x + (i + 1) * TILE, HALF);
        add_squares(column, x + p * (TILE / 2));
        carry = finish_tile(z, column, g, tiles, p, carry);
    }
}

/* ---- powers ---- */

/* Each lane takes a power of its own, from a look at all of them. */
LEAF void look_up(struct group *g, size_t tiles, const uint64_t *index)
{
    vec bits;
    choice chosen[LANES_WINDOW];
    memcpy(&bits, index, sizeof bits);
    UNROLL for (int b = 0; b < LANES_WINDOW; b++) chosen[b] = CHOICE(bits, UINT64_C(1) << b);
    for (size_t j = 0; j < tiles * TILE; j++) {
        digits left[POWERS];
        UNROLL for (int i = 0; i < POWERS; i++) left[i] = g->table[j][i];
        UNROLL for (int b = 0; b < LANES_WINDOW; b++)
        {
            UNROLL for (int i = 0; i < POWERS / 2; i++) if (i < POWERS >> (b + 1)) left[i] =
                PICK(chosen[b], left[2 * i + 1], left[2 * i]);
        }
        g->factor[j] = left[0];
    }
}

TARGET void NAME(mont_lanes)(uint64_t *words, size_t num_digits, unsigned squarings,
                             const uint64_t *index)
{
    struct group *const g = (struct group *)words;
    const size_t tiles = num_digits / TILE;
    BEGIN
    while (squarings--)
        square(g->power, g->power, g, tiles);
    if (index)
        look_up(g, tiles, index);
    multiply(g->power, g->power, g->factor, g, tiles);
    END
}
