/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of ciphers. */
#include "class.h"

/* Runs a job.  In ECB and CBC each segment consists of whole blocks, since the output of a block
 * that is cut would not fit its segments; messages of stream modes may be cut anywhere. */
static int run(struct hr_job *job, const void *key)
{
    const enum hr_op op = (enum hr_op)job->op;
    struct hr_cipher_ctx ctx;
    if (!job->num_segments)
        return (op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
            job->out, job->in, job->len, key, job->iv, job->iv_len);
    int error = hr_cipher_init(&ctx, key, op, job->iv, job->iv_len, 0);
    for (size_t i = 0; !error && i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        size_t out_len = 0;
        if (part->len % hr_algorithm((hr_alg)job->alg)->block_len)
            error = HR_ELENGTH;
        else
            error = hr_cipher_update(&ctx, part->out, part->len, &out_len, part->in, part->len);
    }
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
