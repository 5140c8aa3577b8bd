/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of agreement side by side: those of a row together.  Each job gets what hr_agree gives,
 * errors included. */
#include "../class.h"
#include "agree.h"
#include "many.h"

unsigned agree_kind(const struct hr_job *job)
{
    const struct agree_impl *const impl = agree_impl((hr_alg)job->alg);
    const struct agree_key *const key = job->key;
    return impl->lanes && impl->lanes->exist(key->part) ? 1 + (job->alg & 0x7fu) : 0;
}

static int check(const struct hr_job *job)
{
    const size_t whole = hr_algorithm((hr_alg)job->alg)->out_len;
    return job_tag_len(job, whole) == whole
               ? agree_check(job->tag, whole, job->in, job->len, job->key)
               : HR_ETAGLEN;
}

void agree_run_many(struct hr_job *const *jobs, size_t num)
{
    struct agree_one each[PK_MANY];
    size_t good = 0;
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        const struct agree_key *const key = job->key;
        job->result = check(job);
        if (!job->result)
            each[good++] = (struct agree_one){ job, job->tag, job->in, job->len, key->part, 0 };
    }
    if (good)
        agree_impl((hr_alg)jobs[0]->alg)->lanes->agree(each, good);
    for (size_t i = 0; i < good; i++)
        each[i].job->result = each[i].error;
}
