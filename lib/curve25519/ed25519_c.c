/* SPDX-License-Identifier: Apache-2.0 */
/* Points of Ed25519, portable: the curve -x^2 + y^2 = 1 + d x^2 y^2 in the extended coordinates of
 * Hisil, Wong, Carter and Dawson, "Twisted Edwards Curves Revisited" (2008): x = X/Z, y = Y/Z,
 * T = XY/Z.  Their addition is complete: it takes any two points of the curve. */
#include "ed25519.h"
#include "fe25519.h"
#include "words25519.h"

struct point {
    struct fe x, y, z, t;
};

static const struct fe one = { { 1 } };
static const struct fe d = { { 0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb,
                               0x52036cee2b6ff } }; /* -121665/121666 */
static const struct fe d2 = { { 0x69b9426b2f159, 0x35050762add7a, 0x3cf44c0038052, 0x6738cc7407977,
                                0x2406d9dc56dff } };
static const struct fe root = { { 0x61b274a0ea0b0, 0xd5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e,
                                  0x2b8324804fc1d } }; /* of -1 */
static const struct point neutral = { .y = { { 1 } }, .z = { { 1 } } };
static const struct point base = {
    /* RFC 8032 section 5.1 */
    { { 0x62d608f25d51a, 0x412a4b4f6592a, 0x75b7171a4b31d, 0x1ff60527118fe, 0x216936d3cd6e5 } },
    { { 0x6666666666658, 0x4cccccccccccc, 0x1999999999999, 0x3333333333333, 0x6666666666666 } },
    { { 1 } },
    { { 0x68ab3a5b7dda3, 0xeea2a5eadbb, 0x2af8df483c27e, 0x332b375274732, 0x67875f0fd78b7 } },
};

/* Section 3.1 of the paper, with k = 2 d. */
static void add(struct point *out, const struct point *p, const struct point *q)
{
    struct fe a, b, c, e, f, g, h;
    fe_sub(&a, &p->y, &p->x);
    fe_sub(&b, &q->y, &q->x);
    fe_mul(&a, &a, &b);
    fe_add(&b, &p->y, &p->x);
    fe_add(&c, &q->y, &q->x);
    fe_mul(&b, &b, &c);
    fe_mul(&c, &p->t, &q->t);
    fe_mul(&c, &c, &d2);
    fe_mul(&f, &p->z, &q->z);
    fe_add(&f, &f, &f);
    fe_sub(&e, &b, &a);
    fe_add(&h, &b, &a);
    fe_add(&g, &f, &c);
    fe_sub(&f, &f, &c);
    fe_mul(&out->x, &e, &f);
    fe_mul(&out->y, &g, &h);
    fe_mul(&out->z, &f, &g);
    fe_mul(&out->t, &e, &h);
}

static void times16(struct point *p)
{
    for (int i = 0; i < 4; i++)
        add(p, p, p);
}

static void table_of(struct point table[16], const struct point *p)
{
    table[0] = neutral;
    for (int i = 1; i < 16; i++)
        add(&table[i], &table[i - 1], p);
}

static unsigned nibble(const uint64_t scalar[4], int i)
{
    return (unsigned)(scalar[i / 16] >> (4 * (i % 16))) & 15;
}

/* out = table[index], and reads all of the table. */
static void choose(struct point *out, const struct point table[16], uint32_t index)
{
    uint64_t *to = (uint64_t *)out;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < 16; i++) {
        const uint64_t *from = (const uint64_t *)&table[i];
        const uint64_t mask = (uint64_t)(int64_t)(int32_t)ct_eq(i, index);
        for (size_t k = 0; k < sizeof *out / sizeof *to; k++)
            to[k] |= from[k] & mask;
    }
}

static void to_words(uint64_t out[4], const struct fe *in)
{
    uint8_t bytes[32];
    fe_store(bytes, in);
    load_words25519(out, bytes, 4);
    WIPE(&bytes);
}

static void from_words(struct fe *out, const uint64_t in[4])
{
    uint8_t bytes[32];
    store_words25519(bytes, in);
    fe_load(out, bytes);
}

static void to_affine(uint64_t out[8], struct point *p)
{
    fe_invert(&p->z, &p->z);
    fe_mul(&p->x, &p->x, &p->z);
    fe_mul(&p->y, &p->y, &p->z);
    to_words(out, &p->x);
    to_words(out + 4, &p->y);
}

void ed25519_base_c(uint64_t out[8], const uint64_t scalar[4])
{
    struct point table[16], sum = neutral, chosen;
    table_of(table, &base);
    for (int i = 63; i >= 0; i--) {
        times16(&sum);
        choose(&chosen, table, nibble(scalar, i));
        add(&sum, &sum, &chosen);
    }
    to_affine(out, &sum);
    WIPE(&sum);
    WIPE(&chosen);
}

void ed25519_double_c_vartime(uint64_t out[8], const uint64_t scalar[4], const uint64_t point[8],
                              const uint64_t base_scalar[4])
{
    struct point table[16], bases[16], sum = neutral, p = { .z = { { 1 } } };
    from_words(&p.x, point);
    from_words(&p.y, point + 4);
    fe_mul(&p.t, &p.x, &p.y);
    table_of(table, &p);
    table_of(bases, &base);
    for (int i = 63; i >= 0; i--) {
        times16(&sum);
        add(&sum, &sum, &table[nibble(scalar, i)]);
        add(&sum, &sum, &bases[nibble(base_scalar, i)]);
    }
    to_affine(out, &sum);
}

static int is_equal(const struct fe *a, const struct fe *b)
{
    uint8_t x[32], y[32];
    fe_store(x, a);
    fe_store(y, b);
    return !memcmp(x, y, sizeof x);
}

/* RFC 8032 section 5.1.3; the bytes are public. */
uint64_t ed25519_decode_c(uint64_t out[8], const uint8_t in[32])
{
    struct fe x, y, u, v, w;
    uint8_t bytes[32];
    fe_load(&y, in);
    fe_store(bytes, &y);
    bytes[31] |= in[31] & 128;
    if (memcmp(bytes, in, sizeof bytes))
        return 1; /* y is not below p */
    fe_square(&w, &y);
    fe_sub(&u, &w, &one);
    fe_mul(&v, &w, &d);
    fe_add(&v, &v, &one);
    /* The root of u/v is x = u v^3 (u v^7)^((p - 5) / 8), or that times the root of -1. */
    fe_square(&w, &v);
    fe_mul(&x, &w, &v);
    fe_mul(&x, &x, &u);
    fe_square(&w, &w);
    fe_mul(&w, &w, &x);
    fe_root_power(&w, &w);
    fe_mul(&x, &x, &w);
    fe_square(&w, &x);
    fe_mul(&w, &w, &v);
    if (!is_equal(&w, &u)) {
        fe_mul(&x, &x, &root);
        fe_square(&w, &x);
        fe_mul(&w, &w, &v);
        if (!is_equal(&w, &u))
            return 1;
    }
    fe_store(bytes, &x);
    if ((bytes[0] & 1) != in[31] >> 7) {
        static const struct fe zero;
        if (is_equal(&x, &zero))
            return 1;
        fe_sub(&x, &zero, &x);
    }
    to_words(out, &x);
    to_words(out + 4, &y);
    return 0;
}
