/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of CMAC. */
#include "../class.h"
#include "cmac.h"

static int stream(struct hr_job *job, const void *key, uint8_t *tag)
{
    struct hr_cmac_ctx ctx;
    int error = hr_cmac_init(&ctx, key);
    for (size_t i = 0; !error && i < job->num_segments; i++)
        error = hr_cmac_update(&ctx, job->segments[i].in, job->segments[i].len);
    if (!error)
        error = hr_cmac_final(&ctx, tag);
    WIPE(&ctx);
    return error;
}

static int run(struct hr_job *job, const void *key)
{
    uint8_t tag[HR_CMAC_MAX_OUT];
    int error = job->num_segments ? stream(job, key, tag) : hr_cmac(tag, job->in, job->len, key);
    if (!error)
        error = job_tag_done(job, tag);
    WIPE(&tag);
    return error;
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct cmac_key *)key)->alg;
}

/* The kernels are those of CBC encryption, whose class also forgets which one was chosen. */
static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return KERNEL_AT(&cipher_impl(row->alg)->ops[HR_MODE_CBC][HR_OP_ENCRYPT]);
}

const struct class_calls cmac_class = { .run = run, .key_alg = key_alg, .kernel_at = kernel_at };
