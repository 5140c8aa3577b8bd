/* SPDX-License-Identifier: Apache-2.0 */
/* One job by direct and streaming calls (job.c). */
#ifndef HR_JOB_H
#define HR_JOB_H

#include "internal.h"
#include <headrace/queue.h>

/* A key of any class, expanded. */
union job_key {
    struct hr_hmac_key hmac;
    struct hr_cipher_key cipher;
    struct hr_aead_key aead;
    struct hr_nmac_key nmac;
    struct hr_xts_key xts;
};

/* Runs this job alone, and sets its result. */
int job_run_one(struct hr_job *job);

#endif
