/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of RSA: signatures. */
#include "../class.h"
#include "rsa.h"

static int run(struct hr_job *job, const void *key)
{
    size_t len = job_tag_len(job, hr_rsa_size(key));
    return job->op == HR_JOB_VERIFY
               ? hr_rsa_verify(job->tag, len, job->in, job->len, key, job->options)
               : hr_rsa_sign(job->tag, &len, job->in, job->len, key, job->options);
}

static hr_alg key_alg(const void *key)
{
    const struct rsa_key *k = key;
    const int is_key = k->kind == RSA_PUBLIC || k->kind == RSA_PRIVATE;
    return is_key ? class_row_of_size(HR_CLASS_RSA, k->bytes) : HR_ALG_NONE;
}

/* RSA has no kernels that the outside may choose. */
const struct class_calls rsa_class = {
    .run = run, .key_alg = key_alg, .kind = rsa_kind, .run_many = rsa_run_many
};
