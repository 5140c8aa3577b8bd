/* SPDX-License-Identifier: Apache-2.0 */
/* RSA's public operation, of which nothing is secret: x^e modulo n.  Operations with one exponent
 * go side by side, under any keys. */
#include "../bignum/mont_lanes.h"
#include "rsa.h"

int rsa_same_exponent(const struct rsa_key *k, const struct rsa_key *l)
{
    return k->e_num == l->e_num && !memcmp(k->e, l->e, k->e_num * sizeof *k->e);
}

/* Reads a number; returns 0 if it is not below n. */
static uint64_t load(uint64_t *x, const uint8_t *bytes, const struct rsa_key *key)
{
    bn_from_bytes(x, key->num, bytes, key->bytes);
    uint64_t below = bn_less(x, key->n, key->num);
    CT_PUBLIC(&below, sizeof below);
    return below;
}

static struct mont_lane power_lane(uint64_t *x, const struct rsa_key *key)
{
    return (struct mont_lane){
        .z = x, .x = x, .e = key->e, .e_bits = 64 * (size_t)key->e_num, .m = rsa_modulus(key)
    };
}

int rsa_public_vartime(uint8_t *bytes, const struct rsa_key *key)
{
    uint64_t x[RSA_LIMBS];
    if (!load(x, bytes, key))
        return HR_ELENGTH;
    const struct mont_lane lane = power_lane(x, key);
    mont_lanes_alone_vartime(&lane);
    bn_to_bytes(bytes, key->bytes, x);
    wipe_bytes(x, key->num * sizeof *x);
    return 0;
}

/* ---- many ---- */

typedef uint64_t number[MONT_LANES_LIMBS];

/* Runs the first job and all after it that have its exponent.  If lanes refuse a modulus, each goes
 * alone, with the result that it has alone. */
static void run_exponent(struct rsa_job *jobs, number *x, size_t num)
{
    struct mont_lane lane[RSA_MANY];
    struct rsa_job *of[RSA_MANY];
    size_t num_lanes = 0;
    for (size_t i = 0; i < num; i++) {
        const struct rsa_key *const key = jobs[i].key;
        if (jobs[i].error != HR_EPENDING || !rsa_same_exponent(key, jobs->key))
            continue;
        of[num_lanes] = &jobs[i];
        lane[num_lanes] = power_lane(x[i], key);
        lane[num_lanes++].strict = jobs[i].strict;
    }
    const int refused = mont_lanes_power_vartime(lane, num_lanes);
    for (size_t i = 0; i < num_lanes; i++) {
        if (refused)
            mont_power_vartime(lane[i].z, lane[i].x, lane[i].e, of[i]->key->e_num, &lane[i].m);
        bn_to_bytes(of[i]->bytes, of[i]->key->bytes, lane[i].z);
        of[i]->error = 0;
    }
}

void rsa_public_many_vartime(struct rsa_job *jobs, size_t num)
{
    number x[RSA_MANY];
    for (size_t i = 0; i < num; i++)
        jobs[i].error = load(x[i], jobs[i].bytes, jobs[i].key) ? HR_EPENDING : HR_ELENGTH;
    for (size_t i = 0; i < num; i++)
        if (jobs[i].error == HR_EPENDING)
            run_exponent(jobs + i, x + i, num - i);
    WIPE(&x);
}
