/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles the loss and the return of the service.  A job's inputs stay in the caller's memory, and
 * its outputs are not written before it is complete, not even in place.  So every job can be
 * repeated: in this process if it has the key, else by the next service.
 */
#define _GNU_SOURCE
#include "share.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RETRY = 10000000 }; /* nanoseconds */

void recover_here(struct accel_queue *q, struct hr_job *job)
{
    if (q->local->ops->submit(q->local, &job, 1) == 1)
        q->num_local++; /* always: it has room for all jobs that a queue takes */
}

void recover_unsent(struct accel_queue *q, struct hr_job *job)
{
    const struct form *f = &q->ring.form;
    const int for_service = f->job == job && f->handle;
    if (for_service && (f->is_request || f->len > window_len(&q->ring.window))) {
        job->result = HR_ELENGTH;
        q->finished[q->num_finished++] = job;
    } else {
        recover_here(q, job);
    }
}

void recover_wait(struct accel_queue *q, struct hr_job *job)
{
    if (q->is_crowded_out && !q->num_waiting)
        q->lost_at = wait_clock();
    job->result = HR_EPENDING;
    q->waiting[q->num_waiting++] = job;
}

int recover_is_cut_off(const struct accel_queue *q, const struct hr_job *job)
{
    return has_handle(job) && !connection_live(q->ring.connection) && keys_last(job);
}

void recover_lent(struct accel_queue *q, struct hr_job *job)
{
    if (!is_named(job)) {
        recover_here(q, job);
        return;
    }
    job->result = HR_EPENDING;
    q->waiting[q->num_waiting++] = job;
}

/* ---- the service went away ---- */

static void wait_or_here(struct accel_queue *q, struct hr_job *job, int handle)
{
    if (handle && keys_last(job))
        q->waiting[q->num_waiting++] = job;
    else
        recover_here(q, job);
}

/* take_last takes the jobs that the service finished before it went away. */
static void take_last(struct accel_queue *q)
{
    struct hr_job *job;
    for (enum taken taken; (taken = decode_completion(&q->ring, &job)) != TAKEN_NONE;) {
        if (taken == TAKEN_BROKEN)
            return;
        if (taken == TAKEN_HERE)
            recover_here(q, job);
        else if ((job = pieces_done(q, job)) != NULL)
            q->finished[q->num_finished++] = job;
    }
}

static int has_memory_of(const struct accel_queue *q, const struct connection *c)
{
    for (const struct memory *m = q->memory; m; m = m->next)
        if (m->connection == c)
            return 1;
    return 0;
}

void recover_lost(struct accel_queue *q, int broken)
{
    struct connection *c = q->ring.connection;
    connection_lose(c);
    slow_end(q);
    unit_lose(q, broken);
    if (!broken)
        take_last(q);
    for (size_t i = 0; i < RING_DEPTH; i++) {
        struct hr_job *job = q->ring.pending[i].job;
        q->ring.pending[i].job = NULL;
        if (job)
            wait_or_here(q, job, q->ring.pending[i].handle);
    }
    subring_release(&q->ring, !has_memory_of(q, c));
    q->lost_at = wait_clock();
    q->retry_at = 0;
}

/* ---- the service comes back ---- */

void recover_connect(struct accel_queue *q, int wait_ms)
{
    const uint64_t now = wait_clock();
    if (!wait_ms && now < q->retry_at)
        return;
    q->retry_at = now + RETRY;
    struct connection *c = connection_get(wait_ms);
    if (!c)
        return;
    const int error = subring_claim(&q->ring, c);
    q->is_crowded_out = error == HR_EBUFFER && !q->is_host && subrings_kept(c);
    if (error) {
        connection_put(c);
        return;
    }
    q->lost_at = 0;
    recover_waiting(q);
}

static void give_up(struct accel_queue *q)
{
    while (q->num_waiting) {
        struct hr_job *job = q->waiting[--q->num_waiting];
        q->finished[q->num_finished++] = job;
        job->result = HR_EGONE;
        while ((job = job->next) != NULL)
            job->result = HR_ESTATE;
    }
}

/* recover_shared gives waiting jobs to the queue that threads share. */
static void recover_shared(struct accel_queue *q)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->num_waiting; i++) {
        const enum shared shared = share_give(q, q->waiting[i]);
        if (shared != SHARED_NONE)
            q->lost_at = wait_clock();
        if (shared != SHARED_TAKEN)
            q->waiting[kept++] = q->waiting[i];
    }
    q->num_waiting = kept;
}

void recover_waiting(struct accel_queue *q)
{
    uint32_t kept = 0, submitted = 0;
    int rung = 0;
    if (!q->num_waiting)
        return;
    if (!q->ring.connection && q->is_crowded_out)
        recover_shared(q);
    if (!q->ring.connection) {
        if (wait_clock() - q->lost_at > patience_ns())
            give_up(q);
        return;
    }
    for (uint32_t i = 0; i < q->num_waiting; i++) {
        struct hr_job *job = q->waiting[i];
        const int named = is_named(job);
        const enum encoded encoded = named ? unit_encode(q, job, &rung) : encode_job(&q->ring, job);
        submitted += encoded == ENCODED && !named;
        if (encoded == ENCODED_FULL || encoded == ENCODED_WAIT ||
            (encoded == ENCODED_HERE && recover_is_cut_off(q, job)))
            q->waiting[kept++] = job;
        else if (encoded == ENCODED_HERE)
            recover_unsent(q, job);
    }
    q->num_waiting = kept;
    if (submitted)
        subring_bell(&q->ring);
    unit_bell(q, rung);
}

void recover_pause(struct accel_queue *q)
{
    const int cancel = cancel_later();
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    cancel_as_before(cancel);
    if (q->ring.connection && !connection_live(q->ring.connection))
        recover_lost(q, 0);
    if (!q->ring.connection)
        recover_connect(q, 0);
    recover_waiting(q);
}

/* ---- fork ---- */

void recover_child(struct accel_queue *q)
{
    q->generation = connection_generation;
    q->num_jobs = q->num_local = q->num_finished = q->num_waiting = 0;
    q->num_shared = q->is_counted = q->is_crowded_out = 0;
    atomic_store(&q->num_returned, 0);
    q->pieces.job = NULL;
    q->ring.connection = NULL; /* the parent's; in_child freed this copy */
    slow_end(q);
    q->ring.next = q->ring.completed = 0;
    window_close(&q->ring.window);
    memset(q->ring.pending, 0, sizeof q->ring.pending);
    unit_forget(q);
    for (struct memory *m = q->memory; m; m = m->next)
        if (m->connection) { /* in a window, which is not mapped here */
            m->connection = NULL;
            m->bytes = NULL;
        }
    if (hr_queue_local(&q->local, q->local_memory, q->local_len, QUEUE_LOCAL))
        abort(); /* cannot fail: this memory was a queue before */
    q->lost_at = wait_clock();
    q->retry_at = 0;
}
