/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA, FIPS 186-5 section 6.4.  A signature is r || s.  The inverse of a nonce is computed in
 * constant time, and blinded all the same. */
#include "ecdsa.h"
#include "../pk/stack.h"
#include <headrace/algorithms.h>

void ecdsa_digest(uint64_t *e, const struct sign_input *message, const struct ec *ec)
{
    ec_leftmost(e, message->in, message->len, ec->domain);
    bn_reduce_once(e, 0, e, ec->domain->n, ec->domain->num);
}

uint64_t ecdsa_halves(uint64_t *r, uint64_t *s, const uint8_t *sig, const struct ec *ec)
{
    return ec_scalar(r, sig, ec) & ec_scalar(s, sig + ec->domain->bytes, ec);
}

int ecdsa_nonces(struct nonces *nonces, uint64_t *k, uint64_t *blind, const uint64_t *e,
                 const struct sign_input *message, const struct ec_key *key)
{
    const struct ec_domain *const domain = key->ec.domain;
    const struct nonce_order order = { domain->n, domain->num, domain->bits };
    int error = nonces_for(nonces, message->options, &order, key->scalar, e);
    if (!error)
        error = nonces_next(k, nonces);
    return error ? error : nonces_blind(blind, nonces);
}

int ecdsa_write(uint8_t *out, const uint64_t *r, uint64_t *s, const struct ec_domain *domain)
{
    bn_to_bytes(out, domain->bytes, r);
    bn_to_bytes(out + domain->bytes, domain->bytes, s);
    CT_PUBLIC(out, 2 * (size_t)domain->bytes); /* the signature */
    uint64_t zero = bn_is_zero(r, domain->num) | bn_is_zero(s, domain->num);
    CT_PUBLIC(&zero, sizeof zero);
    return zero ? HR_EFAULT : 0; /* by chance once in 2^255 signatures */
}

/* ---- verification ---- */

/* Whether x mod n of a Jacobian point is r: x is r or r + n, and compared without an inversion. */
static int has_x_vartime(const uint64_t *point, const uint64_t *r, const struct ec *ec)
{
    const struct ec_domain *const domain = ec->domain;
    const size_t num = domain->num;
    uint64_t square[EC_LIMBS], x[EC_LIMBS], candidate[EC_LIMBS];
    ec_copy(candidate, r, num);
    ec->kernel->sqr(square, point + 2 * num);
    for (int i = 0;; i++) {
        ec->kernel->mul(x, candidate, domain->enter);
        ec->kernel->mul(x, x, square);
        if (bn_equal(x, point, num))
            return 1;
        if (i || !bn_less(r, domain->p_minus_n, num))
            return 0;
        bn_add(candidate, candidate, domain->n, num);
    }
}

int ecdsa_verify(const uint8_t *sig, const struct sign_input *message, const void *opaque)
{
    const struct ec_key *const key = opaque;
    const struct ec *const ec = &key->ec;
    const size_t num = ec->domain->num;
    uint64_t r[EC_LIMBS], s[EC_LIMBS], e[EC_LIMBS], u[EC_LIMBS], v[EC_LIMBS], sum[3 * EC_LIMBS];
    if (!ecdsa_halves(r, s, sig, ec))
        return HR_EMAC;
    ecdsa_digest(e, message, ec);
    ec_order_inverse(s, s, ec);
    ec_order_mul(s, s, ec->domain->n_r2, ec);
    ec_order_mul(u, e, s, ec);
    ec_order_mul(v, r, s, ec);
    ec_multiply_two_vartime(sum, u, v, key->point, ec);
    return !bn_is_zero(sum + 2 * num, num) && has_x_vartime(sum, r, ec) ? 0 : HR_EMAC;
}

/* ---- signing ---- */

/* r = the x of k * G, modulo n. */
static void make_r(uint64_t *r, const uint64_t *k, const struct ec *ec)
{
    uint64_t point[3 * EC_LIMBS];
    ec_multiply_base(point, k, ec);
    ec_affine_x(r, point, ec);
    bn_reduce_once(r, 0, r, ec->domain->n, ec->domain->num);
    WIPE(&point);
}

/* s = (e + r scalar) / k.  With the blind b, 1/k = b / (b k). */
static void make_s(uint64_t *s, const uint64_t *e, const uint64_t *r, uint64_t *k, uint64_t *blind,
                   const struct ec_key *key)
{
    const struct ec *const ec = &key->ec;
    const struct ec_domain *const domain = ec->domain;
    ec_order_mul(blind, blind, domain->n_r2, ec);
    ec_order_mul(k, k, blind, ec);
    ec_order_inverse(k, k, ec);
    ec_order_mul(k, k, blind, ec);
    ec_order_mul(k, k, domain->n_r2, ec);
    ec_order_mul(s, r, key->scalar_form, ec);
    bn_mod_add(s, s, e, domain->n, domain->num);
    ec_order_mul(s, s, k, ec);
}

