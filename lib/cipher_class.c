/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of ciphers. */
#include "class.h"
#include "gather.h"

static int update(void *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    size_t out_len;
    return hr_cipher_update(ctx, out, len, &out_len, in, len);
}

/* Runs a job in segments.  A stream mode takes each as it is; ECB and CBC need whole blocks. */
static int run_parts(struct hr_job *job, struct hr_cipher_ctx *ctx, size_t block)
{
    int error = 0;
    if (block > 1)
        return gather_len(job) % block ? HR_ELENGTH : gather_run(job, block, 0, update, ctx);
    for (size_t i = 0; !error && i < job->num_segments; i++)
        error = update(ctx, job->segments[i].out, job->segments[i].in, job->segments[i].len);
    return error;
}

static int run(struct hr_job *job, const void *key)
{
    const enum hr_op op = (enum hr_op)job->op;
    struct hr_cipher_ctx ctx;
    if (!job->num_segments)
        return (op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
            job->out, job->in, job->len, key, job->iv, job->iv_len);
    int error = hr_cipher_init(&ctx, key, op, job->iv, job->iv_len, 0);
    if (!error)
        error = run_parts(job, &ctx, hr_algorithm((hr_alg)job->alg)->block_len);
    WIPE(&ctx);
    return error;
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct cipher_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return KERNEL_AT(cipher_op(row, op));
}

static void forget(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (int op = 0; row->cls == HR_CLASS_CIPHER && op < 2; op++)
            atomic_store(cipher_op(row, (enum hr_op)op)->chosen, NULL);
}

const struct class_calls cipher_class = {
    .run = run, .key_alg = key_alg, .kernel_at = kernel_at, .forget = forget
};
