/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 by the Montgomery ladder of RFC 7748 section 5, portable and in constant time. */
#include "fe25519.h"
#include "words25519.h"
#include "x25519.h"

/* The differences and sums of a step; (x2 : z2) and (x3 : z3) are n and n + 1 times the point. */
struct ladder {
    struct fe x1, x2, z2, x3, z3, a, b, c, d, e;
};

static void step(struct ladder *l)
{
    static const struct fe a24 = { { 121665 } };
    fe_add(&l->a, &l->x2, &l->z2);
    fe_sub(&l->b, &l->x2, &l->z2);
    fe_add(&l->c, &l->x3, &l->z3);
    fe_sub(&l->d, &l->x3, &l->z3);
    fe_mul(&l->d, &l->d, &l->a);
    fe_mul(&l->c, &l->c, &l->b);
    fe_add(&l->x3, &l->d, &l->c);
    fe_square(&l->x3, &l->x3);
    fe_sub(&l->z3, &l->d, &l->c);
    fe_square(&l->z3, &l->z3);
    fe_mul(&l->z3, &l->z3, &l->x1);
    fe_square(&l->a, &l->a);
    fe_square(&l->b, &l->b);
    fe_mul(&l->x2, &l->a, &l->b);
    fe_sub(&l->e, &l->a, &l->b);
    fe_mul(&l->z2, &a24, &l->e);
    fe_add(&l->z2, &l->z2, &l->a);
    fe_mul(&l->z2, &l->z2, &l->e);
}

void x25519_multiply_c(uint64_t out[4], const uint64_t scalar[4], const uint64_t point[4])
{
    struct ladder l = { .x2 = { { 1 } }, .z3 = { { 1 } } };
    uint8_t k[32];
    uint32_t swapped = 0;
    store_words25519(k, point);
    fe_load(&l.x1, k);
    store_words25519(k, scalar);
    k[0] &= 248;
    k[31] = (uint8_t)((k[31] & 127) | 64);
    l.x3 = l.x1;
    for (unsigned i = 255; i-- > 0;) {
        const uint32_t bit = k[i / 8] >> (i % 8) & 1;
        fe_swap(&l.x2, &l.x3, swapped ^ bit);
        fe_swap(&l.z2, &l.z3, swapped ^ bit);
        swapped = bit;
        step(&l);
    }
    fe_swap(&l.x2, &l.x3, swapped);
    fe_swap(&l.z2, &l.z3, swapped);
    fe_invert(&l.z2, &l.z2);
    fe_mul(&l.x2, &l.x2, &l.z2);
    fe_store(k, &l.x2);
    load_words25519(out, k, 4);
    WIPE(&l);
    WIPE(&k);
}

void x25519_base_c(uint64_t out[4], const uint64_t scalar[4])
{
    static const uint64_t base[4] = { 9 };
    x25519_multiply_c(out, scalar, base);
}
