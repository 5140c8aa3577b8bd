/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures, FIPS 186-4 sections 4.6 and 4.7.  A signature is r || s.  The inverse of a nonce is
 * computed in constant time, and blinded all the same. */
#include "../pk/nonce.h"
#include "../pk/random.h"
#include "../pk/stack.h"
#include "dsa.h"

/* The leftmost bits of a digest, modulo q. */
static void read_digest(uint64_t *e, const uint8_t *in, size_t in_len, const struct dsa_key *key)
{
    bn_from_leftmost(e, key->q_num, in, in_len, 8 * (size_t)key->q_bytes);
    bn_reduce_once(e, 0, e, key->q, key->q_num);
}

/* ---- verification ---- */

/* Reads r or s; returns whether 1 <= z < q. */
static int read_half(uint64_t *z, const uint8_t *bytes, const struct dsa_key *key)
{
    bn_from_bytes(z, key->q_num, bytes, key->q_bytes);
    return bn_less(z, key->q, key->q_num) && !bn_is_zero(z, key->q_num);
}

/* r = (g^(e/s) y^(r/s) mod p) mod q */
static int verify_vartime(const uint8_t *sig, const uint64_t *e, const struct dsa_key *key)
{
    const struct modulus p = dsa_p(key), q = dsa_q(key);
    uint64_t r[DSA_ORDER_LIMBS], s[DSA_ORDER_LIMBS], u[DSA_ORDER_LIMBS], v[DSA_ORDER_LIMBS];
    uint64_t product[DSA_LIMBS];
    if (!read_half(r, sig, key) || !read_half(s, sig + key->q_bytes, key) ||
        !mont_inverse_vartime(s, s, &q))
        return HR_EMAC;
    mont_product(u, e, s, &q);
    mont_product(v, r, s, &q);
    mont_power_two_vartime(product, key->g, u, key->y, v, q.num, &p);
    mont_reduce(product, product, p.num, &q);
    return bn_equal(product, r, q.num) ? 0 : HR_EMAC;
}

/* ---- signing ---- */

/* s = (e + r x) / k.  With the blind b, 1/k = b / (b k). */
static uint64_t make_s(uint64_t *s, const uint64_t *e, const uint64_t *r, uint64_t *k,
                       const uint64_t *blind, const struct dsa_key *key)
{
    const struct modulus q = dsa_q(key);
    mont_product(k, k, blind, &q);
    const uint64_t found = mont_inverse(k, k, &q);
    mont_product(k, k, blind, &q);
    mont_product(s, r, key->x, &q);
    bn_mod_add(s, s, e, key->q, q.num);
    mont_product(s, s, k, &q);
    return found;
}

/* r = (g^k mod p) mod q */
static void make_r(uint64_t *r, const uint64_t *k, const struct dsa_key *key)
{
    const struct modulus p = dsa_p(key), q = dsa_q(key);
    uint64_t power[DSA_LIMBS];
    mont_power_bits(power, key->g, k, 8 * (size_t)key->q_bytes, &p);
    mont_reduce(r, power, p.num, &q);
    WIPE(&power);
}

/* Returns HR_EFAULT if r or s is zero, or k has no inverse. */
static int try_nonce(uint8_t *out, struct nonces *nonces, const uint64_t *e,
                     const struct dsa_key *key)
{
    uint64_t k[DSA_ORDER_LIMBS], blind[DSA_ORDER_LIMBS], r[DSA_ORDER_LIMBS], s[DSA_ORDER_LIMBS];
    int error = nonces_next(k, nonces);
    if (!error)
        error = nonces_blind(blind, nonces);
    if (!error) {
        make_r(r, k, key);
        uint64_t good = make_s(s, e, r, k, blind, key);
        good &= ~bn_is_zero(r, key->q_num) & ~bn_is_zero(s, key->q_num);
        bn_to_bytes(out, key->q_bytes, r);
        bn_to_bytes(out + key->q_bytes, key->q_bytes, s);
        CT_PUBLIC(&good, sizeof good);
        error = good ? 0 : HR_EFAULT;
    }
    WIPE(&k);
    WIPE(&blind);
    WIPE(&r);
    WIPE(&s);
    return error;
}

/* A nonce fails by chance once in 2^159 times; all fail where q is not prime. */
static int sign_with(uint8_t *out, struct nonces *nonces, const uint64_t *e,
                     const struct dsa_key *key)
{
    enum { TRIES = 4 };
    int error = HR_EFAULT;
    for (int i = 0; i < TRIES && error == HR_EFAULT; i++)
        error = try_nonce(out, nonces, e, key);
    if (!error)
        CT_PUBLIC(out, 2 * (size_t)key->q_bytes); /* the signature */
    return error;
}

static __attribute__((noinline)) int sign(uint8_t *out, const uint64_t *e,
                                          const struct dsa_key *key,
                                          const struct hr_sign_options *options)
{
    const struct nonce_order order = { key->q, key->q_num, 8 * (size_t)key->q_bytes };
    struct nonces nonces;
    int error = nonces_for(&nonces, options, &order, key->x, e);
    if (!error)
        error = sign_with(out, &nonces, e, key);
    /* Two signatures of one message, one of them by a computer's mistake, would reveal the key if
     * their nonces are equal. */
    const int fresh = !(options->flags & HR_SIGN_DETERMINISTIC);
    if (!error && !fresh && verify_vartime(out, e, key))
        error = HR_EFAULT;
    WIPE(&nonces);
    return error;
}

/* ---- the calls ---- */

/* DSA has no context, which is an option of other signatures. */
static int check_options(const struct hr_sign_options *options)
{
    const uint32_t known = HR_SIGN_DETERMINISTIC;
    return options->flags & ~known || options->context_len ? HR_EINVAL : 0;
}

int hr_dsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *in, size_t in_len,
                const struct hr_dsa_key *public, const struct hr_sign_options *options)
{
    static const struct hr_sign_options none;
    const struct dsa_key *key = (const struct dsa_key *)public;
    uint8_t out[2 * DSA_ORDER_BYTES];
    uint64_t e[DSA_ORDER_LIMBS];
    if (!sig || !sig_len || !key || (in_len && !in))
        return HR_EINVAL;
    if (key->kind != DSA_PRIVATE)
        return HR_ESTATE;
    int error = check_options(options ? options : &none);
    if (error)
        return error;
    const size_t len = 2 * (size_t)key->q_bytes;
    if (*sig_len < len)
        return HR_EBUFFER;
    if (touch(sig, len, in, in_len))
        return HR_EOVERLAP;
    read_digest(e, in, in_len, key);
    error = sign(out, e, key, options ? options : &none);
    pk_wipe_deep_stack();
    if (!error) {
        memcpy(sig, out, len);
        *sig_len = len;
    }
    WIPE(&out);
    return error;
}

int hr_dsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *in, size_t in_len,
                  const struct hr_dsa_key *public)
{
    const struct dsa_key *key = (const struct dsa_key *)public;
    uint64_t e[DSA_ORDER_LIMBS];
    if (!key || (sig_len && !sig) || (in_len && !in))
        return HR_EINVAL;
    if (!key->kind)
        return HR_ESTATE;
    if (sig_len != 2 * (size_t)key->q_bytes)
        return HR_EMAC;
    read_digest(e, in, in_len, key);
    return verify_vartime(sig, e, key);
}
