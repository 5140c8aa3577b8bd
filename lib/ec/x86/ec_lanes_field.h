/* SPDX-License-Identifier: Apache-2.0 */
/* The field of a curve, and numbers modulo its order, in lanes of vectors by IFMA.  A file that
 * includes this has a vector type (ec_lanes_512.h, ec_lanes_256.h) and a curve (ec_lanes_p256.h,
 * ec_lanes_p384.h).
 *
 * Numbers have R = 2^(52 digits) in Montgomery's form and need not be reduced: a product of a and b
 * is below a b / R + m (Walter, "Montgomery exponentiation needs no final subtractions", 1999).
 * P-256 has R = 16 p: its sums are folded until they are below 1.01 p, and its products of numbers
 * below 2 p are below 1.25 p.  P-384 has R = 2^32 p: its sums need no folding, and its products are
 * below 1.01 p.  No difference is negative, as a multiple of p is in it: 4 p where products are
 * taken away, three at most, and 8 p where coordinates are, which are sums below 5.1 p with 4 p in
 * them, or 8 p less such a one. */
#include "../ec_lanes.h"

#define INLINE static inline __attribute__((always_inline)) TARGET
#define LEAF static __attribute__((noinline)) TARGET
#define UNROLL _Pragma("GCC unroll 16")
#define MASK ((UINT64_C(1) << EC_LANES_DIGIT) - 1)

typedef struct {
    vec d[DIGITS];
} number;

INLINE vec zero(void)
{
    return ALL(0);
}

INLINE void load(number *z, const struct ec_lanes_number *from)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = LOAD(from->digit[i]);
}

INLINE void store(struct ec_lanes_number *to, const number *x)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        STORE(to->digit[i], x->d[i]);
}

/* A constant, the same for all lanes. */
INLINE void same(number *z, const uint64_t *digits)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = ALL(digits[i]);
}

/* z = x in the lanes of a mask, else y. */
INLINE void pick(number *z, lanes_mask mask, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = PICK(mask, x->d[i], y->d[i]);
}

/* Makes signed digits of 64 bits digits of 52 bits; the highest keeps what is left. */
INLINE void carry(number *z)
{
    UNROLL
    for (int i = 0; i + 1 < DIGITS; i++) {
        z->d[i + 1] = ADD(z->d[i + 1], SAR(z->d[i], EC_LANES_DIGIT));
        z->d[i] = AND(z->d[i], ALL(MASK));
    }
}

/* ---- products ---- */

INLINE void product(vec t[2 * DIGITS], const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++)
        t[i] = zero();
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        UNROLL
        for (int j = 0; j < DIGITS; j++) {
            t[i + j] = MADD_LOW(t[i + j], x->d[i], y->d[j]);
            t[i + j + 1] = MADD_HIGH(t[i + j + 1], x->d[i], y->d[j]);
        }
    }
}

INLINE void square(vec t[2 * DIGITS], const number *x)
{
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++)
        t[i] = zero();
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        UNROLL
        for (int j = i + 1; j < DIGITS; j++) {
            t[i + j] = MADD_LOW(t[i + j], x->d[i], x->d[j]);
            t[i + j + 1] = MADD_HIGH(t[i + j + 1], x->d[i], x->d[j]);
        }
    }
    UNROLL
    for (int i = 0; i < 2 * DIGITS; i++)
        t[i] = ADD(t[i], t[i]);
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        t[2 * i] = MADD_LOW(t[2 * i], x->d[i], x->d[i]);
        t[2 * i + 1] = MADD_HIGH(t[2 * i + 1], x->d[i], x->d[i]);
    }
}

/* z = t / R modulo m, m0 = -1/m mod 2^52.  A row whose lowest digit is 2^52 - 1 needs no product
 * there: q 2^52 - q clears the column, whose digit is q. */
INLINE void reduce(number *z, vec t[2 * DIGITS], const uint64_t *m, uint64_t m0)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        const vec q = m0 == 1 ? AND(t[i], ALL(MASK)) : MADD_LOW(zero(), t[i], ALL(m0));
        if (m0 == 1) {
            t[i + 1] = ADD(t[i + 1], ADD(SHR(t[i], EC_LANES_DIGIT), q));
        } else {
            t[i] = MADD_LOW(t[i], q, ALL(m[0]));
            t[i + 1] = ADD(t[i + 1], SHR(t[i], EC_LANES_DIGIT));
            t[i + 1] = MADD_HIGH(t[i + 1], q, ALL(m[0]));
        }
        UNROLL
        for (int j = 1; j < DIGITS; j++) {
            if (!m[j])
                continue;
            t[i + j] = MADD_LOW(t[i + j], q, ALL(m[j]));
            if (i + j + 1 < 2 * DIGITS)
                t[i + j + 1] = MADD_HIGH(t[i + j + 1], q, ALL(m[j]));
        }
    }
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = t[DIGITS + i];
    carry(z);
}

