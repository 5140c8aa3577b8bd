/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures, FIPS 186-4 sections 4.6 and 4.7.  A signature is r || s.  The inverse of a nonce is
 * computed in constant time, and blinded all the same. */
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
static int read_signature(struct dsa_verifying *v, const uint8_t *sig, const uint64_t *e,
                          const struct dsa_key *key)
{
    const struct modulus q = dsa_q(key);
    uint64_t s[DSA_ORDER_LIMBS];
    v->key = key;
    if (!read_half(v->r, sig, key) || !read_half(s, sig + key->q_bytes, key) ||
        !mont_inverse_vartime(s, s, &q))
        return HR_EMAC;
    mont_product(v->u, e, s, &q);
    mont_product(v->v, v->r, s, &q);
    return 0;
}

int dsa_verify_start(struct dsa_verifying *v, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                     size_t in_len, const struct dsa_key *key)
{
    uint64_t e[DSA_ORDER_LIMBS];
    if (!key || (sig_len && !sig) || (in_len && !in))
        return HR_EINVAL;
    if (!key->kind)
        return HR_ESTATE;
    if (sig_len != 2 * (size_t)key->q_bytes)
        return HR_EMAC;
    read_digest(e, in, in_len, key);
    return read_signature(v, sig, e, key);
}

struct mont_lane dsa_verify_lane(struct dsa_verifying *v)
{
    return (struct mont_lane){ .z = v->power,
                               .x = v->key->g,
                               .e = v->u,
                               .y = v->key->y,
                               .f = v->v,
                               .e_bits = 8 * (size_t)v->key->q_bytes,
                               .m = dsa_p(v->key) };
}

int dsa_verify_end_vartime(struct dsa_verifying *v)
{
    const struct modulus q = dsa_q(v->key);
    mont_reduce(v->power, v->power, v->key->num, &q);
    return bn_equal(v->power, v->r, q.num) ? 0 : HR_EMAC;
}

