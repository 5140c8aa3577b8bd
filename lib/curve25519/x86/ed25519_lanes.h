/* SPDX-License-Identifier: Apache-2.0 */
/* Multiples of points of Ed25519 in lanes, the source of both kernels.  Points have the extended
 * coordinates of Hisil, Wong, Carter and Dawson (2008), x = X/Z, y = Y/Z, x y = T/Z, whose addition
 * holds for all points of this curve. */
#include "fe25519_lanes.h"

typedef struct {
    number x, y, z, t;
} point;

/* A point to be added: y - x, x + y, 2 d t and 2 z. */
typedef struct {
    number minus, plus, t, z;
} entry;

INLINE void pick(number *z, lanes_mask mask, const number *x, const number *y)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        z->d[i] = PICK(mask, x->d[i], y->d[i]);
}

/* The neutral point. */
INLINE void start(point *p)
{
    small(&p->x, 0);
    small(&p->y, 1);
    small(&p->z, 1);
    small(&p->t, 0);
}

INLINE void end_sum(point *p, const number *e, const number *f, const number *g, const number *h)
{
    mul(&p->x, e, f);
    mul(&p->y, g, h);
    mul(&p->t, e, h);
    mul(&p->z, f, g);
}

/* p += q; with an entry that has no z, for 1. */
INLINE void add_entry(point *p, const entry *q, int has_z)
{
    number a, b, c, d, e, h;
    sub(&a, &p->y, &p->x);
    add(&b, &p->y, &p->x);
    mul(&a, &a, &q->minus);
    mul(&b, &b, &q->plus);
    mul(&c, &p->t, &q->t);
    if (has_z)
        mul(&d, &p->z, &q->z);
    else
        add(&d, &p->z, &p->z);
    sub(&e, &b, &a);
    add(&h, &b, &a);
    sub(&a, &d, &c);
    add(&b, &d, &c);
    end_sum(p, &e, &a, &b, &h);
}

/* p += p; T is not written if nothing is added next. */
INLINE void twice(point *p, int with_t)
{
    number a, b, c, e, g;
    add(&e, &p->x, &p->y);
    sqr(&a, &p->x);
    sqr(&b, &p->y);
    sqr(&c, &p->z);
    sqr(&e, &e);
    add(&c, &c, &c);
    sub(&g, &a, &b);
    add(&a, &a, &b); /* H */
    sub(&e, &a, &e);
    add(&c, &c, &g); /* F */
    mul(&p->x, &e, &c);
    mul(&p->y, &g, &a);
    mul(&p->z, &c, &g);
    if (with_t)
        mul(&p->t, &e, &a);
}

/* ---- multiples of the base point ---- */

/* Negates an entry in the lanes of a mask; its t is then below 2^52, as 2 p - t is. */
INLINE void negate(entry *q, lanes_mask mask)
{
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        q->t.d[i] = PICK(mask, SUB(ALL(2 * MASK - (i ? 0 : 36)), q->t.d[i]), q->t.d[i]);
    swap(mask, &q->minus, &q->plus);
}

/* Gets those of a row's numbers, one a lane, whose indices count from 0. */
INLINE vec look_up_number(const uint64_t *row, vec index)
{
    enum { HALVES = ED25519_ENTRIES / (2 * LANES) };
    vec found[HALVES];
    UNROLL
    for (int i = 0; i < HALVES; i++)
        found[i] = PERMUTE(LOAD(row + 2 * i * LANES), index, LOAD(row + (2 * i + 1) * LANES));
    return HALVES == 1 ? found[0] : PICK(HAS_BIT(index, 8), found[HALVES - 1], found[0]);
}

