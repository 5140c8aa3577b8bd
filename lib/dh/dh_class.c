/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of Diffie and Hellman's key agreement. */
#include "../class.h"
#include "dh.h"

static int run(struct hr_job *job, const void *key)
{
    size_t len = job_tag_len(job, hr_dh_size(key));
    const uint32_t flags = dh_job_flags(job);
    return flags & ~(uint32_t)HR_DH_STRICT
               ? HR_EINVAL
               : hr_dh_agree(job->tag, &len, job->in, job->len, key, flags);
}

/* Keys of other classes begin with numbers that are greater than a length, or that are followed by
 * another one than the length in limbs. */
static hr_alg key_alg(const void *key)
{
    const struct dh_key *k = key;
    const int is_key = k->bytes && k->bytes <= DH_BYTES && k->num == (k->bytes + 7) / 8;
    return is_key ? class_row_of_size(HR_CLASS_DH, k->bytes) : HR_ALG_NONE;
}

const struct class_calls dh_class = {
    .run = run, .key_alg = key_alg, .kind = dh_kind, .run_many = dh_run_many
};
