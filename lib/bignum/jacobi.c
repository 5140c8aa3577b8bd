/* SPDX-License-Identifier: Apache-2.0 */
/* The Jacobi symbol (x / n): twos leave x, each with the sign of (2 / n), and of two odd numbers
 * one takes the other's place by quadratic reciprocity (Cohen, "A Course in Computational Algebraic
 * Number Theory", section 1.4).
 *
 * First by division steps that add instead of subtracting, so that no number is negative, 62 at a
 * time: what they do, and how the symbol changes, depends on the lowest words only.  They end at
 * f = 1 for nearly all numbers that have no common factor; the rest is left to the binary
 * algorithm, which ends for all. */
#include "../internal.h"
#include "mont_power.h"

/* Whether (2 / n) is -1, for the lowest bits of an odd n. */
static unsigned sign_of_two(uint64_t n)
{
    return (unsigned)(n >> 1 ^ n >> 2) & 1;
}

/* ---- division steps ---- */

enum { BATCH = 62 };

/* 2^62 f' = u f + v g, 2^62 g' = q f + r g; u + v and q + r are at most 2^62. */
struct steps {
    uint64_t u, v, q, r;
};

struct symbol {
    uint64_t f[MONT_POWER_LIMBS], g[MONT_POWER_LIMBS]; /* num limbs; f is odd */
    size_t num;
    int64_t delta;
    unsigned sign; /* of (x / n) over (g / f) */
};

/* steps_vartime looks at the lowest words alone, of which at least three bits are right before each
 * step. */
static struct steps steps_vartime(struct symbol *s)
{
    struct steps t = { 1, 0, 0, 1 };
    uint64_t f = s->f[0], g = s->g[0];
    for (int left = BATCH;;) {
        const int twos = __builtin_ctzll(g | UINT64_C(1) << left);
        s->sign ^= sign_of_two(f) & (unsigned)twos;
        g >>= twos;
        t.u <<= twos;
        t.v <<= twos;
        s->delta += twos;
        left -= twos;
        if (!left)
            return t;
        if (s->delta > 0) {
            const uint64_t old_f = f;
            s->delta = -s->delta;
            s->sign ^= (unsigned)(f & g) >> 1 & 1; /* both are 3 modulo 4 */
            f = g;
            g = old_f;
            t = (struct steps){ t.q, t.r, t.u, t.v };
        }
        g += f;
        t.q += t.u;
        t.r += t.v;
    }
}

static void apply_vartime(struct symbol *s, const struct steps *t)
{
    uint64_t low_f = 0, low_g = 0;
    bn_wide f = 0, g = 0;
    for (size_t i = 0; i < s->num; i++) {
        f += (bn_wide)t->u * s->f[i] + (bn_wide)t->v * s->g[i];
        g += (bn_wide)t->q * s->f[i] + (bn_wide)t->r * s->g[i];
        if (i) {
            s->f[i - 1] = low_f >> BATCH | (uint64_t)f << (64 - BATCH);
            s->g[i - 1] = low_g >> BATCH | (uint64_t)g << (64 - BATCH);
        }
        low_f = (uint64_t)f;
        low_g = (uint64_t)g;
        f >>= 64;
        g >>= 64;
    }
    s->f[s->num - 1] = low_f >> BATCH | (uint64_t)f << (64 - BATCH);
    s->g[s->num - 1] = low_g >> BATCH | (uint64_t)g << (64 - BATCH);
    while (s->num > 1 && !s->f[s->num - 1] && !s->g[s->num - 1])
        s->num--;
}

static int f_is_one(const struct symbol *s)
{
    return s->f[0] == 1 && (s->num == 1 || bn_is_zero(s->f + 1, s->num - 1));
}

/* ---- the binary algorithm ---- */

/* z = z >> shift */
static void shift_down(uint64_t *z, unsigned shift, size_t num)
{
    for (size_t i = 0; i < num; i++)
        z[i] = z[i] >> shift | (i + 1 < num ? z[i + 1] << 1 << (63 - shift) : 0);
}

/* Takes the twos out of x, which is not zero; returns the change of sign, 0 or 1. */
static unsigned take_twos(uint64_t *x, uint64_t n, size_t num)
{
    while (!x[0]) { /* 64 twos are an even number */
        memmove(x, x + 1, (num - 1) * sizeof *x);
        x[num - 1] = 0;
    }
    const unsigned twos = (unsigned)__builtin_ctzll(x[0]);
    shift_down(x, twos, num);
    return sign_of_two(n) & twos;
}

/* Returns the symbol (a / b), for an odd b; uses up both. */
static int binary_vartime(uint64_t *a, uint64_t *b, size_t num)
{
    unsigned sign = 0;
    while (!bn_is_zero(a, num)) {
        sign ^= take_twos(a, b[0], num);
        if (bn_less(a, b, num)) {
            uint64_t *const smaller = a;
            a = b;
            b = smaller;
            sign ^= a[0] & b[0] & 2 ? 1 : 0; /* both are 3 modulo 4 */
        }
        bn_sub(a, a, b, num);
        while (num > 1 && !a[num - 1] && !b[num - 1])
            num--;
    }
    if (b[0] != 1 || !bn_is_zero(b + 1, num - 1))
        return 0;
    return sign ? -1 : 1;
}

int bn_jacobi_vartime(const uint64_t *x, const uint64_t *n, size_t num)
{
    struct symbol s = { .num = num, .delta = 1 };
    memcpy(s.f, n, num * sizeof *n);
    memcpy(s.g, x, num * sizeof *x);
    for (size_t left = 3 * num + 4; left && !f_is_one(&s); left--) {
        const struct steps t = steps_vartime(&s);
        apply_vartime(&s, &t);
    }
    const int rest = f_is_one(&s) ? 1 : binary_vartime(s.g, s.f, s.num);
    return s.sign ? -rest : rest;
}
