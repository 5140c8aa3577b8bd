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

/* The same faster, by whole runs of g's low zeros; f and g are public. */
static struct matrix divide_steps_vartime(uint64_t *delta, uint64_t f, uint64_t g)
{
    struct matrix t = { 1, 0, 0, 1 };
    for (int left = BATCH;;) {
        const int zeros = __builtin_ctzll(g | UINT64_C(1) << left);
        g >>= zeros;
        t.u <<= zeros;
        t.v <<= zeros;
        *delta += (uint64_t)zeros;
        left -= zeros;
        if (!left)
            return t;
        if ((int64_t)*delta > 0) {
            const uint64_t old_f = f;
            const struct matrix old = t;
            *delta = 0 - *delta;
            f = g;
            g = 0 - old_f;
            t = (struct matrix){ old.q, old.r, 0 - old.u, 0 - old.v };
        }
        g += f;
        t.q += t.u;
        t.r += t.v;
    }
}

/* u x for a limb x that is not signed; sign is 0 or -1, and u the magnitude. */
static inline signed_wide times(uint64_t u, signed_wide sign, uint64_t x)
{
    return ((signed_wide)((bn_wide)u * x) ^ sign) - sign;
}

/* z = (u x + v y + k m) / 2^62, which is a whole number */
BN_INLINE void combine(uint64_t *z, uint64_t u, const uint64_t *x, uint64_t v, const uint64_t *y,
                       uint64_t k, const uint64_t *m, size_t num)
{
    const uint64_t u_negative = bn_mask(u >> 63), v_negative = bn_mask(v >> 63);
    const uint64_t u_size = (u ^ u_negative) - u_negative, v_size = (v ^ v_negative) - v_negative;
    const signed_wide u_sign = (int64_t)u_negative, v_sign = (int64_t)v_negative;
    uint64_t low = 0;
    signed_wide sum = 0;
    for (size_t i = 0; i < num; i++) {
        sum += times(u_size, u_sign, x[i]) + times(v_size, v_sign, y[i]);
        sum += (signed_wide)((bn_wide)k * m[i]);
        const uint64_t word = (uint64_t)sum;
        sum >>= 64;
        if (i)
            z[i - 1] = low >> BATCH | word << (64 - BATCH);
        low = word;
    }
    sum += (signed_wide)(int64_t)u * (int64_t)x[num] + (signed_wide)(int64_t)v * (int64_t)y[num];
    z[num - 1] = low >> BATCH | (uint64_t)sum << (64 - BATCH);
    z[num] = (uint64_t)(sum >> BATCH);
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

/* Applies a matrix to f and g of num + 1 limbs, and to d and e. */
static void apply(struct state *s, const struct matrix *t, size_t num, const struct modulus *m)
{
    uint64_t f[ROOM], d[ROOM];
    combine(f, t->u, s->f, t->v, s->g, 0, s->f, num);
    combine(s->g, t->q, s->f, t->r, s->g, 0, s->f, num);
    memcpy(s->f, f, (num + 1) * sizeof *f);
    combine_mod(d, t->u, s->d, t->v, s->e, m);
    combine_mod(s->e, t->q, s->d, t->r, s->e, m);
    memcpy(s->d, d, (m->num + 1) * sizeof *d);
    WIPE(&f);
    WIPE(&d);
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

static void start(struct state *s, const uint64_t *x, const struct modulus *m)
{
    *s = (struct state){ .e = { 1 }, .delta = 1 };
    memcpy(s->f, m->m, m->num * sizeof *s->f);
    memcpy(s->g, x, m->num * sizeof *s->g);
}

/* f, of f_num + 1 limbs, is the greatest common divisor, or its negative, and g is zero. */
static uint64_t finish(uint64_t *z, struct state *s, size_t f_num, const struct modulus *m)
{
    static const uint64_t one[ROOM] = { 1 };
    const uint64_t negative = bn_mask(s->f[f_num] >> 63);
    negate_if(negative, s->f, f_num);
    negate_if(negative, s->d, m->num);
    bn_add_masked(z, s->d, m->m, bn_mask(s->d[m->num] >> 63), m->num);
    return bn_equal(s->f, one, f_num + 1);
}

static void run_steps(struct state *s, const uint64_t *x, const struct modulus *m)
{
    const size_t steps = (49 * 64 * m->num + 80) / 17;
    start(s, x, m);
    for (size_t done = 0; done < steps; done += BATCH) {
        struct matrix t = divide_steps(&s->delta, s->f[0], s->g[0]);
        apply(s, &t, m->num, m);
        WIPE(&t);
    }
}

uint64_t mont_inverse(uint64_t *z, const uint64_t *x, const struct modulus *m)
{
    struct state s;
    run_steps(&s, x, m);
    const uint64_t found = finish(z, &s, m->num, m);
    WIPE(&s);
    return found;
}

void mont_gcd(uint64_t *z, const uint64_t *x, const struct modulus *m)
{
    struct state s;
    run_steps(&s, x, m);
    negate_if(bn_mask(s.f[m->num] >> 63), s.f, m->num);
    memcpy(z, s.f, m->num * sizeof *z);
    WIPE(&s);
}

/* Whether the highest of num + 1 limbs only repeats the sign of the one below. */
static int is_long_vartime(const uint64_t *x, size_t num)
{
    return x[num] != bn_mask(x[num - 1] >> 63);
}

uint64_t mont_inverse_vartime(uint64_t *z, const uint64_t *x, const struct modulus *m)
{
    struct state s;
    size_t num = m->num;
    start(&s, x, m);
    while (!bn_is_zero(s.g, num + 1)) {
        const struct matrix t = divide_steps_vartime(&s.delta, s.f[0], s.g[0]);
        apply(&s, &t, num, m);
        while (num > 1 && !is_long_vartime(s.f, num) && !is_long_vartime(s.g, num))
            num--;
    }
    const uint64_t found = finish(z, &s, num, m);
    WIPE(&s);
    return found;
}
