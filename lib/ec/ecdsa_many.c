/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA side by side, with the parts of one signature. */
#include "../pk/many.h"
#include "../pk/stack.h"
#include "ec_lanes.h"
#include "ecdsa.h"

static const struct ec *ec_of(const struct sign_one *one)
{
    return &((const struct ec_key *)one->key)->ec;
}

/* ---- verification ---- */

/* Reads what is of one lane; returns whether the signature is in range. */
static int read_lane(struct ec_lanes_verify *work, size_t lane, const struct sign_one *one)
{
    const struct ec_key *const key = one->key;
    const struct ec_domain *const domain = key->ec.domain;
    const size_t num = domain->num;
    uint64_t r[EC_LIMBS], s[EC_LIMBS], e[EC_LIMBS];
    if (!ecdsa_halves(r, s, one->sig, &key->ec))
        return 0;
    ecdsa_digest(e, &one->message, &key->ec);
    ec_lanes_put(&work->r, lane, r, num);
    ec_lanes_put(&work->s, lane, s, num);
    ec_lanes_put(&work->digest, lane, e, num);
    ec_lanes_put(&work->x, lane, key->point, num);
    ec_lanes_put(&work->y, lane, key->point + num, num);
    if (bn_less(r, domain->p_minus_n, num))
        bn_add(r, r, domain->n, num);
    ec_lanes_put(&work->second, lane, r, num);
    return 1;
}

/* Verifies up to kernel->lanes signatures. */
static void verify_group(const struct ec_lanes_curve *curve, const struct ec_lanes_kernel *kernel,
                         struct sign_one *const *one, size_t num)
{
    const struct ec_domain *const domain = ec_of(one[0])->domain;
    struct ec_lanes_verify work = { .u_negate = 0 };
    int in_range[EC_LANES];
    for (size_t i = 0; i < num; i++)
        in_range[i] = read_lane(&work, i, one[i]);
    kernel->scalars_vartime(&work);
    for (size_t i = 0; i < num; i++) {
        uint64_t u[EC_LIMBS], v[EC_LIMBS];
        ec_lanes_get(u, &work.u, i, domain->num);
        ec_lanes_get(v, &work.v, i, domain->num);
        const uint64_t u_negate = ec_lanes_windows(&work.u_comb, i, u, curve->comb_width, domain);
        const uint64_t v_negate = ec_lanes_windows(&work.v_windows, i, v, EC_LANES_WIDTH, domain);
        work.u_negate |= (uint8_t)((u_negate & 1) << i);
        work.v_negate |= (uint8_t)((v_negate & 1) << i);
    }
    kernel->verify_vartime(&work);
    for (size_t i = 0; i < num; i++) {
        if (!in_range[i])
            one[i]->error = HR_EMAC;
        else if (work.unknown >> i & 1)
            one[i]->error = ecdsa_verify(one[i]->sig, &one[i]->message, one[i]->key);
        else
            one[i]->error = work.good >> i & 1 ? 0 : HR_EMAC;
    }
}

static void verify_many(struct sign_one *const *one, size_t num)
{
    const struct ec_lanes_curve *const curve = ec_lanes_of(ec_of(one[0])->domain);
    for (size_t now; num; num -= now, one += now) {
        const struct ec_lanes_kernel *const kernel = ec_lanes_kernel(curve, EC_LANES_VERIFY, num);
        now = num < kernel->lanes ? num : kernel->lanes;
        if (kernel->verify_vartime)
            verify_group(curve, kernel, one, now);
        else
            one[0]->error = ecdsa_verify(one[0]->sig, &one[0]->message, one[0]->key);
    }
}

static void verify(struct sign_one *each, size_t num)
{
    struct sign_one *one[PK_MANY];
    for (size_t i = 0; i < num; i++)
        one[i] = &each[i];
    verify_many(one, num);
}

/* ---- signing ---- */

