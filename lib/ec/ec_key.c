/* SPDX-License-Identifier: Apache-2.0 */
#include "ec_key.h"
#include "../pk/stack.h"
#include <headrace/algorithms.h>

static const struct ec_curve *curve_of(hr_alg alg)
{
    switch (alg) {
    case HR_ECDSA_P256:
    case HR_ECDH_P256:
        return &p256_curve;
    case HR_ECDSA_P384:
    case HR_ECDH_P384:
        return &p384_curve;
    default:
        return &p521_curve;
    }
}

void ec_key_curve(struct ec_key *key, hr_alg alg)
{
    const struct ec_curve *const curve = curve_of(alg);
    key->ec = (struct ec){ curve->domain, curve->comb, ec_choose(curve) };
}

int ec_key_private(struct ec_key *key, hr_alg alg, const uint8_t *bytes, size_t len)
{
    ec_key_curve(key, alg);
    if (len != key->ec.domain->bytes)
        return HR_EKEYLEN;
    uint64_t valid = ec_scalar(key->scalar, bytes, &key->ec);
    CT_PUBLIC(&valid, sizeof valid); /* a key that is refused is not used */
    if (!valid)
        return HR_EKEY;
    CT_SECRET(key->scalar, sizeof key->scalar);
    ec_order_mul(key->scalar_form, key->scalar, key->ec.domain->n_r2, &key->ec);
    pk_wipe_stack();
    return 0;
}

/* FIPS 186-5 section A.2.2: the first candidate in range is the key.  A wrong one comes up once in
 * 2^32 for P-256, and for the other curves hardly ever. */
int ec_key_generate(struct ec_key *key, hr_alg alg, const uint8_t random[HR_KEY_RANDOM])
{
    uint8_t candidate[EC_BYTES];
    int error = HR_EKEY;
    ec_key_curve(key, alg);
    const struct ec_domain *const domain = key->ec.domain;
    const size_t len = domain->bytes;
    for (size_t at = 0; error && at + len <= HR_KEY_RANDOM; at += len) {
        memcpy(candidate, random + at, len);
        candidate[0] &= (uint8_t)(0xff >> (8 * len - domain->bits));
        error = ec_key_private(key, alg, candidate, len);
    }
    WIPE(&candidate);
    return error;
}

void ec_key_point(uint64_t *point, const struct ec_key *key)
{
    uint64_t product[3 * EC_LIMBS];
    ec_multiply_base(product, key->scalar, &key->ec);
    ec_affine(point, product, &key->ec);
    CT_PUBLIC(point, 2 * sizeof *point * key->ec.domain->num); /* it is the public key */
    WIPE(&product);
    pk_wipe_stack();
}

void ec_leftmost(uint64_t *z, const uint8_t *in, size_t in_len, const struct ec_domain *domain)
{
    bn_from_leftmost(z, domain->num, in, in_len, domain->bits);
}
