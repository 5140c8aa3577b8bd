/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures by the service for a caller who can make them otherwise.  The service is no authority:
 * it may be slow, stopped, faulty or hostile, and a wrong signature of RSA reveals the key. */
#include "../public_key.h"
#include "internal.h"
#include <headrace/rsa.h>
#include <string.h>

enum { LATE = 250000000 }; /* ns */

/* send gives the job to the unit's ring.  It returns 0, or why the job is not for the service. */
static int send(struct accel_queue *q, struct hr_job *job)
{
    int rung = 0;
    if (q->generation != connection_generation)
        recover_child(q);
    if (q->ring.connection && !connection_live(q->ring.connection))
        recover_lost(q, 0);
    if (!q->ring.connection)
        recover_connect(q, 0);
    const struct connection *c = q->ring.connection;
    if (!c)
        return HR_EGONE;
    if (!c->crossover || !crossover_knows(c->crossover, job->alg, job->op))
        return HR_EALG;
    if (q->num_jobs || unit_encode(q, job, &rung) != ENCODED)
        return HR_EPENDING;
    q->num_jobs++;
    unit_bell(q, rung);
    return 0;
}

/* run waits for the job, which is computed here when the service is late. */
static int run(struct accel_queue *q, struct hr_job *job, struct lent_pace *pace)
{
    struct hr_job *done;
    int error = send(q, job);
    if (error)
        return error;
    q->late_at = wait_clock() + LATE;
    const int n = hr_queue_poll(&q->queue, &done, 1, 1);
    if (wait_clock() > q->late_at)
        unit_pace_pause(pace);
    q->late_at = 0;
    if (n != 1)
        return HR_ESTATE; /* a signal handler called it while it ran */
    unit_make_room(q);
    return job->result;
}

/* check compares the signature with its digest.  A service that makes a wrong one is left. */
static int check(struct accel_queue *q, const struct hr_job *job, size_t len,
                 const struct hr_rsa_key *key, struct lent_pace *pace)
{
    if (!hr_rsa_verify(job->tag, len, job->in, job->len, key, job->options))
        return 0;
    unit_pace_pause(pace);
    if (q->ring.connection)
        recover_lost(q, 1);
    return HR_EFAULT;
}

int hr_accel_try(struct hr_job *job)
{
    uint8_t signature[PK_RESULT];
    const struct hr_rsa_key *key;
    if (!job || job->op != HR_JOB_SIGN || !job->in || !job->tag || !job->options)
        return HR_EINVAL;
    struct lent_facts *facts = lent_offered(&key, job->handle);
    if (!facts)
        return HR_EHANDLE;
    struct accel_queue *q = queue_own(0);
    if (!q)
        return HR_ESYSTEM;
    struct hr_job copy = { .alg = facts->alg,
                           .op = HR_JOB_SIGN,
                           .key_form = HR_KEY_OBJECT,
                           .key = key,
                           .handle = job->handle,
                           .in = job->in,
                           .len = job->len,
                           .tag = signature,
                           .options = job->options };
    int error = run(q, &copy, &facts->paces[HR_JOB_SIGN]);
    if (!error)
        error = check(q, &copy, facts->result_len, key, &facts->paces[HR_JOB_SIGN]);
    if (!error)
        memcpy(job->tag, signature, facts->result_len);
    explicit_bzero(signature, facts->result_len);
    return error;
}
