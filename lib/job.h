/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one job by direct and streaming calls (job.c). */
#ifndef HR_JOB_H
#define HR_JOB_H

#include "internal.h"
#include <headrace/queue.h>

/* job_run_one runs a job without those behind `next`; sets its result and returns it. */
int job_run_one(struct hr_job *job);

#endif
