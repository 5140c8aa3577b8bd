/* SPDX-License-Identifier: Apache-2.0 */
/* Groups.  Private keys of named ones have twice as many bits as the group's strength (RFC 7919
 * section 5.2 and appendix A). */
#include "../pk/number.h"
#include "dh.h"

#define DH_GROUPS(X)                   \
    X(FFDHE2048, ffdhe2048, 2048, 225) \
    X(FFDHE3072, ffdhe3072, 3072, 275) \
    X(FFDHE4096, ffdhe4096, 4096, 325) \
    X(FFDHE6144, ffdhe6144, 6144, 375) \
    X(FFDHE8192, ffdhe8192, 8192, 400) \
    X(MODP1536, modp1536, 1536, 200)   \
    X(MODP2048, modp2048, 2048, 225)   \
    X(MODP3072, modp3072, 3072, 275)   \
    X(MODP4096, modp4096, 4096, 325)   \
    X(MODP6144, modp6144, 6144, 375)   \
    X(MODP8192, modp8192, 8192, 400)

#define DECLARE(name, p, bits, private_bits) extern const uint64_t dh_##p[(bits) / 64];
DH_GROUPS(DECLARE)
#define ROW(name, p, bits, private_bits) [HR_DH_##name] = { dh_##p, bits, private_bits },
static const struct dh_group groups[] = { DH_GROUPS(ROW) };

const struct dh_group *dh_group(enum hr_dh_group group)
{
    const size_t i = (size_t)group;
    return i < COUNT(groups) && groups[i].p ? &groups[i] : NULL;
}

const struct dh_group *dh_group_of(const uint64_t *p, size_t num)
{
    for (size_t i = 0; i < COUNT(groups); i++)
        if (groups[i].bits == 64 * num && !memcmp(groups[i].p, p, num * sizeof *p))
            return &groups[i];
    return NULL;
}

static const uint64_t one[DH_LIMBS] = { 1 };

static void set_modulus(struct dh_key *key, size_t bits)
{
    struct modulus modulus;
    key->num = (uint32_t)(bits + 63) / 64;
    key->bytes = (uint32_t)(bits + 7) / 8;
    mont_init(&modulus, key->p, key->num, key->r2);
    key->m0 = modulus.m0;
}

/* (p - 1) / 2 */
static void set_safe_order(struct dh_key *key)
{
    key->order = DH_ORDER_SAFE;
    key->q_num = key->num;
    bn_halve(key->q, key->p, key->num);
}

static int load_named(struct dh_key *key, const struct dh_group *group)
{
    memcpy(key->p, group->p, group->bits / 8);
    set_modulus(key, group->bits);
    set_safe_order(key);
    key->g[0] = 2;
    key->private_bits = group->private_bits;
    return 0;
}

/* q divides p - 1, is odd, and g has this order. */
static int load_order(struct dh_key *key, const struct hr_number *number)
{
    uint64_t rest[DH_LIMBS], r2[DH_LIMBS];
    struct modulus q;
    if (!number->bytes || !number_load(key->q, key->num, number) || !(key->q[0] & 1) ||
        !bn_less(key->q, key->p, key->num))
        return HR_EKEY;
    key->private_bits = (uint32_t)bn_bits(key->q, key->num);
    key->q_num = (key->private_bits + 63) / 64;
    if (key->private_bits < 160)
        return HR_EKEYLEN;
    mont_init(&q, key->q, key->q_num, r2);
    mont_reduce(rest, key->p, key->num, &q);
    if (!bn_equal(rest, one, q.num))
        return HR_EKEY;
    key->order = DH_ORDER_Q;
    return dh_check_vartime(key->g, key);
}

static int load_numbers(struct dh_key *key, const struct hr_dh_params *params)
{
    if (numbers_missing(&params->p, 1) || numbers_missing(&params->g, 1))
        return HR_EINVAL;
    if (!number_load(key->p, DH_LIMBS, &params->p))
        return HR_EKEYLEN;
    const size_t bits = bn_bits(key->p, DH_LIMBS);
    if (bits < 1024)
        return HR_EKEYLEN;
    if (!(key->p[0] & 1) || !number_load(key->g, (bits + 63) / 64, &params->g))
        return HR_EKEY;
    const struct dh_group *const group = dh_group_of(key->p, (bits + 63) / 64);
    if (group && key->g[0] == 2 && bn_bits(key->g, DH_LIMBS) == 2)
        return load_named(key, group);
    set_modulus(key, bits);
    if (params->q.len)
        return load_order(key, &params->q);
    key->private_bits = (uint32_t)bits - 1;
    return dh_check_vartime(key->g, key);
}

int dh_load_group(struct dh_key *key, const struct hr_dh_params *params)
{
    if (params->group == HR_DH_EXPLICIT)
        return load_numbers(key, params);
    const struct dh_group *const group = dh_group(params->group);
    return group ? load_named(key, group) : HR_EALG;
}

int dh_check_range_vartime(const uint64_t *y, const struct dh_key *key)
{
    uint64_t last[DH_LIMBS];
    memcpy(last, key->p, key->num * sizeof *last);
    last[0] ^= 1; /* p - 1 */
    if (!bn_less(one, y, key->num) || !bn_less(y, last, key->num))
        return HR_EKEY;
    if (key->order == DH_ORDER_SAFE) /* y^((p - 1) / 2) is the Jacobi symbol (Euler) */
        return bn_jacobi_vartime(y, key->p, key->num) == 1 ? 0 : HR_EKEY;
    return 0;
}

int dh_check_order_vartime(const uint64_t *y, const struct dh_key *key)
{
    uint64_t power[DH_LIMBS];
    if (key->order != DH_ORDER_Q)
        return 0;
    mont_lanes_alone_vartime(&(struct mont_lane){
        .z = power, .x = y, .e = key->q, .e_bits = 64 * (size_t)key->q_num, .m = dh_modulus(key) });
    return bn_equal(power, one, key->num) ? 0 : HR_EKEY;
}

int dh_check_vartime(const uint64_t *y, const struct dh_key *key)
{
    const int error = dh_check_range_vartime(y, key);
    return error ? error : dh_check_order_vartime(y, key);
}
