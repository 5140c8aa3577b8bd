/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of AEADs. */
#include "aead.h"
#include "class.h"

/* Runs a job in segments.  If decryption fails, for example by a wrong tag, wipes what has been
 * decrypted. */
static int aead_parts(struct hr_job *job, const struct hr_aead_key *key)
{
    struct hr_aead_ctx ctx;
    const size_t len = job_tag_len(job, HR_AEAD_MAX_TAG);
    uint64_t total = 0;
    size_t done = 0;
    for (size_t i = 0; i < job->num_segments; i++)
        total += job->segments[i].len;
    int error = hr_aead_init(&ctx, key, (enum hr_op)job->op, job->iv, job->iv_len);
    if (!error)
        error = hr_aead_lengths(&ctx, job->aad_len, total, len);
    if (!error && job->aad_len)
        error = hr_aead_aad(&ctx, job->aad, job->aad_len);
    for (; !error && done < job->num_segments; done++)
        error = hr_aead_update(&ctx, job->segments[done].out, job->segments[done].in,
                               job->segments[done].len);
    if (!error)
        error = job->op == HR_JOB_ENCRYPT ? hr_aead_final(&ctx, job->tag, len)
                                          : hr_aead_verify(&ctx, job->tag, len);
    if (error && job->op == HR_JOB_DECRYPT)
        for (size_t i = 0; i < done; i++)
            wipe_bytes(job->segments[i].out, job->segments[i].len);
    WIPE(&ctx);
    return error;
}

static int run(struct hr_job *job, const void *key)
{
    const size_t len = job_tag_len(job, HR_AEAD_MAX_TAG);
    if (!job->tag)
        return HR_EINVAL;
    if (job->num_segments)
        return aead_parts(job, key);
    if (job->op == HR_JOB_ENCRYPT)
        return hr_aead_encrypt(job->out, job->tag, len, job->in, job->len, job->aad, job->aad_len,
                               key, job->iv, job->iv_len);
    return hr_aead_decrypt(job->out, job->tag, len, job->in, job->len, job->aad, job->aad_len, key,
                           job->iv, job->iv_len);
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct aead_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return KERNEL_AT(aead_impl(row));
}

static void forget(void)
{
    static const struct aead_impl *const impls[] = { &gcm_impl, &ccm_impl, &gcm_any_impl,
                                                     &ccm_any_impl, &chacha_poly1305_impl };
    for (size_t i = 0; i < COUNT(impls); i++)
        atomic_store(impls[i]->chosen, NULL);
}

const struct class_calls aead_class = {
    .run = run, .key_alg = key_alg, .kernel_at = kernel_at, .forget = forget
};
