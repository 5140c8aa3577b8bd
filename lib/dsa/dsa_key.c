/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of DSA (FIPS 186-4 section 4.1).  q divides p - 1, and g and y have the order q, as far as
 * q is prime, which is not tested. */
#include "../pk/copy_out.h"
#include "../pk/number.h"
#include "../pk/random.h"
#include "../pk/stack.h"
#include "dsa.h"

enum { LEAST_BITS = 1024 };

/* ---- the group, and the public key ---- */

static int load_moduli(struct dsa_key *key, const struct hr_dsa_parts *parts)
{
    if (!number_load(key->p, DSA_LIMBS, &parts->p) ||
        !number_load(key->q, DSA_ORDER_LIMBS, &parts->q))
        return HR_EKEYLEN;
    const size_t bits = bn_bits(key->p, DSA_LIMBS), q_bits = bn_bits(key->q, DSA_ORDER_LIMBS);
    if (bits < LEAST_BITS || (q_bits != 160 && q_bits != 224 && q_bits != 256))
        return HR_EKEYLEN;
    if (!(key->p[0] & key->q[0] & 1))
        return HR_EKEY;
    struct modulus modulus;
    key->num = (uint32_t)(bits + 63) / 64;
    key->bytes = (uint32_t)(bits + 7) / 8;
    key->q_num = (uint32_t)(q_bits + 63) / 64;
    key->q_bytes = (uint32_t)q_bits / 8;
    mont_init(&modulus, key->p, key->num, key->p_r2);
    key->p_m0 = modulus.m0;
    mont_init(&modulus, key->q, key->q_num, key->q_r2);
    key->q_m0 = modulus.m0;
    return 0;
}

static const uint64_t one[DSA_LIMBS] = { 1 };

static int divides_vartime(const struct dsa_key *key)
{
    const struct modulus q = dsa_q(key);
    uint64_t rest[DSA_ORDER_LIMBS];
    mont_reduce(rest, key->p, key->num, &q);
    return bn_equal(rest, one, q.num) != 0;
}

/* Reads a number that is neither 0 nor 1, and whose order divides q. */
static int load_element(uint64_t *z, const struct hr_number *number, const struct dsa_key *key)
{
    uint64_t power[DSA_LIMBS];
    if (!number_load(z, key->num, number) || !bn_less(z, key->p, key->num) ||
        !bn_less(one, z, key->num))
        return HR_EKEY;
    mont_lanes_alone_vartime(&(struct mont_lane){
        .z = power, .x = z, .e = key->q, .e_bits = 64 * (size_t)key->q_num, .m = dsa_p(key) });
    return bn_equal(power, one, key->num) ? 0 : HR_EKEY;
}

static int load_group(struct dsa_key *key, const struct hr_dsa_parts *parts)
{
    const int error = load_moduli(key, parts);
    if (error)
        return error;
    return divides_vartime(key) ? load_element(key->g, &parts->g, key) : HR_EKEY;
}

/* ---- the private key ---- */

/* y = g^x */
static void make_public(uint64_t *y, const struct dsa_key *key)
{
    mont_lanes_alone(&(struct mont_lane){
        .z = y, .x = key->g, .e = key->x, .e_bits = 8 * (size_t)key->q_bytes, .m = dsa_p(key) });
    CT_PUBLIC(y, key->num * sizeof *y);
}

static int load_private(struct dsa_key *key, const struct hr_dsa_parts *parts)
{
    uint64_t y[DSA_LIMBS];
    uint64_t good = number_load(key->x, key->q_num, &parts->x);
    CT_SECRET(key->x, sizeof key->x);
    good &= bn_less(key->x, key->q, key->q_num) & ~bn_is_zero(key->x, key->q_num);
    CT_PUBLIC(&good, sizeof good);
    if (!good)
        return HR_EKEY;
    make_public(key->y, key);
    if (!parts->y.len)
        return 0;
    if (!parts->y.bytes)
        return HR_EINVAL;
    return number_load(y, key->num, &parts->y) && bn_equal(y, key->y, key->num) ? 0 : HR_EKEY;
}

/* x is any from 1 to q - 1. */
static int generate_private(struct dsa_key *key)
{
    int error;
    uint64_t zero;
    do {
        error = system_random_below(key->x, key->q, key->q_num);
        zero = bn_is_zero(key->x, key->q_num);
        CT_PUBLIC(&zero, sizeof zero);
    } while (!error && zero);
    if (!error)
        make_public(key->y, key);
    return error;
}

/* ---- the calls ---- */

static int finish(struct dsa_key *key, enum dsa_kind kind, int error)
{
    pk_wipe_deep_stack();
    key->kind = kind;
    if (error)
        wipe_bytes(key, sizeof *key);
    return error;
}

static int start(struct dsa_key *key, const struct hr_dsa_parts *parts)
{
    if (!key || !parts || numbers_missing(&parts->p, 3))
        return HR_EINVAL;
    memset(key, 0, sizeof *key);
    const int error = load_group(key, parts);
    return error ? finish(key, DSA_PUBLIC, error) : 0;
}

int hr_dsa_key_init(struct hr_dsa_key *public, const struct hr_dsa_parts *parts)
{
    struct dsa_key *key = (struct dsa_key *)public;
    const int error = !parts || numbers_missing(&parts->x, 1) ? HR_EINVAL : start(key, parts);
    return error ? error : finish(key, DSA_PRIVATE, load_private(key, parts));
}

int hr_dsa_key_init_public(struct hr_dsa_key *public, const struct hr_dsa_parts *parts)
{
    struct dsa_key *key = (struct dsa_key *)public;
    const int error = !parts || numbers_missing(&parts->y, 1) ? HR_EINVAL : start(key, parts);
    return error ? error : finish(key, DSA_PUBLIC, load_element(key->y, &parts->y, key));
}

int hr_dsa_key_generate(struct hr_dsa_key *public, const struct hr_dsa_parts *parts)
{
    struct dsa_key *key = (struct dsa_key *)public;
    const int error = start(key, parts);
    return error ? error : finish(key, DSA_PRIVATE, generate_private(key));
}

void hr_dsa_key_wipe(struct hr_dsa_key *key)
{
    if (key)
        wipe_bytes(key, sizeof(struct dsa_key));
}

size_t hr_dsa_size(const struct hr_dsa_key *public)
{
    const struct dsa_key *key = (const struct dsa_key *)public;
    return key && key->kind ? 2 * (size_t)key->q_bytes : 0;
}

int hr_dsa_private(uint8_t *out, size_t *out_len, const struct hr_dsa_key *public)
{
    const struct dsa_key *key = (const struct dsa_key *)public;
    uint8_t bytes[DSA_ORDER_BYTES];
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (key->kind != DSA_PRIVATE)
        return HR_ESTATE;
    bn_to_bytes(bytes, key->q_bytes, key->x);
    const int error = copy_out(out, out_len, bytes, key->q_bytes);
    WIPE(&bytes);
    return error;
}

int hr_dsa_public(uint8_t *out, size_t *out_len, const struct hr_dsa_key *public)
{
    const struct dsa_key *key = (const struct dsa_key *)public;
    uint8_t bytes[8 * DSA_LIMBS];
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (!key->kind)
        return HR_ESTATE;
    bn_to_bytes(bytes, key->bytes, key->y);
    return copy_out(out, out_len, bytes, key->bytes);
}
