/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of signatures side by side: those of a row and operation together.  Each job gets what
 * hr_sign and hr_verify give, errors included. */
#include "../class.h"
#include "many.h"
#include "sign.h"

unsigned sign_kind(const struct hr_job *job)
{
    const struct sign_impl *const impl = sign_impl((hr_alg)job->alg);
    const struct sign_key *const key = job->key;
    const int verifies = job->op == HR_JOB_VERIFY;
    if (!impl->lanes || !impl->lanes->exist(key->part, verifies))
        return 0;
    return 1 + 2 * (job->alg & 0x3fu) + (unsigned)verifies;
}

static int check(const struct hr_job *job, const struct sign_input *message)
{
    const size_t whole = hr_algorithm((hr_alg)job->alg)->out_len, len = job_tag_len(job, whole);
    if (job->op == HR_JOB_VERIFY)
        return sign_check_verify(job->tag, len, message, job->key);
    return len == whole ? sign_check(job->tag, len, message, job->key) : HR_ETAGLEN;
}

void sign_run_many(struct hr_job *const *jobs, size_t num)
{
    const struct sign_lanes *const lanes = sign_impl((hr_alg)jobs[0]->alg)->lanes;
    struct sign_one each[PK_MANY];
    size_t good = 0;
    for (size_t i = 0; i < num; i++) {
        struct hr_job *const job = jobs[i];
        const struct sign_key *const key = job->key;
        const struct sign_input message = { job->in, job->len,
                                            job->options ? job->options : &sign_no_options };
        job->result = check(job, &message);
        if (!job->result)
            each[good++] = (struct sign_one){ job, message, job->tag, key->part, 0 };
    }
    if (!good)
        return;
    (jobs[0]->op == HR_JOB_VERIFY ? lanes->verify : lanes->sign)(each, good);
    for (size_t i = 0; i < good; i++)
        each[i].job->result = each[i].error;
}
