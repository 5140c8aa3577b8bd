/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_PK_JOBS_H
#define HR_PK_JOBS_H

#include "secret.h"
#include "test.h"
#include <headrace/queue.h>

/* Runs a job that signs and the one that verifies as a chain: the signature must be `want`, and a
 * wrong one is refused. */
static inline void check_sign_jobs(struct hr_job *sign, struct hr_job *verify, const uint8_t *want,
                                   size_t len)
{
    uint8_t *const sig = verify->tag;
    sign->next = verify;
    if (hr_job_run(sign) || verify->result)
        complain("%s, %s", hr_strerror(sign->result), hr_strerror(verify->result));
    CT_PUBLIC(sig, len);
    if (memcmp(sig, want, len))
        complain("a job signs something else");
    sig[5] ^= 1;
    if (hr_job_run(verify) != HR_EMAC)
        complain("a job takes a wrong signature");
    sign->next = NULL;
}

/* Runs up to 32 jobs in a local queue, which all of them wait in before it begins. */
static inline void run_queued(struct hr_job *jobs, size_t num)
{
    enum { MOST = 32 };
    static uint8_t memory[1 << 20];
    struct hr_job *list[MOST], *done[MOST];
    struct hr_queue *queue;
    for (size_t i = 0; i < num; i++)
        list[i] = &jobs[i];
    if (hr_queue_local(&queue, memory, sizeof memory, MOST) ||
        hr_queue_submit(queue, list, num) != (int)num ||
        hr_queue_poll(queue, done, MOST, num) != (int)num)
        complain("a queue of %zu", num);
    hr_queue_close(queue);
}

#endif
