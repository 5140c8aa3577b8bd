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

#endif
