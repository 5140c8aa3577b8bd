/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of HMAC.  A message in segments, or in several jobs, goes through a context. */
#include "class.h"
#include "hash/hmac_iterate.h"
#include "hmac.h"

static int stream(struct hr_job *job, const struct hr_hmac_key *key, uint8_t *tag)
{
    struct hr_hmac_ctx ctx;
    struct parts p;
    size_t state_len = 0;
    int error = job->state_in ? hr_hmac_import(&ctx, key, job->state_in, job->state_in_len)
                              : hr_hmac_init(&ctx, key);
    job_parts(&p, job);
    for (size_t i = 0; !error && i < p.num; i++)
        error = hr_hmac_update(&ctx, p.parts[i].in, p.parts[i].len);
    if (!error && job->state_out) {
        error = hr_hmac_export(&ctx, job->state_out, HR_HMAC_MAX_EXPORT, &state_len);
        job->state_out_len = (uint32_t)state_len;
    } else if (!error) {
        error = hr_hmac_final(&ctx, tag);
    }
    WIPE(&ctx);
    return error;
}

static int run(struct hr_job *job, const void *key)
{
    uint8_t tag[HR_DIGEST_MAX_OUT];
    const int whole = !job->state_in && !job->state_out && !job->num_segments;
    int error = whole ? hr_hmac(tag, job->in, job->len, key) : stream(job, key, tag);
    if (!error && !job->state_out)
        error = job_tag_done(job, tag);
    WIPE(&tag);
    return error;
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct hmac_key *)key)->alg;
}

/* Gets a kernel of the digest or, for HR_OP_ITERATE, one of PBKDF2's chains. */
static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return op == HR_OP_ITERATE ? KERNEL_AT(iterate_op(row->alg))
                               : KERNEL_AT(digest_impl(row->digest));
}

const struct class_calls hmac_class = { .run = run, .key_alg = key_alg, .kernel_at = kernel_at };
