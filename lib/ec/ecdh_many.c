/* SPDX-License-Identifier: Apache-2.0 */
/* ECDH side by side, with the checks of one agreement. */
#include "../pk/many.h"
#include "../pk/stack.h"
#include "ec_lanes.h"
#include "ecdh.h"

static const struct ec *ec_of(const struct agree_one *one)
{
    return &((const struct ec_key *)one->key)->ec;
}

/* Only the x of the product is wanted: it is that of the opposite scalar, too. */
static int start_lane(struct ec_lanes_agree *work, size_t lane, const struct agree_one *one)
{
    const struct ec_key *const key = one->key;
    const struct ec_domain *const domain = key->ec.domain;
    uint64_t point[2 * EC_LIMBS];
    const int error = ec_decode_vartime(point, one->peer, one->peer_len, &key->ec);
    if (error)
        return error;
    ec_lanes_put(&work->x, lane, point, domain->num);
    ec_lanes_put(&work->y, lane, point + domain->num, domain->num);
    (void)ec_lanes_windows(&work->windows, lane, key->scalar, EC_LANES_WIDTH, domain);
    return 0;
}

static void agree_group(const struct ec_lanes_kernel *kernel, struct agree_one *each, size_t num)
{
    const struct ec_domain *const domain = ec_of(each)->domain;
    struct ec_lanes_agree work = { .infinite = 0 };
    for (size_t i = 0; i < num; i++)
        each[i].error = start_lane(&work, i, &each[i]);
    kernel->agree(&work);
    CT_PUBLIC(&work.infinite, sizeof work.infinite); /* as ecdh_agree does */
    for (size_t i = 0; i < num; i++) {
        uint64_t x[EC_LIMBS];
        if (!each[i].error && work.infinite >> i & 1)
            each[i].error = HR_EFAULT;
        if (each[i].error)
            continue;
        ec_lanes_get(x, &work.secret, i, domain->num);
        bn_to_bytes(each[i].out, domain->bytes, x);
        WIPE(&x);
    }
    WIPE(&work);
    pk_wipe_deep_stack();
}

static void agree(struct agree_one *each, size_t num)
{
    const struct ec_lanes_curve *const curve = ec_lanes_of(ec_of(each)->domain);
    for (size_t now; num; num -= now, each += now) {
        const struct ec_lanes_kernel *const kernel = ec_lanes_kernel(curve, EC_LANES_AGREE, num);
        now = num < kernel->lanes ? num : kernel->lanes;
        if (kernel->agree)
            agree_group(kernel, each, now);
        else
            each->error = ecdh_agree(each->out, each->peer, each->peer_len, each->key);
    }
}

static int exist(const void *key)
{
    return ec_lanes_exist(key, EC_LANES_AGREE);
}

const struct agree_lanes ecdh_lanes = { exist, agree };
