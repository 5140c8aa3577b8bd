/* SPDX-License-Identifier: Apache-2.0 */
/* The portable point arithmetic of one curve, in constant time: the file that includes this defines
 * CURVE, its prefix; LIMBS; FIELD, its p; and field_mul().
 *
 * Jacobian coordinates for a = -3 (Cohen, Miyaji, Ono, "Efficient elliptic curve exponentiation
 * using mixed coordinates", 1998; Bernstein and Lange's database of formulas, "dbl-2001-b"). */
#include "ec_c.h"

#define NAME_(curve, name) curve##_##name##_c
#define NAME__(curve, name) NAME_(curve, name)
#define NAME(name) NAME__(CURVE, name)

static inline void field_add(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    bn_mod_add(z, x, y, FIELD, LIMBS);
}
static inline void field_sub(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    bn_mod_sub(z, x, y, FIELD, LIMBS);
}
static inline void field_sqr(uint64_t *z, const uint64_t *x)
{
    field_mul(z, x, x);
}

void NAME(mul)(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    field_mul(z, x, y);
}
void NAME(sqr)(uint64_t *z, const uint64_t *x)
{
    field_sqr(z, x);
}

/* With gamma = y^2, beta = x gamma, alpha = 3 (x - z^2) (x + z^2): the double is
 * x' = alpha^2 - 8 beta, y' = alpha (4 beta - x') - 8 gamma^2, z' = 2 y z. */
void NAME(twice)(uint64_t *out, const uint64_t *p)
{
    const uint64_t *const x = p, *const y = p + LIMBS, *const z = p + 2 * LIMBS;
    uint64_t gamma[LIMBS], beta[LIMBS], alpha[LIMBS], t[LIMBS], u[LIMBS];
    field_sqr(t, z);
    field_sub(u, x, t);
    field_add(t, x, t);
    field_mul(t, t, u);
    field_add(alpha, t, t);
    field_add(alpha, alpha, t);
    field_sqr(gamma, y);
    field_mul(beta, x, gamma);
    field_mul(t, y, z);
    field_add(out + 2 * LIMBS, t, t);
    field_add(beta, beta, beta);
    field_add(beta, beta, beta);
    field_sqr(t, alpha);
    field_sub(t, t, beta);
    field_sub(out, t, beta);
    field_sqr(gamma, gamma);
    field_add(gamma, gamma, gamma);
    field_add(gamma, gamma, gamma);
    field_add(gamma, gamma, gamma);
    field_sub(t, beta, out);
    field_mul(t, alpha, t);
    field_sub(out + LIMBS, t, gamma);
}

/* The sum's x, y and z without a factor, from u1 = x1 z2^2, s1 = y1 z2^3, h = x2 z1^2 - u1 and
 * r = y2 z1^3 - s1: x = r^2 - h^3 - 2 u1 h^2, y = r (u1 h^2 - x) - s1 h^3, z = h (times z1 z2). */
static inline void add_tail(uint64_t *sum, uint64_t *u1, uint64_t *s1, uint64_t *h, uint64_t *r)
{
    uint64_t t[LIMBS], cube[LIMBS];
    field_sqr(t, h);
    field_mul(cube, t, h);
    field_mul(u1, u1, t);
    field_sqr(t, r);
    field_sub(t, t, cube);
    field_sub(t, t, u1);
    field_sub(sum, t, u1);
    field_sub(t, u1, sum);
    field_mul(t, t, r);
    field_mul(cube, cube, s1);
    field_sub(sum + LIMBS, t, cube);
}

void NAME(add)(uint64_t *out, const uint64_t *p, const uint64_t *q)
{
    const uint64_t *const z1 = p + 2 * LIMBS, *const z2 = q + 2 * LIMBS;
    const uint64_t p_infinite = bn_is_zero(z1, LIMBS), q_infinite = bn_is_zero(z2, LIMBS);
    uint64_t u1[LIMBS], s1[LIMBS], h[LIMBS], r[LIMBS], t[LIMBS], sum[3 * LIMBS];
    field_sqr(t, z2);
    field_mul(u1, p, t);
    field_mul(t, t, z2);
    field_mul(s1, p + LIMBS, t);
    field_sqr(t, z1);
    field_mul(h, q, t);
    field_sub(h, h, u1);
    field_mul(t, t, z1);
    field_mul(r, q + LIMBS, t);
    field_sub(r, r, s1);
    field_mul(t, z1, z2);
    field_mul(sum + 2 * LIMBS, t, h);
    add_tail(sum, u1, s1, h, r);
    bn_select(sum, p_infinite, q, sum, 3 * LIMBS);
    bn_select(out, q_infinite, p, sum, 3 * LIMBS);
}

void NAME(add_affine)(uint64_t *out, const uint64_t *p, const uint64_t *q)
{
    const uint64_t *const z1 = p + 2 * LIMBS;
    const uint64_t p_infinite = bn_is_zero(z1, LIMBS);
    uint64_t u1[LIMBS], s1[LIMBS], h[LIMBS], r[LIMBS], t[LIMBS], sum[3 * LIMBS];
    ec_copy(u1, p, LIMBS);
    ec_copy(s1, p + LIMBS, LIMBS);
    field_sqr(t, z1);
    field_mul(h, q, t);
    field_sub(h, h, u1);
    field_mul(t, t, z1);
    field_mul(r, q + LIMBS, t);
    field_sub(r, r, s1);
    field_mul(sum + 2 * LIMBS, z1, h);
    add_tail(sum, u1, s1, h, r);
    bn_select(out, p_infinite, q, sum, 2 * LIMBS);
    bn_select(out + 2 * LIMBS, p_infinite, DOMAIN.one, sum + 2 * LIMBS, LIMBS);
}