int ecdsa_sign(uint8_t *sig, const struct sign_input *message, const void *opaque)
{
    const struct ec_key *const key = opaque;
    const struct ec *const ec = &key->ec;
    uint64_t e[EC_LIMBS], k[EC_LIMBS], blind[EC_LIMBS], r[EC_LIMBS], s[EC_LIMBS];
    uint8_t out[2 * EC_BYTES];
    struct nonces nonces;
    ecdsa_digest(e, message, ec);
    int error = ecdsa_nonces(&nonces, k, blind, e, message, key);
    if (!error) {
        make_r(r, k, ec);
        make_s(s, e, r, k, blind, key);
        error = ecdsa_write(out, r, s, ec->domain);
    }
    if (!error && ecdsa_is_checked(message) && ecdsa_verify(out, message, key))
        error = HR_EFAULT;
    if (!error)
        memcpy(sig, out, 2 * (size_t)ec->domain->bytes);
    WIPE(&nonces);
    WIPE(&k);
    WIPE(&blind);
    WIPE(&s);
    WIPE(&out);
    pk_wipe_stack();
    return error;
}

/* ---- keys ---- */

static int init_private(void *opaque, const struct hr_algorithm *row, const uint8_t *bytes,
                        size_t len)
{
    struct ec_key *const key = opaque;
    const int error = ec_key_private(key, row->alg, bytes, len);
    if (!error)
        ec_key_point(key->point, key);
    return error;
}

static int init_public(void *opaque, const struct hr_algorithm *row, const uint8_t *bytes,
                       size_t len)
{
    struct ec_key *const key = opaque;
    ec_key_curve(key, row->alg);
    return ec_decode_vartime(key->point, bytes, len, &key->ec);
}

static int init_pair(void *opaque, const struct hr_algorithm *row, const uint8_t *bytes, size_t len,
                     const uint8_t *public_bytes, size_t public_len)
{
    struct ec_key *const key = opaque;
    const int error = ec_key_private(key, row->alg, bytes, len);
    return error ? error : ec_decode_vartime(key->point, public_bytes, public_len, &key->ec);
}

static int generate(void *opaque, const struct hr_algorithm *row,
                    const uint8_t random[HR_KEY_RANDOM])
{
    struct ec_key *const key = opaque;
    const int error = ec_key_generate(key, row->alg, random);
    if (!error)
        ec_key_point(key->point, key);
    return error;
}

static int private_bytes(uint8_t *out, size_t *out_len, const void *opaque)
{
    const struct ec_key *const key = opaque;
    uint8_t bytes[EC_BYTES];
    bn_to_bytes(bytes, key->ec.domain->bytes, key->scalar);
    const int error = copy_out(out, out_len, bytes, key->ec.domain->bytes);
    WIPE(&bytes);
    return error;
}

static int public_bytes(uint8_t *out, size_t *out_len, const void *opaque)
{
    const struct ec_key *const key = opaque;
    uint8_t bytes[EC_MAX_PUBLIC];
    ec_encode(bytes, key->point, &key->ec);
    return copy_out(out, out_len, bytes, 1 + 2 * (size_t)key->ec.domain->bytes);
}

#define ECDSA_IMPL(curve)                                   \
    static const struct hr_kernel *curve##_kernel(size_t i) \
    {                                                       \
        return ec_kernel_at(&curve##_curve, i);             \
    }                                                       \
    const struct sign_impl ecdsa_##curve##_impl = {         \
        .key_size = sizeof(struct ec_key),                  \
        .flags = HR_SIGN_DETERMINISTIC,                     \
        .takes = SIGN_TAKES_DIGEST | SIGN_TAKES_RANDOM,     \
        .init_private = init_private,                       \
        .init_public = init_public,                         \
        .init_pair = init_pair,                             \
        .generate = generate,                               \
        .private_bytes = private_bytes,                     \
        .public_bytes = public_bytes,                       \
        .sign = ecdsa_sign,                                 \
        .verify = ecdsa_verify,                             \
        .kernel = curve##_kernel,                           \
        .lanes = &ecdsa_lanes,                              \
    };
ECDSA_IMPL(p256)
ECDSA_IMPL(p384)
ECDSA_IMPL(p521)
