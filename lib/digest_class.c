/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of digests.  A message in segments, or in several jobs, goes through a context.
 */
#include "class.h"
#include "digest_rows.h"
#include "keccak/keccak.h"

static int digest_parts(struct hr_digest_ctx *ctx, struct hr_job *job)
{
    struct parts p;
    job_parts(&p, job);
    int error = 0;
    for (size_t i = 0; !error && i < p.num; i++)
        error = hr_digest_update(ctx, p.parts[i].in, p.parts[i].len);
    return error;
}

static const struct digest_impl *digest_of(const void *ctx)
{
    return ((const struct digest_ctx *)ctx)->impl;
}

static int run(struct hr_job *job, const void *key)
{
    struct hr_digest_ctx ctx;
    uint8_t tag[HR_DIGEST_MAX_OUT];
    const hr_alg alg = (hr_alg)job->alg;
    size_t state_len = 0;
    int error = job->state_in ? hr_digest_import(&ctx, job->state_in, job->state_in_len)
                              : hr_digest_init(&ctx, alg);
    if (!error && digest_of(&ctx) != digest_impl(alg))
        error = HR_EALG;
    if (!error)
        error = digest_parts(&ctx, job);
    if (!error && job->state_out) {
        error = hr_digest_export(&ctx, job->state_out, HR_DIGEST_MAX_EXPORT, &state_len);
        job->state_out_len = (uint32_t)state_len;
    } else if (!error) {
        error = hr_digest_final(&ctx, tag);
        if (!error)
            error = job_tag_done(job, tag);
    }
    WIPE(&ctx);
    WIPE(&tag);
    return error;
}

/* ---- kernels ---- */

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return KERNEL_AT(digest_impl(row->alg));
}

static void forget(void)
{
    keccak_forget();
#define HR_DIGEST(number, sym, ...) atomic_store(sym##_impl.chosen, NULL);
#define HR_CHECKSUM(number, sym, ...) atomic_store(sym##_impl.chosen, NULL);
#include <headrace/algorithms.def>
}

const struct class_calls digest_class = { .run = run, .kernel_at = kernel_at, .forget = forget };
