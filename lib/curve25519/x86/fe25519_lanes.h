/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers modulo p = 2^255 - 19 in lanes of vectors by IFMA, for a file that has a vector type
 * (../../ec/x86/ec_lanes_512.h, ec_lanes_256.h): digits of 51 bits, which are below 2^51 + 2^15
 * before and after each function, and so fit the 52 bits that IFMA multiplies; one factor of a
 * product may have digits of 52 bits.  The low half of a product belongs to its column, twice its
 * high half to the next one.  Columns are below 2^56, and 19 times a high column, which is as much
 * as 2^255 of it, with a low one below 2^61; their carries are below 2^10, and 19 times that of the
 * highest one below 2^15. */
#include "../lanes25519.h"

#define INLINE static inline __attribute__((always_inline)) TARGET
#define LEAF static __attribute__((noinline)) TARGET
#define UNROLL _Pragma("GCC unroll 16")

enum { DIGITS = DIGITS25519, DIGIT_BITS = 51 };
#define MASK ((UINT64_C(1) << DIGIT_BITS) - 1)

typedef struct {
    vec d[DIGITS];
} number;

INLINE void load(number *z, const struct number25519 *from)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = LOAD(from->digit[i]);
}

INLINE void store(struct number25519 *to, const number *x)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        STORE(to->digit[i], x->d[i]);
}

INLINE void small(number *z, uint64_t x)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = ALL(i ? 0 : x);
}

/* z = the number of these columns, which are below 2^64. */
INLINE void settle(number *z, const vec t[DIGITS])
{
    vec carry[DIGITS];
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        carry[i] = SHR(t[i], DIGIT_BITS);
    z->d[0] = MADD_LOW(AND(t[0], ALL(MASK)), carry[DIGITS - 1], ALL(19));
    UNROLL
    for (int i = 1; i < DIGITS; i++)
        z->d[i] = ADD(AND(t[i], ALL(MASK)), carry[i - 1]);
}

INLINE vec times_19(vec x)
{
    return ADD(x, ADD(SHL(x, 1), SHL(x, 4)));
}

/* z = the number of ten columns, which are below 2^56. */
INLINE void fold(number *z, const vec t[2 * DIGITS])
{
    vec low[DIGITS];
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        low[i] = ADD(t[i], times_19(t[i + DIGITS]));
    settle(z, low);
}

LEAF void mul(number *z, const number *x, const number *y)
{
    vec low[2 * DIGITS], high[2 * DIGITS];
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++)
        low[i] = high[i] = ALL(0);
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        UNROLL
        for (int j = 0; j < DIGITS; j++) {
            low[i + j] = MADD_LOW(low[i + j], x->d[i], y->d[j]);
            high[i + j + 1] = MADD_HIGH(high[i + j + 1], x->d[i], y->d[j]);
        }
    }
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++)
        low[i] = ADD(low[i], ADD(high[i], high[i]));
    fold(z, low);
}

/* Products of unlike digits count twice, as high halves do. */
LEAF void sqr(number *z, const number *x)
{
    vec once[2 * DIGITS], twice[2 * DIGITS], four_times[2 * DIGITS];
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++)
        once[i] = twice[i] = four_times[i] = ALL(0);
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        once[2 * i] = MADD_LOW(once[2 * i], x->d[i], x->d[i]);
        twice[2 * i + 1] = MADD_HIGH(twice[2 * i + 1], x->d[i], x->d[i]);
        UNROLL
        for (int j = i + 1; j < DIGITS; j++) {
            twice[i + j] = MADD_LOW(twice[i + j], x->d[i], x->d[j]);
            four_times[i + j + 1] = MADD_HIGH(four_times[i + j + 1], x->d[i], x->d[j]);
        }
    }
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++) {
        const vec half = ADD(twice[i], ADD(four_times[i], four_times[i]));
        once[i] = ADD(once[i], ADD(half, half));
    }
    fold(z, once);
}

INLINE void add(number *z, const number *x, const number *y)
{
    vec t[DIGITS];
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        t[i] = ADD(x->d[i], y->d[i]);
    settle(z, t);
}

/* 2 p is added, none of whose digits is below one of y. */
INLINE void sub(number *z, const number *x, const number *y)
{
    vec t[DIGITS];
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        t[i] = SUB(ADD(x->d[i], ALL(2 * MASK - (i ? 0 : 36))), y->d[i]);
    settle(z, t);
}

/* z = x + times y, for times below 2^20. */
INLINE void add_times(number *z, const number *x, const number *y, uint64_t times)
{
    vec t[DIGITS], high[DIGITS];
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        t[i] = MADD_LOW(x->d[i], y->d[i], ALL(times));
        high[i] = MADD_HIGH(ALL(0), y->d[i], ALL(times));
        high[i] = ADD(high[i], high[i]);
    }
    t[0] = MADD_LOW(t[0], high[DIGITS - 1], ALL(19));
    UNROLL
    for (int i = 1; i < DIGITS; i++)
        t[i] = ADD(t[i], high[i - 1]);
    settle(z, t);
}

/* Exchanges x and y in the lanes of a mask. */
INLINE void swap(lanes_mask mask, number *x, number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        const vec t = PICK(mask, y->d[i], x->d[i]);
        y->d[i] = PICK(mask, x->d[i], y->d[i]);
        x->d[i] = t;
    }
}

LEAF void square_times(number *z, const number *x, unsigned n)
{
    *z = *x;
    while (n--)
        sqr(z, z);
}

/* z = 1/x = x^(p - 2), by f(n) = x^(2^n - 1) with f(m + n) = f(m)^(2^n) f(n); p - 2 =
 * (2^250 - 1) 2^5 + 11. */
LEAF void invert(number *z, const number *x)
{
    static const struct {
        uint8_t other, n; /* each f is made of the one before it and an earlier one, of this n */
    } steps[] = { { 0, 1 }, { 1, 2 },  { 0, 1 },  { 3, 5 },  { 4, 10 },
                  { 3, 5 }, { 6, 25 }, { 7, 50 }, { 6, 25 }, { 9, 125 } };
    number f[COUNT(steps) + 1], eleven, t;
    f[0] = *x;
    for (size_t i = 0; i < COUNT(steps); i++) {
        square_times(&t, &f[i], steps[i].n);
        mul(&f[i + 1], &t, &f[steps[i].other]);
    }
    square_times(&t, x, 2);
    mul(&t, &t, x);
    square_times(&t, &t, 1);
    mul(&eleven, &t, x);
    square_times(&t, &f[COUNT(steps)], 5);
    mul(z, &t, &eleven);
}
