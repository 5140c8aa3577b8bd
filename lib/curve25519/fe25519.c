/* SPDX-License-Identifier: Apache-2.0 */
#include "fe25519.h"

typedef unsigned __int128 wide;

void fe_load(struct fe *out, const uint8_t in[32])
{
    const uint64_t a = load_le64(in), b = load_le64(in + 8), c = load_le64(in + 16),
                   d = load_le64(in + 24);
    *out = (struct fe){ { a & FE_MASK, (a >> 51 | b << 13) & FE_MASK, (b >> 38 | c << 26) & FE_MASK,
                          (c >> 25 | d << 39) & FE_MASK, d >> 12 & FE_MASK } };
}

void fe_store(uint8_t out[32], const struct fe *in)
{
    struct fe x = *in;
    fe_carry(&x);
    /* The number is below 2 p: p is subtracted if adding 19 carries to bit 255. */
    uint64_t q = 19;
    for (int i = 0; i < 5; i++)
        q = (x.v[i] + q) >> 51;
    x.v[0] += 19 * q;
    for (int i = 0; i < 4; i++) {
        x.v[i + 1] += x.v[i] >> 51;
        x.v[i] &= FE_MASK;
    }
    x.v[4] &= FE_MASK;
    store_le64(out, x.v[0] | x.v[1] << 51);
    store_le64(out + 8, x.v[1] >> 13 | x.v[2] << 38);
    store_le64(out + 16, x.v[2] >> 26 | x.v[3] << 25);
    store_le64(out + 24, x.v[3] >> 39 | x.v[4] << 12);
    WIPE(&x);
}

/* Limbs that pass 2^255 come back 19 times: 2^255 = 19. */
void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    wide sum[5] = { 0 };
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            sum[(i + j) % 5] += (wide)a->v[i] * (i + j < 5 ? b->v[j] : 19 * b->v[j]);
    for (int i = 0; i < 4; i++) {
        sum[i + 1] += sum[i] >> 51;
        out->v[i] = (uint64_t)sum[i] & FE_MASK;
    }
    const wide last = out->v[0] + 19 * (sum[4] >> 51);
    out->v[4] = (uint64_t)sum[4] & FE_MASK;
    out->v[0] = (uint64_t)last & FE_MASK;
    out->v[1] += (uint64_t)(last >> 51);
}

static void square_times(struct fe *x, unsigned n)
{
    while (n--)
        fe_square(x, x);
}

/* a^(2^250 - 1).  f(n) = a^(2^n - 1) is had by f(m + n) = f(m)^(2^n) f(n). */
static void power250(struct fe *out, const struct fe *a)
{
    /* Each f of the list is made of the one before it and of an earlier one. */
    static const struct {
        uint8_t other, n; /* the place of the earlier one in the list, and its n */
    } steps[] = { { 0, 1 }, { 1, 2 },  { 0, 1 },  { 3, 5 },  { 4, 10 },
                  { 3, 5 }, { 6, 25 }, { 7, 50 }, { 6, 25 }, { 9, 125 } };
    struct fe f[11] = { *a }; /* n = 1 2 4 5 10 20 25 50 100 125 250 */
    for (unsigned i = 0; i < 10; i++) {
        f[i + 1] = f[i];
        square_times(&f[i + 1], steps[i].n);
        fe_mul(&f[i + 1], &f[i + 1], &f[steps[i].other]);
    }
    *out = f[10];
    WIPE(&f);
}

/* a^(p - 2), and p - 2 = (2^250 - 1) 2^5 + 11. */
void fe_invert(struct fe *out, const struct fe *a)
{
    struct fe x, a2, a11;
    fe_square(&a2, a);
    fe_square(&a11, &a2);
    fe_square(&a11, &a11);
    fe_mul(&a11, &a11, a);
    fe_mul(&a11, &a11, &a2);
    power250(&x, a);
    square_times(&x, 5);
    fe_mul(out, &x, &a11);
    WIPE(&x);
    WIPE(&a2);
    WIPE(&a11);
}

/* (p - 5) / 8 = (2^250 - 1) 2^2 + 1. */
void fe_root_power(struct fe *out, const struct fe *a)
{
    struct fe x;
    power250(&x, a);
    square_times(&x, 2);
    fe_mul(out, &x, a);
    WIPE(&x);
}
