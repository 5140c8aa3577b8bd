/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of RSA: signatures. */
#include "../class.h"
#include "rsa.h"
#include <headrace/algorithms.h>

static int run(struct hr_job *job, const void *key)
{
    size_t len = job_tag_len(job, hr_rsa_size(key));
    return job->op == HR_JOB_VERIFY
               ? hr_rsa_verify(job->tag, len, job->in, job->len, key, job->options)
               : hr_rsa_sign(job->tag, &len, job->in, job->len, key, job->options);
}

/* The row with the least size that the key does not exceed; the largest has all that do. */
static hr_alg key_alg(const void *key)
{
    static const struct {
        hr_alg alg;
        size_t most;
    } rows[] = { { HR_RSA1024, 128 }, { HR_RSA2048, 256 }, { HR_RSA3072, 384 } };
    const size_t size = hr_rsa_size(key);
    for (size_t i = 0; size && i < COUNT(rows); i++)
        if (size <= rows[i].most)
            return rows[i].alg;
    return size ? HR_RSA4096 : HR_ALG_NONE;
}

/* RSA has no kernels that the outside may choose. */
const struct class_calls rsa_class = {
    .run = run, .key_alg = key_alg, .kind = rsa_kind, .run_many = rsa_run_many
};