INLINE void product_mod(number *z, const number *x, const number *y, const uint64_t *m, uint64_t m0)
{
    vec t[2 * DIGITS];
    product(t, x, y);
    reduce(z, t, m, m0);
}

INLINE void square_mod(number *z, const number *x, const uint64_t *m, uint64_t m0)
{
    vec t[2 * DIGITS];
    square(t, x);
    reduce(z, t, m, m0);
}

LEAF void mul(number *z, const number *x, const number *y)
{
    product_mod(z, x, y, FIELD, FIELD_M0);
}

LEAF void sqr(number *z, const number *x)
{
    square_mod(z, x, FIELD, FIELD_M0);
}

LEAF void order_mul(number *z, const number *x, const number *y)
{
    product_mod(z, x, y, ORDER, ORDER_M0);
}

LEAF void order_sqr(number *z, const number *x)
{
    square_mod(z, x, ORDER, ORDER_M0);
}

/* ---- sums ---- */

static const uint64_t P_4[DIGITS] = TIMES_P(4), P_8[DIGITS] = TIMES_P(8);

/* Ends a sum. */
INLINE void settle(number *z)
{
    fold(z->d);
    carry(z);
}

INLINE void add(number *z, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = ADD(x->d[i], y->d[i]);
    settle(z);
}

/* z = x - y, for a coordinate y. */
INLINE void sub(number *z, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = ADD(SUB(x->d[i], y->d[i]), ALL(P_8[i]));
    settle(z);
}

/* z = x - u - 2 v, for products u and v. */
INLINE void sub_products(number *z, const number *x, const number *u, const number *v)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        const vec sum = ADD(u->d[i], ADD(v->d[i], v->d[i]));
        z->d[i] = ADD(SUB(x->d[i], sum), ALL(P_4[i]));
    }
    settle(z);
}

/* z = x - y and x - 2 y, for a product y. */
INLINE void sub_product(number *z, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = ADD(SUB(x->d[i], y->d[i]), ALL(P_4[i]));
    settle(z);
}
INLINE void sub_twice(number *z, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = ADD(SUB(x->d[i], ADD(y->d[i], y->d[i])), ALL(P_4[i]));
    settle(z);
}

/* z = 3 (x + y) */
INLINE void add_thrice(number *z, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        const vec sum = ADD(x->d[i], y->d[i]);
        z->d[i] = ADD(ADD(sum, sum), sum);
    }
    settle(z);
}

INLINE void negate(number *z, lanes_mask mask, const number *x)
{
    number t;
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        t.d[i] = SUB(ALL(P_8[i]), x->d[i]);
    settle(&t);
    pick(z, mask, &t, x);
}

/* z = x or x - m, whichever is below m, for x below 2 m. */
INLINE void below(number *z, const number *x, const uint64_t *m)
{
    number t;
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        t.d[i] = SUB(x->d[i], ALL(m[i]));
    carry(&t);
    pick(z, IS_NEGATIVE(t.d[DIGITS - 1]), x, &t);
}

/* ---- powers, numbers ---- */

/* z = the number that x stands for, below p. */
LEAF void leave(number *z, const number *x)
{
    number one;
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        one.d[i] = ALL(i == 0);
    mul(z, x, &one);
    below(z, z, FIELD);
}

/* Returns the lanes in which x is 0. */
LEAF lanes_mask is_zero(const number *x)
{
    number t;
    leave(&t, x);
    vec bits = t.d[0];
    UNROLL
    for (int i = 1; i < DIGITS; i++)
        bits = OR(bits, t.d[i]);
    return EQUAL(bits, zero());
}

typedef void times_fn(number *z, const number *x, const number *y);
typedef void times_itself_fn(number *z, const number *x);

/* z = 1/x = x^(m - 2), for a prime m that is public: with four bits at a time. */
INLINE void inverse(number *z, const number *x, const uint64_t *m, times_fn *times,
                    times_itself_fn *times_itself)
{
    enum { PER_DIGIT = EC_LANES_DIGIT / 4 };
    number powers[16], result;
    powers[1] = *x;
    for (size_t i = 2; i < COUNT(powers); i++)
        times(&powers[i], &powers[i - 1], x);
    result = powers[15]; /* so do p and n begin */
    for (size_t i = BITS / 4 - 1; i-- > 0;) {
        const uint64_t digit = m[i / PER_DIGIT] - (i < PER_DIGIT ? 2 : 0);
        const size_t window = digit >> i % PER_DIGIT * 4 & 15;
        for (int n = 0; n < 4; n++)
            times_itself(&result, &result);
        if (window)
            times(&result, &result, &powers[window]);
    }
    *z = result;
}
