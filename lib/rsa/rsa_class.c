/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of RSA: signatures and encryption. */
#include "../class.h"
#include "rsa.h"

static int run(struct hr_job *job, const void *key)
{
    size_t len = job_tag_len(job, hr_rsa_size(key));
    switch (job->op) {
    case HR_JOB_SIGN:
        return hr_rsa_sign(job->tag, &len, job->in, job->len, key, job->options);
    case HR_JOB_VERIFY:
        return hr_rsa_verify(job->tag, len, job->in, job->len, key, job->options);
    case HR_JOB_PK_ENCRYPT:
        return hr_rsa_encrypt(job->tag, &len, job->in, job->len, key, job->options);
    default:
        break;
    }
    const int error = hr_rsa_decrypt(job->tag, &len, job->in, job->len, key, job->options);
    if (!error)
        job->tag_len = (uint32_t)len;
    return error;
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
