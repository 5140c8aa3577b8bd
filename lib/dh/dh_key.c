/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, and the agreement (SP 800-56A section 5.7.1.1). */
#include "../pk/copy_out.h"
#include "../pk/number.h"
#include "../pk/random.h"
#include "../pk/stack.h"
#include "dh.h"

enum { LEAST_PRIVATE_BITS = 160 };

/* ---- private keys ---- */

/* x is below q, or below p - 1 where q is not known. */
static int load_private(struct dh_key *key, const struct hr_number *x)
{
    uint64_t bound[DH_LIMBS];
    memcpy(bound, key->order ? key->q : key->p, key->num * sizeof *bound);
    bound[0] -= key->order ? 0 : 1;
    uint64_t good = number_load(key->x, key->num, x);
    CT_SECRET(key->x, sizeof key->x);
    good &= bn_less(key->x, bound, key->num) & ~bn_is_zero(key->x, key->num);
    CT_PUBLIC(&good, sizeof good);
    if (!good)
        return HR_EKEY;
    key->x_bits = (uint32_t)(bn_bits(key->x, key->num) + 63) / 64 * 64;
    return 0;
}

/* x has so many bits at most, is not 0, and below q, if that has not more. */
static int draw(struct dh_key *key, size_t bits)
{
    uint64_t bound[DH_LIMBS] = { 0 };
    const size_t num = (bits + 63) / 64;
    key->x_bits = (uint32_t)bits;
    if (key->order == DH_ORDER_Q && bits == bn_bits(key->q, key->num)) {
        memcpy(bound, key->q, sizeof bound);
    } else {
        memset(bound, 0xff, num * sizeof *bound); /* 2^bits - 1 */
        bound[num - 1] >>= 64 * num - bits;
    }
    for (;;) {
        const int error = system_random_below(key->x, bound, num);
        uint64_t zero = bn_is_zero(key->x, num);
        CT_PUBLIC(&zero, sizeof zero);
        if (error || !zero)
            return error;
    }
}

static int generate_private(struct dh_key *key, uint32_t asked)
{
    const size_t most =
        bn_bits(key->order ? key->q : key->p, key->num) - (key->order != DH_ORDER_Q);
    const size_t bits = asked ? asked : key->private_bits;
    return bits < LEAST_PRIVATE_BITS || bits > most ? HR_EINVAL : draw(key, bits);
}

/* ---- the calls ---- */

static int finish(struct dh_key *key, int error)
{
    pk_wipe_deep_stack();
    if (error)
        wipe_bytes(key, sizeof *key);
    return error;
}

int hr_dh_key_init(struct hr_dh_key *public, const struct hr_dh_params *params,
                   const struct hr_number *x)
{
    struct dh_key *key = (struct dh_key *)public;
    if (!key || !params || !x || numbers_missing(x, 1))
        return HR_EINVAL;
    memset(key, 0, sizeof *key);
    const int error = dh_load_group(key, params);
    return finish(key, error ? error : load_private(key, x));
}

int hr_dh_key_generate(struct hr_dh_key *public, const struct hr_dh_params *params)
{
    struct dh_key *key = (struct dh_key *)public;
    if (!key || !params)
        return HR_EINVAL;
    memset(key, 0, sizeof *key);
    const int error = dh_load_group(key, params);
    return finish(key, error ? error : generate_private(key, params->private_bits));
}

void hr_dh_key_wipe(struct hr_dh_key *key)
{
    if (key)
        wipe_bytes(key, sizeof(struct dh_key));
}

size_t hr_dh_size(const struct hr_dh_key *public)
{
    const struct dh_key *key = (const struct dh_key *)public;
    return key ? key->bytes : 0;
}

int hr_dh_private(uint8_t *out, size_t *out_len, const struct hr_dh_key *public)
{
    const struct dh_key *key = (const struct dh_key *)public;
    uint8_t bytes[DH_BYTES];
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (!key->num)
        return HR_ESTATE;
    const size_t len = (key->x_bits + 63) / 64 * 8;
    bn_to_bytes(bytes, len, key->x);
    const int error = copy_out(out, out_len, bytes, len);
    WIPE(&bytes);
    return error;
}