INLINE void look_up_base(entry *q, const uint64_t table[3 * DIGITS][ED25519_ENTRIES], vec window)
{
    const vec size = SHR(window, 1), index = SUB(size, ALL(1));
    const lanes_mask none = EQUAL(size, ALL(0));
    UNROLL
    for (int i = 0; i < DIGITS; i++) {
        const vec neutral = ALL(!i);
        q->minus.d[i] = PICK(none, neutral, look_up_number(table[i], index));
        q->plus.d[i] = PICK(none, neutral, look_up_number(table[DIGITS + i], index));
        q->t.d[i] = PICK(none, ALL(0), look_up_number(table[2 * DIGITS + i], index));
    }
    negate(q, HAS_BIT(window, 1));
}

/* p += k B */
LEAF void add_base(point *p, const struct scalar25519 *k)
{
    for (size_t i = 0; i < ED25519_WINDOWS; i++) {
        entry q;
        look_up_base(&q, ed25519_lanes_table[i], LOAD(k->window[i]));
        add_entry(p, &q, 0);
    }
}

/* ---- multiples of any point ---- */

INLINE void make_entry(entry *q, const point *p)
{
    number two_d;
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        two_d.d[i] = ALL(ed25519_curve_table[i]);
    sub(&q->minus, &p->y, &p->x);
    add(&q->plus, &p->y, &p->x);
    mul(&q->t, &p->t, &two_d);
    add(&q->z, &p->z, &p->z);
}

INLINE void look_up(entry *q, const entry table[ED25519_ENTRIES], vec window)
{
    const vec size = SHR(window, 1);
    small(&q->minus, 1);
    small(&q->plus, 1);
    small(&q->t, 0);
    small(&q->z, 2);
    for (size_t j = 0; j < ED25519_ENTRIES; j++) {
        const lanes_mask is = EQUAL(size, ALL(j + 1));
        pick(&q->minus, is, &table[j].minus, &q->minus);
        pick(&q->plus, is, &table[j].plus, &q->plus);
        pick(&q->t, is, &table[j].t, &q->t);
        pick(&q->z, is, &table[j].z, &q->z);
    }
    negate(q, HAS_BIT(window, 1));
}

/* p = k (x, y), for k below L, whose highest digit is 0. */
LEAF void multiply(point *p, const struct scalar25519 *k, const number *x, const number *y)
{
    entry table[ED25519_ENTRIES], q;
    point multiple;
    multiple.x = *x;
    multiple.y = *y;
    small(&multiple.z, 1);
    mul(&multiple.t, x, y);
    make_entry(&table[0], &multiple);
    for (size_t j = 1; j < ED25519_ENTRIES; j++) {
        add_entry(&multiple, &table[0], 0);
        make_entry(&table[j], &multiple);
    }
    start(p);
    for (size_t i = ED25519_WINDOWS - 1; i-- > 0;) {
        for (int n = 0; n < 4; n++)
            twice(p, 0);
        twice(p, 1);
        look_up(&q, table, LOAD(k->window[i]));
        add_entry(p, &q, 1);
    }
}

/* ---- operations ---- */

INLINE void write_affine(struct ed25519_lanes *work, point *p)
{
    invert(&p->z, &p->z);
    mul(&p->x, &p->x, &p->z);
    mul(&p->y, &p->y, &p->z);
    store(&work->x, &p->x);
    store(&work->y, &p->y);
}

TARGET void NAME__(ed25519, multiply)(struct ed25519_lanes *work)
{
    point p;
    start(&p);
    add_base(&p, &work->base);
    write_affine(work, &p);
}

TARGET void NAME__(ed25519, compare)(struct ed25519_lanes *work)
{
    point p;
    number x, y;
    start(&p);
    add_base(&p, &work->base);
    load(&x, &work->x);
    load(&y, &work->y);
    mul(&x, &x, &p.z);
    mul(&y, &y, &p.z);
    sub(&x, &x, &p.x);
    sub(&y, &y, &p.y);
    store(&work->x, &x);
    store(&work->y, &y);
}

TARGET void NAME__(ed25519, verify_vartime)(struct ed25519_lanes *work)
{
    point p;
    number x, y;
    load(&x, &work->x);
    load(&y, &work->y);
    multiply(&p, &work->other, &x, &y);
    add_base(&p, &work->base);
    write_affine(work, &p);
}
