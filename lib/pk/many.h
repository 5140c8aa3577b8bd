/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of public key that share lanes, for hr_sign_many and queues. */
#ifndef HR_PK_MANY_H
#define HR_PK_MANY_H

#include <headrace/queue.h>

enum {
    PK_MANY = 8,    /* as many jobs run together */
    PK_AHEAD = 128, /* among as many that wait they are looked for */
};

/* pk_kind returns a number that jobs have in common which may run together, or 0: the job is to run
 * alone, by hr_job_run, because its algorithm or this CPU has no lanes, or because it is refused.
 */
unsigned pk_kind(const struct hr_job *job);
/* pk_run_kind runs 1 to PK_MANY jobs of one kind, and sets the results that hr_job_run would. */
void pk_run_kind(unsigned kind, struct hr_job *const *jobs, size_t num);

#endif
