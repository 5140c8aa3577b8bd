/* SPDX-License-Identifier: Apache-2.0 */
/* The Montgomery ladder of RFC 7748 section 5 in lanes, the source of both kernels. */
#include "fe25519_lanes.h"

/* (x2 : z2) and (x3 : z3) are n and n + 1 times the point x1. */
struct ladder {
    number x1, x2, z2, x3, z3;
};

INLINE void step(struct ladder *l)
{
    enum { A24 = 121665 };
    number a, b, c, d, e;
    add(&a, &l->x2, &l->z2);
    sub(&b, &l->x2, &l->z2);
    add(&c, &l->x3, &l->z3);
    sub(&d, &l->x3, &l->z3);
    mul(&d, &d, &a);
    mul(&c, &c, &b);
    sqr(&a, &a);
    sqr(&b, &b);
    add(&l->x3, &d, &c);
    sub(&l->z3, &d, &c);
    sqr(&l->x3, &l->x3);
    sqr(&l->z3, &l->z3);
    mul(&l->z3, &l->z3, &l->x1);
    mul(&l->x2, &a, &b);
    sub(&e, &a, &b);
    add_times(&a, &a, &e, A24);
    mul(&l->z2, &a, &e);
}

TARGET void NAME__(x25519, multiply)(struct x25519_lanes *work)
{
    struct ladder l;
    lanes_mask swapped = 0;
    load(&l.x1, &work->u);
    l.x3 = l.x1;
    small(&l.x2, 1);
    small(&l.z2, 0);
    small(&l.z3, 1);
    for (unsigned i = 255; i-- > 0;) {
        const lanes_mask bit = HAS_BIT(LOAD(work->scalar[i / 64]), UINT64_C(1) << i % 64);
        swap((lanes_mask)(swapped ^ bit), &l.x2, &l.x3);
        swap((lanes_mask)(swapped ^ bit), &l.z2, &l.z3);
        swapped = bit;
        step(&l);
    }
    swap(swapped, &l.x2, &l.x3);
    swap(swapped, &l.z2, &l.z3);
    invert(&l.z2, &l.z2);
    mul(&l.x2, &l.x2, &l.z2);
    store(&work->u, &l.x2);
}