static int verify_alone_vartime(struct dsa_verifying *v)
{
    const struct mont_lane lane = dsa_verify_lane(v);
    mont_lanes_alone(&lane);
    return dsa_verify_end_vartime(v);
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

static int draw(struct dsa_signing *s)
{
    const int error = nonces_next(s->k, &s->nonces);
    return error ? error : nonces_blind(s->blind, &s->nonces);
}

/* r = (g^k mod p) mod q.  Returns HR_EFAULT if r or s is zero, or k has no inverse. */
static int make_signature(uint8_t *out, struct dsa_signing *signing)
{
    const struct dsa_key *const key = signing->key;
    const struct modulus q = dsa_q(key);
    uint64_t r[DSA_ORDER_LIMBS], s[DSA_ORDER_LIMBS];
    mont_reduce(r, signing->power, key->num, &q);
    uint64_t good = make_s(s, signing->e, r, signing->k, signing->blind, key);
    good &= ~bn_is_zero(r, key->q_num) & ~bn_is_zero(s, key->q_num);
    bn_to_bytes(out, key->q_bytes, r);
    bn_to_bytes(out + key->q_bytes, key->q_bytes, s);
    CT_PUBLIC(&good, sizeof good);
    WIPE(&r);
    WIPE(&s);
    return good ? 0 : HR_EFAULT;
}

struct mont_lane dsa_sign_lane(struct dsa_signing *s)
{
    return (struct mont_lane){ .z = s->power,
                               .x = s->key->g,
                               .e = s->k,
                               .e_bits = 8 * (size_t)s->key->q_bytes,
                               .m = dsa_p(s->key) };
}

static void raise_alone(struct dsa_signing *s)
{
    const struct mont_lane lane = dsa_sign_lane(s);
    mont_lanes_alone(&lane);
}

/* A nonce fails by chance once in 2^159 times; all fail where q is not prime. */
static int make_or_try_again(uint8_t *out, struct dsa_signing *s)
{
    enum { TRIES = 4 };
    int error = make_signature(out, s);
    for (int i = 1; i < TRIES && error == HR_EFAULT; i++) {
        error = draw(s);
        if (!error) {
            raise_alone(s);
            error = make_signature(out, s);
        }
    }
    return error;
}

static int verify_own(const uint8_t *sig, const uint64_t *e, const struct dsa_key *key)
{
    struct dsa_verifying v;
    const int error = read_signature(&v, sig, e, key);
    return error ? error : verify_alone_vartime(&v);
}

/* DSA has no context, which is an option of other signatures. */
static int check_options(const struct hr_sign_options *options)
{
    const uint32_t known = HR_SIGN_DETERMINISTIC | HR_SIGN_STRICT;
    return options->flags & ~known || options->context_len ? HR_EINVAL : 0;
}

int dsa_sign_start(struct dsa_signing *s, const uint8_t *sig, size_t sig_len, const uint8_t *in,
                   size_t in_len, const struct dsa_key *key, const struct hr_sign_options *options)
{
    static const struct hr_sign_options none;
    if (!sig || !key || (in_len && !in))
        return HR_EINVAL;
    if (key->kind != DSA_PRIVATE)
        return HR_ESTATE;
    options = options ? options : &none;
    int error = check_options(options);
    if (error)
        return error;
    const size_t len = 2 * (size_t)key->q_bytes;
    if (sig_len < len)
        return HR_EBUFFER;
    if (touch(sig, len, in, in_len))
        return HR_EOVERLAP;
    const struct nonce_order order = { key->q, key->q_num, 8 * (size_t)key->q_bytes };
    s->key = key;
    s->deterministic = options->flags & HR_SIGN_DETERMINISTIC;
    read_digest(s->e, in, in_len, key);
    error = nonces_for(&s->nonces, options, &order, key->x, s->e);
    return error ? error : draw(s);
}

int dsa_sign_end(uint8_t *sig, struct dsa_signing *s)
{
    uint8_t out[2 * DSA_ORDER_BYTES];
    const size_t len = 2 * (size_t)s->key->q_bytes;
    int error = make_or_try_again(out, s);
    if (!error)
        CT_PUBLIC(out, len); /* the signature */
    /* Two signatures of one message, one of them by a computer's mistake, would reveal the key if
     * their nonces are equal. */
    if (!error && s->deterministic && verify_own(out, s->e, s->key))
        error = HR_EFAULT;
    if (!error)
        memcpy(sig, out, len);
    WIPE(&out);
    return error;
}

/* ---- the calls ---- */

static __attribute__((noinline)) int sign(uint8_t *sig, size_t sig_len, const uint8_t *in,
                                          size_t in_len, const struct dsa_key *key,
                                          const struct hr_sign_options *options)
{
    struct dsa_signing s;
    int error = dsa_sign_start(&s, sig, sig_len, in, in_len, key, options);
    if (!error) {
        raise_alone(&s);
        error = dsa_sign_end(sig, &s);
    }
    WIPE(&s);
    return error;
}

int hr_dsa_sign(uint8_t *sig, size_t *sig_len, const uint8_t *in, size_t in_len,
                const struct hr_dsa_key *public, const struct hr_sign_options *options)
{
    const struct dsa_key *key = (const struct dsa_key *)public;
    if (!sig_len)
        return HR_EINVAL;
    const int error = sign(sig, *sig_len, in, in_len, key, options);
    pk_wipe_deep_stack();
    if (!error)
        *sig_len = 2 * (size_t)key->q_bytes;
    return error;
}

int hr_dsa_verify(const uint8_t *sig, size_t sig_len, const uint8_t *in, size_t in_len,
                  const struct hr_dsa_key *public)
{
    struct dsa_verifying v;
    const int error =
        dsa_verify_start(&v, sig, sig_len, in, in_len, (const struct dsa_key *)public);
    return error ? error : verify_alone_vartime(&v);
}
