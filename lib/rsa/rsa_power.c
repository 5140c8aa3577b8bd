/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on numbers.  The private one raises to dp and dq modulo the primes (RFC 8017
 * section 5.1.2).  It is blinded: c r^e instead of c, for a random r, so that nobody chooses the
 * numbers that the primes meet; and the result is raised to e and compared, as one wrong half would
 * reveal a prime (Boneh, DeMillo, Lipton, 1997). */
#include "../pk/random.h"
#include "../pk/stack.h"
#include "rsa.h"

int rsa_public_vartime(uint8_t *bytes, const struct rsa_key *key)
{
    const struct modulus n = rsa_modulus(key);
    uint64_t x[RSA_LIMBS];
    bn_from_bytes(x, key->num, bytes, key->bytes);
    uint64_t below = bn_less(x, key->n, key->num);
    CT_PUBLIC(&below, sizeof below);
    if (!below)
        return HR_ELENGTH;
    mont_power_vartime(x, x, key->e, key->e_num, &n);
    bn_to_bytes(bytes, key->bytes, x);
    wipe_bytes(x, key->num * sizeof *x);
    return 0;
}

void rsa_multiply_add(uint64_t *z, const uint64_t *x, size_t x_num, const uint64_t *y, size_t y_num)
{
    for (size_t i = 0; i < x_num; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < y_num; j++) {
            const bn_wide sum = (bn_wide)x[i] * y[j] + z[i + j] + carry;
            z[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        z[i + y_num] = carry;
    }
}

struct blinding {
    uint64_t r[RSA_PRIVATE_LIMBS], inverse[RSA_PRIVATE_LIMBS];
};

/* r and 1/r = t / (r t), for a random t.  Whatever r is, r t is as random as t, so that the time
 * of its inversion tells nothing of r. */
static int make_blinding(struct blinding *b, const struct modulus *n, const struct rsa_key *key)
{
    uint64_t t[RSA_PRIVATE_LIMBS], product[RSA_PRIVATE_LIMBS];
    int error = system_random_below(b->r, n->m, n->num);
    if (!error)
        error = system_random_below(t, n->m, n->num);
    if (error)
        return error;
    mont_product(product, b->r, t, n);
    CT_PUBLIC(product, n->num * sizeof *product);
    if (!mont_inverse_vartime(product, product, n))
        error = HR_EFAULT;
    mont_product(b->inverse, product, t, n);
    mont_power_vartime(b->r, b->r, key->e, key->e_num, n);
    WIPE(&t);
    return error;
}

static void raise_half(uint64_t *z, const uint64_t *x, size_t x_num, const struct rsa_half *half,
                       struct modulus *modulus)
{
    *modulus = (struct modulus){ .m = half->p, .r2 = half->r2, .m0 = half->m0, .num = half->num };
    mont_reduce(z, x, x_num, modulus);
    mont_power(z, z, half->d, half->num, modulus);
}

/* z = mq + q ((mp - mq) qinv mod p) */
static void combine(uint64_t *z, const uint64_t *mp, const uint64_t *mq, const struct modulus *p,
                    const struct rsa_key *key)
{
    uint64_t h[RSA_HALF_LIMBS], sum[2 * RSA_HALF_LIMBS] = { 0 };
    const size_t q_num = key->q.num;
    mont_reduce(h, mq, q_num, p);
    bn_mod_sub(h, mp, h, p->m, p->num);
    mont_product(h, h, key->qinv, p);
    memcpy(sum, mq, q_num * sizeof *sum);
    rsa_multiply_add(sum, h, p->num, key->q.p, q_num);
    memcpy(z, sum, key->num * sizeof *z);
    WIPE(&h);
    WIPE(&sum);
}

static void both_halves(uint64_t *z, const uint64_t *x, const struct rsa_key *key)
{
    uint64_t mp[RSA_HALF_LIMBS], mq[RSA_HALF_LIMBS];
    struct modulus p, q;
    raise_half(mp, x, key->num, &key->p, &p);
    raise_half(mq, x, key->num, &key->q, &q);
    combine(z, mp, mq, &p, key);
    WIPE(&mp);
    WIPE(&mq);
}

static __attribute__((noinline)) int private_power(uint64_t *x, const struct rsa_key *key)
{
    const struct modulus n = rsa_modulus(key);
    struct blinding b;
    uint64_t z[RSA_PRIVATE_LIMBS], again[RSA_PRIVATE_LIMBS];
    int error = make_blinding(&b, &n, key);
    if (!error) {
        mont_product(z, x, b.r, &n);
        both_halves(z, z, key);
        mont_product(z, z, b.inverse, &n);
        mont_power_vartime(again, z, key->e, key->e_num, &n);
        uint64_t same = bn_equal(again, x, key->num);
        CT_PUBLIC(&same, sizeof same);
        error = same ? 0 : HR_EFAULT;
    }
    if (error)
        memset(z, 0, sizeof z);
    memcpy(x, z, key->num * sizeof *x);
    WIPE(&b);
    WIPE(&z);
    WIPE(&again);
    return error;
}

int rsa_private(uint8_t *bytes, const struct rsa_key *key)
{
    uint64_t x[RSA_PRIVATE_LIMBS];
    bn_from_bytes(x, key->num, bytes, key->bytes);
    uint64_t below = bn_less(x, key->n, key->num);
    CT_PUBLIC(&below, sizeof below);
    const int error = below ? private_power(x, key) : HR_ELENGTH;
    pk_wipe_deep_stack();
    if (error)
        memset(x, 0, sizeof x);
    bn_to_bytes(bytes, key->bytes, x);
    WIPE(&x);
    return error;
}
