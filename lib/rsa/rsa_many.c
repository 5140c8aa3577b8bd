/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of RSA side by side: signatures under keys whose primes have equally many tiles of limbs, by
 * which lanes cost, and verifications under moduli that have.  Each job gets what hr_rsa_sign and
 * hr_rsa_verify give, errors included. */
#include "../bignum/mont_lanes_words.h"
#include "../class.h"
#include "rsa.h"

enum {
    VERIFY_KINDS = MONT_LANES_LIMBS / LANES_TILE_LIMBS, /* after those of signatures */
    MOST_HALF = RSA_PRIVATE_LIMBS / 2,                  /* longer primes would take more stack */
};

unsigned rsa_kind(const struct hr_job *job)
{
    const struct rsa_key *const key = job->key;
    const int verifies = job->op == HR_JOB_VERIFY;
    const size_t limbs = verifies ? key->num : key->p.num > key->q.num ? key->p.num : key->q.num;
    const unsigned flags = verifies ? MONT_LANES_PUBLIC : 0;
    if (job->op > HR_JOB_VERIFY || (!verifies && (key->kind != RSA_PRIVATE || limbs > MOST_HALF)) ||
        !mont_lanes_kernel(limbs, verifies ? RSA_MANY : 2 * RSA_MANY, flags)->steps)
        return 0;
    const unsigned tiles = (unsigned)(limbs + LANES_TILE_LIMBS - 1) / LANES_TILE_LIMBS;
    return tiles + (verifies ? VERIFY_KINDS : 0);
}

static int is_strict(const struct hr_job *job)
{
    return ((const struct hr_rsa_options *)job->options)->strict;
}

/* The jobs that have passed their checks. */
struct good {
    struct hr_job *of[RSA_MANY];
    struct rsa_job run[RSA_MANY];
    size_t num;
};

static void add(struct good *good, struct hr_job *job, uint8_t *bytes)
{
    good->of[good->num] = job;
    good->run[good->num++] =
        (struct rsa_job){ .bytes = bytes, .key = job->key, .strict = is_strict(job) };
}

static void sign_many(struct hr_job *const *jobs, size_t num)
{
    uint8_t em[RSA_MANY][RSA_PRIVATE_BYTES];
    struct good good = { .num = 0 };
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        const struct rsa_key *const key = job->key;
        const size_t len = job_tag_len(job, key->bytes);
        job->result =
            job->tag ? rsa_encode(em[i], len, job->in, job->len, key, job->options) : HR_EINVAL;
        if (!job->result)
            add(&good, job, em[i]);
    }
    rsa_private_many(good.run, good.num);
    for (size_t i = 0; i < good.num; i++) {
        const struct rsa_job *const run = &good.run[i];
        good.of[i]->result = run->error;
        if (!run->error) {
            CT_PUBLIC(run->bytes, run->key->bytes);
            memcpy(good.of[i]->tag, run->bytes, run->key->bytes);
        }
    }
    WIPE(&em);
}

static void verify_many(struct hr_job *const *jobs, size_t num)
{
    uint8_t em[RSA_MANY][RSA_PRIVATE_BYTES], wanted[RSA_MANY][RSA_PRIVATE_BYTES];
    struct good good = { .num = 0 };
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        const struct rsa_key *const key = job->key;
        const size_t len = job_tag_len(job, key->bytes);
        job->result =
            rsa_verify_start(wanted[good.num], job->tag, len, job->in, job->len, key, job->options);
        if (job->result)
            continue;
        memcpy(em[good.num], job->tag, len);
        add(&good, job, em[good.num]);
    }
    rsa_public_many_vartime(good.run, good.num);
    for (size_t i = 0; i < good.num; i++) {
        const struct rsa_job *const run = &good.run[i];
        struct hr_job *const job = good.of[i];
        job->result = run->error ? HR_EMAC
                                 : rsa_verify_end_vartime(run->bytes, wanted[i], job->in, job->len,
                                                          run->key, job->options);
    }
}

void rsa_run_many(struct hr_job *const *jobs, size_t num)
{
    if (jobs[0]->op == HR_JOB_VERIFY)
        verify_many(jobs, num);
    else
        sign_many(jobs, num);
}
