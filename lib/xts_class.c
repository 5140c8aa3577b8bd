/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of XTS. */
#include "class.h"
#include "xts.h"

static int run(struct hr_job *job, const void *key)
{
    if (job->num_segments)
        return HR_EINVAL;
    if (job->iv_len != 16)
        return HR_EIVLEN;
    return (job->op == HR_JOB_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(job->out, job->in,
                                                                         job->len, key, job->iv);
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct xts_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return KERNEL_AT(&xts_ops[op]);
}

static void forget(void)
{
    for (int op = 0; op < 2; op++)
        atomic_store(xts_ops[op].chosen, NULL);
}

const struct class_calls xts_class = {
    .run = run, .key_alg = key_alg, .kernel_at = kernel_at, .forget = forget
};
