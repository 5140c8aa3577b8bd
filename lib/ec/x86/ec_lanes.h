/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a curve in lanes, the source of all kernels. */
#define NAME_(curve, stem) NAME__(curve, stem)
#define NAME(stem) NAME_(CURVE, stem)
#define OF_CURVE_(curve, stem) curve##_##stem
#define OF_CURVE(curve, stem) OF_CURVE_(curve, stem)
#define DOMAIN OF_CURVE(CURVE, lanes_table)
#define COMB OF_CURVE(CURVE, comb_table)
#define ORDER DOMAIN.n
#define ORDER_M0 DOMAIN.n_m0

#include "ec_lanes_field.h"
#include "ec_lanes_point.h"

/* z = x R mod n */
INLINE void enter_order(number *z, const number *x)
{
    number r2;
    same(&r2, DOMAIN.n_r2);
    order_mul(z, x, &r2);
}

/* z = 1/x, both with R. */
LEAF void order_inverse(number *z, const number *x)
{
    inverse(z, x, ORDER, order_mul, order_sqr);
}

/* s = (e + r key) / k.  With the blind b, 1/k = b / (b k). */
TARGET void NAME(sign)(struct ec_lanes_sign *work)
{
    point p;
    number r, k, blind, t;
    (void)multiply_base(&p, &work->comb);
    affine_x(&r, &p);
    below(&r, &r, ORDER);
    store(&work->r, &r);
    load(&k, &work->k);
    load(&blind, &work->blind);
    enter_order(&blind, &blind);
    order_mul(&k, &k, &blind);
    enter_order(&k, &k);
    order_inverse(&k, &k);
    order_mul(&k, &k, &blind);
    load(&t, &work->key);
    enter_order(&t, &t);
    order_mul(&t, &t, &r);
    load(&r, &work->digest);
    UNROLL
    for (int i = 0; i < DIGITS; i++)
        t.d[i] = ADD(t.d[i], r.d[i]);
    carry(&t);
    order_mul(&t, &t, &k);
    below(&t, &t, ORDER);
    store(&work->s, &t);
}

/* u = e / s, v = r / s */
TARGET void NAME(scalars_vartime)(struct ec_lanes_verify *work)
{
    number s, t;
    load(&s, &work->s);
    enter_order(&s, &s);
    order_inverse(&s, &s);
    load(&t, &work->digest);
    order_mul(&t, &t, &s);
    below(&t, &t, ORDER);
    store(&work->u, &t);
    load(&t, &work->r);
    order_mul(&t, &t, &s);
    below(&t, &t, ORDER);
    store(&work->v, &t);
}

/* Turns the coordinates of a point into this file's form. */
INLINE void load_point(number *x, number *y, const struct ec_lanes_number *from_x,
                       const struct ec_lanes_number *from_y)
{
    number change;
    same(&change, DOMAIN.change);
    load(x, from_x);
    load(y, from_y);
    mul(x, x, &change);
    mul(y, y, &change);
}

/* Returns the lanes in which x is candidate z^2. */
INLINE lanes_mask has_x(const point *p, const number *square_z, const struct ec_lanes_number *from)
{
    number t, enter;
    same(&enter, DOMAIN.enter);
    load(&t, from);
    mul(&t, &t, &enter);
    mul(&t, &t, square_z);
    sub(&t, &t, &p->x);
    return is_zero(&t);
}

/* The sum of the two products may be that of a point and itself or its opposite: its z is 0 then,
 * and the lane's result unknown. */
TARGET void NAME(verify_vartime)(struct ec_lanes_verify *work)
{
    point base, other, sum;
    number x, y;
    const lanes_mask base_infinite = multiply_base(&base, &work->u_comb);
    load_point(&x, &y, &work->x, &work->y);
    const lanes_mask other_infinite = multiply(&other, &work->v_windows, &x, &y);
    negate(&base.y, (lanes_mask)work->u_negate, &base.y);
    negate(&other.y, (lanes_mask)work->v_negate, &other.y);
    add_points(&sum, &base, &other);
    pick_point(&sum, base_infinite, &other, &sum);
    pick_point(&sum, other_infinite, &base, &sum);
    work->unknown = (uint8_t)(is_zero(&sum.z) | (base_infinite & other_infinite));
    sqr(&x, &sum.z);
    work->good = (uint8_t)(has_x(&sum, &x, &work->r) | has_x(&sum, &x, &work->second));
}

TARGET void NAME(agree)(struct ec_lanes_agree *work)
{
    point p;
    number x, y;
    load_point(&x, &y, &work->x, &work->y);
    const lanes_mask infinite = multiply(&p, &work->windows, &x, &y);
    work->infinite = (uint8_t)(infinite | is_zero(&p.z));
    affine_x(&x, &p);
    store(&work->secret, &x);
}
