/* SPDX-License-Identifier: Apache-2.0 */
/* ECDH, SP 800-56A section 5.7.1.2: the x of the product of a private key and the other's public
 * key.  The cofactor of these curves is 1, so that a point of the curve other than infinity is a
 * point of the group (section 5.6.2.3.4). */
#include "ecdh.h"
#include "../pk/stack.h"

static int init(void *opaque, const struct hr_algorithm *row, const uint8_t *bytes)
{
    return ec_key_private(opaque, row->alg, bytes, row->key_len);
}

static int generate(void *opaque, const struct hr_algorithm *row,
                    const uint8_t random[HR_KEY_RANDOM])
{
    return ec_key_generate(opaque, row->alg, random);
}

static void private_bytes(uint8_t *out, const void *opaque)
{
    const struct ec_key *const key = opaque;
    bn_to_bytes(out, key->ec.domain->bytes, key->scalar);
}

static int public_bytes(uint8_t *out, const void *opaque)
{
    const struct ec_key *const key = opaque;
    uint64_t point[2 * EC_LIMBS];
    ec_key_point(point, key);
    ec_encode(out, point, &key->ec);
    return 0;
}

int ecdh_agree(uint8_t *out, const uint8_t *peer, size_t peer_len, const void *opaque)
{
    const struct ec_key *const key = opaque;
    const struct ec_domain *const domain = key->ec.domain;
    uint64_t point[2 * EC_LIMBS], product[3 * EC_LIMBS], x[EC_LIMBS];
    const int error = ec_decode_vartime(point, peer, peer_len, &key->ec);
    if (error)
        return error;
    ec_multiply(product, key->scalar, point, &key->ec);
    uint64_t infinite = bn_is_zero(product + 2 * domain->num, domain->num);
    CT_PUBLIC(&infinite, sizeof infinite); /* never, as the group's order is prime */
    if (!infinite) {
        ec_affine_x(x, product, &key->ec);
        bn_to_bytes(out, domain->bytes, x);
    }
    WIPE(&product);
    WIPE(&x);
    pk_wipe_stack();
    return infinite ? HR_EFAULT : 0;
}

static int check(const struct hr_algorithm *row, const uint8_t *peer, size_t peer_len)
{
    struct ec_key key;
    ec_key_curve(&key, row->alg);
    return ec_decode_vartime(key.point, peer, peer_len, &key.ec);
}

#define ECDH_IMPL(curve)                                    \
    static const struct hr_kernel *curve##_kernel(size_t i) \
    {                                                       \
        return ec_kernel_at(&curve##_curve, i);             \
    }                                                       \
    const struct agree_impl ecdh_##curve##_impl = {         \
        .key_size = sizeof(struct ec_key),                  \
        .init = init,                                       \
        .generate = generate,                               \
        .private_bytes = private_bytes,                     \
        .public_bytes = public_bytes,                       \
        .agree = ecdh_agree,                                \
        .check = check,                                     \
        .kernel = curve##_kernel,                           \
        .lanes = &ecdh_lanes,                               \
    };
ECDH_IMPL(p256)
ECDH_IMPL(p384)
ECDH_IMPL(p521)
