/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of DSA. */
#include "../class.h"
#include "dsa.h"

static int run(struct hr_job *job, const void *key)
{
    size_t len = job_tag_len(job, hr_dsa_size(key));
    return job->op == HR_JOB_VERIFY
               ? hr_dsa_verify(job->tag, len, job->in, job->len, key)
               : hr_dsa_sign(job->tag, &len, job->in, job->len, key, job->options);
}

static hr_alg key_alg(const void *key)
{
    const struct dsa_key *k = key;
    const int is_key = k->kind == DSA_PUBLIC || k->kind == DSA_PRIVATE;
    return is_key ? class_row_of_size(HR_CLASS_DSA, k->bytes) : HR_ALG_NONE;
}

const struct class_calls dsa_class = {
    .run = run, .key_alg = key_alg, .kind = dsa_kind, .run_many = dsa_run_many
};
