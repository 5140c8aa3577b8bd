/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of DSA side by side, under keys whose p have equally many tiles of limbs, by which lanes
 * cost.  A signature has one lane, and so have the two powers of a verification.  Each job gets
 * what hr_dsa_sign and hr_dsa_verify give, errors included. */
#include "../bignum/mont_lanes_words.h"
#include "../class.h"
#include "../pk/many.h"
#include "../pk/stack.h"
#include "dsa.h"

enum { VERIFY_KINDS = MONT_LANES_LIMBS / LANES_TILE_LIMBS }; /* after those of signatures */

unsigned dsa_kind(const struct hr_job *job)
{
    const struct dsa_key *const key = job->key;
    const int verifies = job->op == HR_JOB_VERIFY;
    const unsigned flags = dsa_is_strict(job) ? MONT_LANES_STRICT : 0;
    if ((!verifies && key->kind != DSA_PRIVATE) ||
        !mont_lanes_kernel(key->num, PK_MANY, flags)->steps)
        return 0;
    const unsigned tiles = (key->num + LANES_TILE_LIMBS - 1) / LANES_TILE_LIMBS;
    return tiles + (verifies ? VERIFY_KINDS : 0);
}

/* The jobs that have passed their checks. */
struct good {
    struct hr_job *of[PK_MANY];
    struct mont_lane lane[PK_MANY];
    int failed[PK_MANY];
    size_t num;
};

static void add(struct good *good, struct hr_job *job, struct mont_lane lane)
{
    lane.strict = dsa_is_strict(job);
    good->of[good->num] = job;
    good->lane[good->num++] = lane;
}

static size_t tag_len(const struct hr_job *job)
{
    return job_tag_len(job, hr_dsa_size(job->key));
}

static __attribute__((noinline)) void sign_many(struct hr_job *const *jobs, size_t num)
{
    struct dsa_signing signing[PK_MANY];
    struct good good = { .num = 0 };
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        struct dsa_signing *const s = &signing[good.num];
        job->result =
            dsa_sign_start(s, job->tag, tag_len(job), job->in, job->len, job->key, job->options);
        if (!job->result)
            add(&good, job, dsa_sign_lane(s));
    }
    mont_lanes_each(mont_lanes_power, good.failed, good.lane, good.num);
    for (size_t i = 0; i < good.num; i++)
        good.of[i]->result =
            good.failed[i] ? HR_EFAULT : dsa_sign_end(good.of[i]->tag, &signing[i]);
    WIPE(&signing);
}

static void verify_many(struct hr_job *const *jobs, size_t num)
{
    struct dsa_verifying verifying[PK_MANY];
    struct good good = { .num = 0 };
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        struct dsa_verifying *const v = &verifying[good.num];
        job->result = dsa_verify_start(v, job->tag, tag_len(job), job->in, job->len, job->key);
        if (!job->result)
            add(&good, job, dsa_verify_lane(v));
    }
    mont_lanes_each(mont_lanes_power, good.failed, good.lane, good.num);
    for (size_t i = 0; i < good.num; i++)
        good.of[i]->result = good.failed[i] ? HR_EMAC : dsa_verify_end_vartime(&verifying[i]);
}

void dsa_run_many(struct hr_job *const *jobs, size_t num)
{
    if (jobs[0]->op == HR_JOB_VERIFY) {
        verify_many(jobs, num);
    } else {
        sign_many(jobs, num);
        pk_wipe_deep_stack();
    }
}
