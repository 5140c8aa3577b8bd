/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular
 * inversion", 2019, theorem 11.2), 62 at a time: their effect on f and g is a matrix of signed
 * words, which depends only on the lowest words of f and g. */
#include "../internal.h"
#include "mont_power.h"

enum { BATCH = 62, ROOM = MONT_INVERSE_LIMBS + 1 };

typedef __int128 signed_wide;

/* 2^62 f' = u f + v g, 2^62 g' = q f + r g */
struct matrix {
    uint64_t u, v, q, r; /* two's complement; |u| + |v| and |q| + |r| are at most 2^62 */
};

/* Numbers are two's complement of num + 1 limbs. */
struct state {
    uint64_t f[ROOM], g[ROOM]; /* f = d x, g = e x mod m */
    uint64_t d[ROOM], e[ROOM]; /* between -m and m */
    uint64_t delta;
};

static uint64_t select_word(uint64_t mask, uint64_t x, uint64_t y)
{
    return (x & mask) | (y & ~mask);
}

static struct matrix divide_steps(uint64_t *delta, uint64_t f, uint64_t g)
{
    struct matrix t = { 1, 0, 0, 1 };
    for (int i = 0; i < BATCH; i++) {
        const uint64_t odd = bn_mask(g & 1);
        const uint64_t swap = odd & bn_mask((0 - *delta) >> 63); /* delta > 0 */
        const uint64_t old_f = f, old_u = t.u, old_v = t.v;
        f = select_word(swap, g, f);
        g = select_word(swap, 0 - old_f, g);
        t.u = select_word(swap, t.q, t.u);
        t.q = select_word(swap, 0 - old_u, t.q);
        t.v = select_word(swap, t.r, t.v);
        t.r = select_word(swap, 0 - old_v, t.r);
        *delta = select_word(swap, 0 - *delta, *delta) + 1;
        g = (g + (f & odd)) >> 1;
        t.q += t.u & odd;
        t.r += t.v & odd;
        t.u <<= 1;
        t.v <<= 1;
    }
    return t;
}

/* A limb, of which the highest is signed. */
static signed_wide limb(const uint64_t *x, size_t i, size_t num)
{
    return i == num ? (signed_wide)(int64_t)x[i] : (signed_wide)x[i];
}

/* z = (u x + v y + k m) / 2^62, which is a whole number */
static void combine(uint64_t *z, uint64_t u, const uint64_t *x, uint64_t v, const uint64_t *y,
                    uint64_t k, const uint64_t *m, size_t num)
{
    uint64_t low = 0;
    signed_wide sum = 0;
    for (size_t i = 0; i <= num + 1; i++) {
        if (i <= num)
            sum += (int64_t)u * limb(x, i, num) + (int64_t)v * limb(y, i, num);
        if (i < num)
            sum += (signed_wide)k * m[i];
        const uint64_t word = (uint64_t)sum;
        sum >>= 64;
        if (i)
            z[i - 1] = low >> BATCH | word << (64 - BATCH);
        low = word;
    }
}

/* The same modulo m, between -m and m. */
static void combine_mod(uint64_t *z, uint64_t u, const uint64_t *x, uint64_t v, const uint64_t *y,
                        const struct modulus *m)
{
    const uint64_t k = (u * x[0] + v * y[0]) * m->m0 << 2 >> 2;
    combine(z, u, x, v, y, k, m->m, m->num);
    const uint64_t subtract = ~bn_mask(z[m->num] >> 63);
    z[m->num] -= bn_sub_masked(z, z, m->m, subtract, m->num);
}

static void batch(struct state *s, const struct modulus *m)
{
    uint64_t f[ROOM], d[ROOM];
    const size_t num = m->num, len = (num + 1) * sizeof *f;
    struct matrix t = divide_steps(&s->delta, s->f[0], s->g[0]);
    combine(f, t.u, s->f, t.v, s->g, 0, m->m, num);
    combine(s->g, t.q, s->f, t.r, s->g, 0, m->m, num);
    memcpy(s->f, f, len);
    combine_mod(d, t.u, s->d, t.v, s->e, m);
    combine_mod(s->e, t.q, s->d, t.r, s->e, m);
    memcpy(s->d, d, len);
    WIPE(&f);
    WIPE(&d);
    WIPE(&t);
}

/* x = -x where the mask has ones */
static void negate_if(uint64_t mask, uint64_t *x, size_t num)
{
    uint64_t carry = mask & 1;
    for (size_t i = 0; i <= num; i++) {
        const bn_wide sum = (bn_wide)(x[i] ^ mask) + carry;
        x[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

uint64_t mont_inverse(uint64_t *z, const uint64_t *x, const struct modulus *m)
{
    static const uint64_t one[ROOM] = { 1 };
    struct state s = { .e = { 1 }, .delta = 1 };
    const size_t num = m->num;
    memcpy(s.f, m->m, num * sizeof *s.f);
    memcpy(s.g, x, num * sizeof *s.g);
    const size_t steps = (49 * 64 * num + 80) / 17;
    for (size_t done = 0; done < steps; done += BATCH)
        batch(&s, m);
    /* f is the greatest common divisor, or its negative, and g is zero. */
    const uint64_t negative = bn_mask(s.f[num] >> 63);
    negate_if(negative, s.f, num);
    negate_if(negative, s.d, num);
    bn_add_masked(z, s.d, m->m, bn_mask(s.d[num] >> 63), num);
    const uint64_t found = bn_equal(s.f, one, num + 1);
    WIPE(&s);
    return found;
}
