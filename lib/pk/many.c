/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of many jobs in one call. */
#include "many.h"
#include "../class.h"

/* The class of a row is the upper byte of its number. */
static const struct class_calls *calls_of(const struct hr_job *job)
{
    return class_calls((enum hr_class)(job->alg >> 8));
}

unsigned pk_kind(const struct hr_job *job)
{
    const struct class_calls *const calls = calls_of(job);
    if (!calls->kind || !hr_class_pk(hr_class_info(job->alg >> 8), job->op) || job->next ||
        job->num_segments || job->state_in || job->state_out || job->key_form != HR_KEY_OBJECT ||
        !job->key || calls->key_alg(job->key) != job->alg)
        return 0;
    const unsigned kind = calls->kind(job);
    return kind ? (job->alg & 0xff00u) | kind : 0;
}

void pk_run_kind(unsigned kind, struct hr_job *const *jobs, size_t num)
{
    if (kind)
        calls_of(jobs[0])->run_many(jobs, num);
    else
        for (size_t i = 0; i < num; i++)
            (void)hr_job_run(jobs[i]);
}

/* ---- the calls ---- */

size_t hr_job_lanes(const struct hr_job *job)
{
    return job && pk_kind(job) ? PK_MANY : 1;
}

/* Runs the first job, and with it those of the next ones that share its lanes.  A job that waits
 * has the result HR_EPENDING. */
static void run_first(struct hr_job *jobs, size_t num)
{
    struct hr_job *together[PK_MANY] = { jobs };
    size_t n = 1;
    const unsigned kind = pk_kind(jobs);
    for (size_t i = 1; kind && i < num && i < PK_AHEAD && n < PK_MANY; i++)
        if (jobs[i].result == HR_EPENDING && pk_kind(&jobs[i]) == kind)
            together[n++] = &jobs[i];
    pk_run_kind(kind, together, n);
}

/* Returns HR_EPENDING for a job that has the operation, of a class of signatures. */
static int check(const struct hr_job *job, enum hr_word word)
{
    const struct hr_algorithm *const row = hr_algorithm((hr_alg)job->alg);
    if (!row)
        return HR_EALG;
    const struct hr_class_op *const op = hr_class_pk(hr_class_of(row), job->op);
    return op && op->word == word ? HR_EPENDING : HR_EINVAL;
}

static int run_all(struct hr_job *jobs, size_t num, enum hr_word word)
{
    int error = 0;
    if (num && !jobs)
        return HR_EINVAL;
    for (size_t i = 0; i < num; i++)
        jobs[i].result = check(&jobs[i], word);
    for (size_t i = 0; i < num; i++) {
        if (jobs[i].result == HR_EPENDING)
            run_first(jobs + i, num - i);
        error = error ? error : jobs[i].result;
    }
    return error;
}

int hr_sign_many(struct hr_job *jobs, size_t num)
{
    return run_all(jobs, num, HR_WORD_SIGN);
}

int hr_verify_many(struct hr_job *jobs, size_t num)
{
    return run_all(jobs, num, HR_WORD_VERIFY);
}
