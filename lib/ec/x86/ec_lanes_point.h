/* SPDX-License-Identifier: Apache-2.0 */
/* Points in lanes: the formulas of ../ec_formulas.h, and multiplication as in ../ec_multiply.c,
 * whose argument holds here, too: no sum of one multiplication is that of a point and itself or its
 * opposite (../ec_window.h).  Infinity is a mask of lanes, in which coordinates mean nothing. */

typedef struct {
    number x, y, z;
} point;

INLINE void twice(point *p)
{
    number delta, gamma, beta, alpha, t;
    sqr(&delta, &p->z);
    sqr(&gamma, &p->y);
    sub(&t, &p->x, &delta);
    add_thrice(&alpha, &p->x, &delta);
    mul(&alpha, &alpha, &t);
    add(&gamma, &gamma, &gamma);
    add(&t, &gamma, &gamma);
    mul(&beta, &p->x, &t); /* four times beta */
    mul(&t, &p->y, &p->z);
    add(&p->z, &t, &t);
    sqr(&t, &alpha);
    sub_twice(&p->x, &t, &beta);
    sqr(&gamma, &gamma); /* four times its square */
    sub(&t, &beta, &p->x);
    mul(&t, &t, &alpha);
    sub_twice(&p->y, &t, &gamma);
}

INLINE void add_tail(point *sum, const number *u1, const number *s1, const number *h,
                     const number *r)
{
    number square_h, cube, v, t;
    sqr(&square_h, h);
    mul(&cube, &square_h, h);
    mul(&v, u1, &square_h);
    sqr(&t, r);
    sub_products(&sum->x, &t, &cube, &v);
    sub(&t, &v, &sum->x);
    mul(&t, &t, r);
    mul(&cube, &cube, s1);
    sub_product(&sum->y, &t, &cube);
}

/* sum = p + q, neither at infinity. */
INLINE void add_points(point *sum, const point *p, const point *q)
{
    number u1, s1, h, r, t;
    sqr(&t, &q->z);
    mul(&u1, &p->x, &t);
    mul(&t, &t, &q->z);
    mul(&s1, &p->y, &t);
    sqr(&t, &p->z);
    mul(&h, &q->x, &t);
    sub(&h, &h, &u1);
    mul(&t, &t, &p->z);
    mul(&r, &q->y, &t);
    sub(&r, &r, &s1);
    mul(&t, &p->z, &q->z);
    mul(&sum->z, &t, &h);
    add_tail(sum, &u1, &s1, &h, &r);
}

/* The same for q with z = 1. */
INLINE void add_affine(point *sum, const point *p, const number *x, const number *y)
{
    number h, r, t;
    sqr(&t, &p->z);
    mul(&h, x, &t);
    sub(&h, &h, &p->x);
    mul(&t, &t, &p->z);
    mul(&r, y, &t);
    sub(&r, &r, &p->y);
    mul(&sum->z, &p->z, &h);
    add_tail(sum, &p->x, &p->y, &h, &r);
}

INLINE void pick_point(point *z, lanes_mask mask, const point *x, const point *y)
{
    pick(&z->x, mask, &x->x, &y->x);
    pick(&z->y, mask, &x->y, &y->y);
    pick(&z->z, mask, &x->z, &y->z);
}

/* ---- multiplication ---- */

/* Gets those of a comb's entries, one a lane, whose indices count from 0. */
INLINE void look_up_comb(number *x, const uint64_t *entries, vec index)
{
    enum { ENTRIES = 1 << (COMB_WIDTH - 1) };
    UNROLL
    for (int i = 0; i < DIGITS; i++, entries += ENTRIES) {
        vec found[ENTRIES / (2 * LANES)];
        UNROLL
        for (int k = 0; k < ENTRIES / (2 * LANES); k++)
            found[k] =
                PERMUTE(LOAD(entries + 2 * k * LANES), index, LOAD(entries + (2 * k + 1) * LANES));
        UNROLL
        for (int bit = 2 * LANES; bit < ENTRIES; bit *= 2)
            for (int k = 0; k < ENTRIES / (2 * bit); k++)
                found[k] = PICK(HAS_BIT(index, bit), found[2 * k + 1], found[2 * k]);
        x->d[i] = found[0];
    }
}

/* sum = k * G; returns the lanes in which it is at infinity. */
LEAF lanes_mask multiply_base(point *sum, const struct ec_lanes_scalar *k)
{
    enum { ENTRIES = 1 << (COMB_WIDTH - 1) };
    lanes_mask infinite = (lanes_mask)((1 << LANES) - 1);
    number one;
    point more, entry;
    same(&one, DOMAIN.one);
    sum->x = sum->y = sum->z = one;
    entry.z = one;
    for (size_t i = 0; i < COMB_WINDOWS; i++) {
        const vec window = LOAD(k->window[i]), size = SHR(window, 1);
        const vec index = SUB(size, ALL(1));
        const uint64_t *const row = COMB + i * 2 * DIGITS * ENTRIES;
        const lanes_mask skip = EQUAL(size, zero());
        look_up_comb(&entry.x, row, index);
        look_up_comb(&entry.y, row + DIGITS * ENTRIES, index);
        negate(&entry.y, HAS_BIT(window, 1), &entry.y);
        add_affine(&more, sum, &entry.x, &entry.y);
        pick_point(&more, infinite, &entry, &more);
        pick_point(sum, skip, sum, &more);
        infinite &= skip;
    }
    return infinite;
}

enum { MULTIPLES = 1 << (EC_LANES_WIDTH - 1) };

/* The multiples of a point, by looking at all of them. */
INLINE void look_up(point *z, const point table[MULTIPLES], vec size)
{
    *z = table[0];
    for (size_t j = 1; j < MULTIPLES; j++)
        pick_point(z, EQUAL(size, ALL(j + 1)), &table[j], z);
}

/* sum = k * (x, y); returns the lanes in which it is at infinity. */
LEAF lanes_mask multiply(point *sum, const struct ec_lanes_scalar *k, const number *x,
                         const number *y)
{
    lanes_mask infinite = (lanes_mask)((1 << LANES) - 1);
    point table[MULTIPLES], entry, more;
    table[0].x = *x;
    table[0].y = *y;
    same(&table[0].z, DOMAIN.one);
    for (size_t j = 2; j <= MULTIPLES; j += 2) {
        table[j - 1] = table[j / 2 - 1];
        twice(&table[j - 1]);
        if (j < MULTIPLES)
            add_affine(&table[j], &table[j - 1], x, y);
    }
    *sum = table[0];
    for (size_t i = WINDOWS; i-- > 0;) {
        const vec window = LOAD(k->window[i]), size = SHR(window, 1);
        const lanes_mask skip = EQUAL(size, zero());
        for (int n = 0; n < EC_LANES_WIDTH; n++)
            twice(sum);
        look_up(&entry, table, size);
        negate(&entry.y, HAS_BIT(window, 1), &entry.y);
        add_points(&more, sum, &entry);
        pick_point(&more, infinite, &entry, &more);
        pick_point(sum, skip, sum, &more);
        infinite &= skip;
    }
    return infinite;
}

/* x = the x of a point as a number; 0 for a point with z = 0. */
LEAF void affine_x(number *x, const point *p)
{
    number t;
    inverse(&t, &p->z, FIELD, mul, sqr);
    sqr(&t, &t);
    mul(&t, &t, &p->x);
    leave(x, &t);
}