static int start_lane(struct ec_lanes_sign *work, size_t lane, struct nonces *nonces, size_t width,
                      const struct sign_one *one)
{
    const struct ec_key *const key = one->key;
    const struct ec_domain *const domain = key->ec.domain;
    uint64_t e[EC_LIMBS], k[EC_LIMBS], blind[EC_LIMBS];
    ecdsa_digest(e, &one->message, &key->ec);
    const int error = ecdsa_nonces(nonces, k, blind, e, &one->message, key);
    if (!error) {
        ec_lanes_put(&work->k, lane, k, domain->num);
        ec_lanes_put(&work->blind, lane, blind, domain->num);
        ec_lanes_put(&work->key, lane, key->scalar, domain->num);
        ec_lanes_put(&work->digest, lane, e, domain->num);
        (void)ec_lanes_windows(&work->comb, lane, k, width, domain);
    }
    WIPE(&k);
    WIPE(&blind);
    return error;
}

/* Signatures that wait for the test of those that are deterministic. */
typedef uint8_t outputs[EC_LANES][2 * EC_BYTES];

static void verify_outputs(outputs out, struct sign_one *const *one, size_t num)
{
    struct sign_one tested[EC_LANES], *pointers[EC_LANES];
    size_t of[EC_LANES], num_tested = 0;
    for (size_t i = 0; i < num; i++)
        if (!one[i]->error && ecdsa_is_checked(&one[i]->message)) {
            tested[num_tested] = *one[i];
            tested[num_tested].sig = out[i];
            pointers[num_tested] = &tested[num_tested];
            of[num_tested++] = i;
        }
    if (num_tested)
        verify_many(pointers, num_tested);
    for (size_t i = 0; i < num_tested; i++)
        if (tested[i].error)
            one[of[i]]->error = HR_EFAULT;
}

static void sign_group(const struct ec_lanes_curve *curve, const struct ec_lanes_kernel *kernel,
                       struct sign_one *const *one, size_t num)
{
    const struct ec_domain *const domain = ec_of(one[0])->domain;
    struct ec_lanes_sign work = { .k.digit = { { 0 } } };
    struct nonces nonces;
    outputs out;
    for (size_t i = 0; i < num; i++)
        one[i]->error = start_lane(&work, i, &nonces, curve->comb_width, one[i]);
    kernel->sign(&work);
    for (size_t i = 0; i < num; i++) {
        uint64_t r[EC_LIMBS], s[EC_LIMBS];
        ec_lanes_get(r, &work.r, i, domain->num);
        ec_lanes_get(s, &work.s, i, domain->num);
        if (!one[i]->error)
            one[i]->error = ecdsa_write(out[i], r, s, domain);
        WIPE(&r);
        WIPE(&s); /* a mistake's must not leave */
    }
    verify_outputs(out, one, num);
    for (size_t i = 0; i < num; i++)
        if (!one[i]->error)
            memcpy(one[i]->sig, out[i], 2 * (size_t)domain->bytes);
    WIPE(&work);
    WIPE(&nonces);
    WIPE(&out);
    pk_wipe_deep_stack();
}

static void sign(struct sign_one *each, size_t num)
{
    const struct ec_lanes_curve *const curve = ec_lanes_of(ec_of(each)->domain);
    for (size_t now; num; num -= now, each += now) {
        const struct ec_lanes_kernel *const kernel = ec_lanes_kernel(curve, EC_LANES_SIGN, num);
        struct sign_one *one[PK_MANY];
        now = num < kernel->lanes ? num : kernel->lanes;
        for (size_t i = 0; i < now; i++)
            one[i] = &each[i];
        if (kernel->sign)
            sign_group(curve, kernel, one, now);
        else
            each->error = ecdsa_sign(each->sig, &each->message, each->key);
    }
}

static int exist(const void *key, int verifies)
{
    return ec_lanes_exist(key, verifies ? EC_LANES_VERIFY : EC_LANES_SIGN);
}

const struct sign_lanes ecdsa_lanes = { exist, sign, verify };
