/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of XTS. */
#include "class.h"
#include "gather.h"
#include "xts.h"

enum { BLOCK = 16, MAX_UNIT = 1 << 24 };

/* A data unit in segments.  The key moves on with the unit, so it is a copy. */
struct unit {
    struct xts_key key;
    const struct hr_job *job;
};

static int crypt(const struct hr_job *job, uint8_t *out, const uint8_t *in, size_t len,
                 const void *key)
{
    return (job->op == HR_JOB_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(out, in, len, key,
                                                                         job->iv);
}

static int next(void *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct unit *unit = ctx;
    const int error = crypt(unit->job, out, in, len, &unit->key);
    return error || len % BLOCK
               ? error
               : hr_xts_key_advance((struct hr_xts_key *)&unit->key, unit->job->iv, len / BLOCK);
}

/* Runs a data unit in segments.  One that ends with an incomplete block steals ciphertext from the
 * block before, so that both are computed at once. */
static int run_parts(const struct hr_job *job, const void *key)
{
    struct unit unit;
    const size_t len = gather_len(job), rest = len % BLOCK;
    if (!job->iv)
        return HR_EINVAL;
    if (len < BLOCK || len > MAX_UNIT)
        return HR_ELENGTH;
    unit.job = job;
    memcpy(&unit.key, key, sizeof unit.key);
    const int error = gather_run(job, BLOCK, rest ? BLOCK + rest : 0, next, &unit);
    WIPE(&unit.key);
    return error;
}

static int run(struct hr_job *job, const void *key)
{
    if (job->iv_len != 16)
        return HR_EIVLEN;
    return job->num_segments ? run_parts(job, key) : crypt(job, job->out, job->in, job->len, key);
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
