/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and kernels of MACs with a nonce. */
#include "class.h"
#include "kasumi/kasumi_lanes.h"
#include "nmac.h"
#include <headrace/algorithms.h>

static int run(struct hr_job *job, const void *key)
{
    uint8_t tag[HR_NMAC_MAX_OUT];
    struct hr_nmac_ctx ctx;
    struct parts p;
    int error = hr_nmac_init(&ctx, key, job->iv, job->iv_len);
    job_parts(&p, job);
    for (size_t i = 0; !error && i < p.num; i++)
        error = hr_nmac_update(&ctx, p.parts[i].in, p.parts[i].len);
    if (!error)
        error = hr_nmac_final(&ctx, tag);
    if (!error)
        error = job_tag_done(job, tag);
    WIPE(&ctx);
    WIPE(&tag);
    return error;
}

static hr_alg key_alg(const void *key)
{
    return (hr_alg)((const struct nmac_key *)key)->alg;
}

static int kernel_at(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op, size_t i)
{
    return poly1305_row(row->alg)     ? KERNEL_AT(poly1305_row(row->alg))
           : row->alg == HR_KASUMI_F9 ? KERNEL_AT(&kasumi_f9_impl)
                                      : KERNEL_AT(&gcm_impl);
}

static void forget(void)
{
    poly1305_forget();
    atomic_store(kasumi_f9_impl.chosen, NULL);
    atomic_store(kasumi_lanes_impl.chosen, NULL);
}

const struct class_calls nmac_class = {
    .run = run, .key_alg = key_alg, .kernel_at = kernel_at, .forget = forget
};