int hr_dh_public(uint8_t *out, size_t *out_len, const struct hr_dh_key *public)
{
    const struct dh_key *key = (const struct dh_key *)public;
    uint64_t y[DH_LIMBS];
    if (!out || !out_len || !key)
        return HR_EINVAL;
    if (!key->num)
        return HR_ESTATE;
    if (*out_len < key->bytes)
        return HR_EBUFFER;
    mont_lanes_alone(&(struct mont_lane){
        .z = y, .x = key->g, .e = key->x, .e_bits = key->x_bits, .m = dh_modulus(key) });
    pk_wipe_deep_stack();
    CT_PUBLIC(y, key->num * sizeof *y);
    bn_to_bytes(out, key->bytes, y);
    *out_len = key->bytes;
    return 0;
}

/* ---- agreement ---- */

int dh_agree_start(struct dh_agreement *a, const uint8_t *out, size_t out_len, const uint8_t *peer,
                   size_t peer_len, const struct dh_key *key)
{
    if (!out || !key || !peer || !peer_len)
        return HR_EINVAL;
    if (!key->num)
        return HR_ESTATE;
    if (out_len < key->bytes)
        return HR_EBUFFER;
    const struct hr_number number = { peer, peer_len };
    a->key = key;
    return number_load(a->z, key->num, &number) ? dh_check_range_vartime(a->z, key) : HR_EKEY;
}

/* HR_EKEY: the secret is 0, 1 or p - 1. */
int dh_agree_end(uint8_t *out, const struct dh_agreement *a)
{
    static const uint64_t one[DH_LIMBS] = { 1 };
    const struct dh_key *const key = a->key;
    uint64_t minus_one[DH_LIMBS];
    memcpy(minus_one, key->p, sizeof minus_one);
    minus_one[0] ^= 1;
    uint64_t bad = bn_is_zero(a->z, key->num) | bn_equal(a->z, one, key->num) |
                   bn_equal(a->z, minus_one, key->num);
    CT_PUBLIC(&bad, sizeof bad);
    if (!bad)
        bn_to_bytes(out, key->bytes, a->z);
    return bad ? HR_EKEY : 0;
}

static __attribute__((noinline)) int agree(uint8_t *out, size_t out_len, const uint8_t *peer,
                                           size_t peer_len, const struct dh_key *key)
{
    uint64_t z[DH_LIMBS];
    struct dh_agreement a = { .z = z };
    int error = dh_agree_start(&a, out, out_len, peer, peer_len, key);
    if (!error)
        error = dh_check_order_vartime(a.z, key);
    if (!error) {
        mont_lanes_alone(&(struct mont_lane){
            .z = a.z, .x = a.z, .e = key->x, .e_bits = key->x_bits, .m = dh_modulus(key) });
        error = dh_agree_end(out, &a);
    }
    WIPE(&z);
    return error;
}

/* Leaves the leading zeros out, in time that shows how many there are. */
static size_t strip(uint8_t *out, size_t len)
{
    size_t zeros = 0;
    CT_PUBLIC(out, len);
    while (zeros + 1 < len && !out[zeros])
        zeros++;
    memmove(out, out + zeros, len - zeros);
    return len - zeros;
}

int hr_dh_agree(uint8_t *out, size_t *out_len, const uint8_t *peer, size_t peer_len,
                const struct hr_dh_key *public, uint32_t flags)
{
    const struct dh_key *key = (const struct dh_key *)public;
    const uint32_t known = HR_DH_UNPADDED | HR_DH_STRICT;
    if (!out_len || flags & ~known)
        return HR_EINVAL;
    const int error = agree(out, *out_len, peer, peer_len, key);
    pk_wipe_deep_stack();
    if (!error)
        *out_len = flags & HR_DH_UNPADDED ? strip(out, key->bytes) : key->bytes;
    return error;
}
