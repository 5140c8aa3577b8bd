/* SPDX-License-Identifier: Apache-2.0 */
/* Queues whose jobs go to the service where there is one, and run here where there is none. */
#define _GNU_SOURCE
#include "share.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_MOST = 8000 }; /* milliseconds: a service that listens first tests its kernels */
enum { LOOKS = 4096, SUBMITS = 16 }; /* polls without a result; submits without a service */

/* ---- submit ---- */

static int for_service(const struct accel_queue *q, const struct hr_job *job, size_t depth)
{
    const struct crossover *c = q->ring.connection->crossover;
    if (UNLIKELY(is_lent(job)))
        return 1;
    if (UNLIKELY(q->slow.state >= SLOW_HERE))
        return has_handle(job);
    if (!c || UNLIKELY(has_handle(job)))
        return 1;
    return crossover_knows(c, job->alg, job->op) &&
           crossover_wins(c, job->alg, job->op, job_len(job), depth);
}

/* place_here puts the first jobs into the local queue while the service is no gain for them, and
 * returns their number.  They cost no more than in a queue without a service. */
static size_t place_here(struct accel_queue *q, struct hr_job *const *jobs, size_t num_jobs,
                         size_t depth)
{
    size_t n = 0;
    if (!q->ring.connection)
        return 0;
    while (n < num_jobs && n + q->num_jobs < QUEUE_JOBS && !for_service(q, jobs[n], depth))
        n++;
    if (n)
        n = (size_t)q->local->ops->submit(q->local, jobs, n);
    q->num_local += (uint32_t)n;
    q->num_jobs += (uint32_t)n;
    return n;
}

/* place_shared gives a job to the queue that threads share, or lets it wait for that.  Returns 1,
 * or 0 if it is for this process. */
static int place_shared(struct accel_queue *q, struct hr_job *job)
{
    const enum shared shared = q->is_crowded_out ? share_give(q, job) : SHARED_NONE;
    if (shared == SHARED_TAKEN)
        return 1;
    const int waits = has_handle(job) && (shared == SHARED_FULL || keys_last(job));
    if (waits)
        recover_wait(q, job);
    return waits;
}

/* place submits a job for the service.  It returns 1, or 0 if there is no room for the job now. */
static int place(struct accel_queue *q, struct hr_job *job, int *rung)
{
    if (LIKELY(q->ring.connection != NULL)) {
        const int lent = is_lent(job);
        const enum encoded encoded =
            UNLIKELY(lent) ? unit_encode(q, job, rung) : encode_job(&q->ring, job);
        if (LIKELY(encoded == ENCODED)) {
            *rung |= !lent;
            return 1;
        }
        if (encoded == ENCODED_FULL)
            return 0;
        if (encoded == ENCODED_WAIT) {
            recover_lent(q, job);
            return 1;
        }
        if (recover_is_cut_off(q, job)) {
            recover_wait(q, job);
            return 1;
        }
        if (lent)
            recover_here(q, job);
        else if (!pieces_begin(q, job))
            recover_unsent(q, job);
    } else if (!place_shared(q, job)) {
        recover_here(q, job);
    }
    return 1;
}

/* submit_rest submits the jobs from jobs[i] on.  It returns the index of the first job that it did
 * not take. */
static __attribute__((noinline)) int submit_rest(struct accel_queue *q, struct hr_job *const *jobs,
                                                 size_t num_jobs, size_t i, size_t depth)
{
    int rung = 0;
    while (i < num_jobs && q->num_jobs < QUEUE_JOBS) {
        const size_t here = place_here(q, jobs + i, num_jobs - i, depth);
        i += here;
        if (here)
            continue;
        if (!place(q, jobs[i], &rung))
            break;
        q->num_jobs++;
        i++;
    }
    if (rung & 1)
        subring_bell(&q->ring);
    if (UNLIKELY(rung > 1))
        unit_bell(q, rung);
    return (int)i;
}

static int accel_submit(struct hr_queue *queue, struct hr_job *const *jobs, size_t num_jobs)
{
    struct accel_queue *q = (struct accel_queue *)queue;
    if (UNLIKELY(q->generation != connection_generation))
        recover_child(q);
    if (UNLIKELY(q->ring.connection && !connection_live(q->ring.connection)))
        recover_lost(q, 0);
    if (!q->ring.connection && (q->num_waiting || q->submits++ % SUBMITS == 0))
        recover_connect(q, 0);
    if (UNLIKELY((q->slow.left -= (int64_t)num_jobs) < 0 && !q->is_host))
        slow_submit(q, jobs, num_jobs);
    const size_t depth = num_jobs + subring_outstanding(&q->ring);
    const size_t here = place_here(q, jobs, num_jobs, depth);
    return here == num_jobs ? (int)here : submit_rest(q, jobs, num_jobs, here, depth);
}

/* ---- poll ---- */

static size_t collect_ring(struct accel_queue *q, struct hr_job **done, size_t max)
{
    size_t n = 0;
    struct hr_job *job;
    while (n < max && q->ring.connection) {
        const enum taken taken = decode_completion(&q->ring, &job);
        if (taken == TAKEN_NONE)
            break;
        if (LIKELY(taken == TAKEN_DONE)) {
            if ((job = pieces_done(q, job)) != NULL)
                done[n++] = job;
        } else if (taken == TAKEN_HERE) {
            recover_here(q, job);
        } else {
            recover_lost(q, 1);
        }
    }
    return n;
}

static size_t collect_unit(struct accel_queue *q, struct hr_job **done, size_t max)
{
    size_t n = 0;
    struct hr_job *job;
    for (int i = 0; i < 2; i++)
        while (n < max && q->unit[i].connection) {
            const enum taken taken = unit_decode(&q->unit[i], &job);
            if (taken == TAKEN_NONE)
                break;
            if (taken == TAKEN_DONE)
                done[n++] = job;
            else if (taken == TAKEN_HERE)
                recover_lent(q, job);
            else
                recover_lost(q, 1);
        }
    return n;
}

static size_t collect_here(struct accel_queue *q, struct hr_job **done, size_t max, size_t min)
{
    const int got = max && q->num_local ? q->local->ops->poll(q->local, done, max, min) : 0;
    size_t n = 0;
    q->num_local -= (uint32_t)got;
    for (int i = 0; i < got; i++)
        if ((done[n] = pieces_done(q, done[i])) != NULL)
            n++;
    return n;
}

/* collect takes all jobs that are finished now.  If they are fewer than `min`, local jobs run. */
static size_t collect(struct accel_queue *q, struct hr_job **done, size_t max, size_t min)
{
    size_t n = 0;
    while (UNLIKELY(q->num_finished) && n < max)
        done[n++] = q->finished[--q->num_finished];
    if (q->ring.connection)
        n += collect_ring(q, done + n, max - n);
    if (UNLIKELY(unit_is_used(q)))
        n += collect_unit(q, done + n, max - n);
    if (UNLIKELY(q->slow.is_watching))
        slow_look(q);
    if (UNLIKELY(q->num_shared))
        n += share_collect(q, done + n, max - n);
    if (q->num_local)
        n += collect_here(q, done + n, max - n, n < min && n < max);
    q->num_jobs -= (uint32_t)n;
    return n;
}

/* look_after checks whether the service went away.  After a kill -9 only the socket shows that;
 * with `ask` it is looked at too. */
static void look_after(struct accel_queue *q, int ask)
{
    struct connection *c = q->ring.connection;
    const int late = q->late_at && wait_clock() > q->late_at;
    if (c && (late || !connection_live(c) || (ask && connection_hung_up(c))))
        recover_lost(q, 0);
}

static __attribute__((noinline)) int poll_all(struct accel_queue *q, struct hr_job **done,
                                              size_t max, size_t min)
{
    size_t n = collect(q, done, max, min);
    for (unsigned round = 0; n < min && q->num_jobs; n += collect(q, done + n, max - n, min - n)) {
        if (q->num_local || q->num_finished)
            continue;
        if (q->num_shared)
            share_wait(q);
        else if (!subring_outstanding(&q->ring) && !unit_outstanding(q))
            recover_pause(q);
        else if (!unit_wait(q, round++))
            look_after(q, 1);
        else
            round = 0;
    }
    /* Polls that do not wait come often, so only some of them look at the socket. */
    if (UNLIKELY(!n && !min && q->num_jobs))
        look_after(q, ++q->looks % LOOKS == 0);
    if (UNLIKELY(q->num_waiting)) {
        if (!min && !q->ring.connection) /* a program that never waits would stay without */
            recover_connect(q, 0);
        recover_waiting(q);
    }
    return (int)n;
}

static int accel_poll(struct hr_queue *queue, struct hr_job **done, size_t max, size_t min)
{
    struct accel_queue *q = (struct accel_queue *)queue;
    if (UNLIKELY(q->generation != connection_generation))
        recover_child(q);
    if (q->num_local && q->num_local == q->num_jobs && !q->pieces.job) {
        const int here = q->local->ops->poll(q->local, done, max, min);
        q->num_local = q->num_jobs -= (uint32_t)here;
        return here;
    }
    return poll_all(q, done, max, min);
}

/* ---- the queue that threads share ---- */

int queue_submit(struct accel_queue *q, struct hr_job *job)
{
    return accel_submit(&q->queue, &job, 1);
}

int queue_poll(struct accel_queue *q, struct hr_job **done, size_t max)
{
    return q->num_jobs ? accel_poll(&q->queue, done, max, 0) : 0;
}

void queue_look_after(struct accel_queue *q)
{
    look_after(q, 1);
}

int queue_wants(const struct accel_queue *q, const struct hr_job *job)
{
    return for_service(q, job, subring_outstanding(&q->ring) + 1);
}

/* ---- open and close ---- */

static void free_memory(struct accel_queue *q, struct memory **at)
{
    struct memory *m = *at;
    *at = m->next;
    if (m->connection && m->connection == q->ring.connection)
        window_give(&q->ring.window, (uint32_t)(m->bytes - q->ring.window.base), m->len);
    if (m->connection)
        connection_put(m->connection);
    else
        free(m->bytes);
    free(m);
}

void queue_free(struct accel_queue *q)
{
    while (q->memory)
        free_memory(q, &q->memory);
    slow_end(q);
    unit_release(q);
    if (q->ring.connection)
        subring_release(&q->ring, 1);
    hr_queue_close(q->local);
    free(q->local_memory);
    explicit_bzero(q, sizeof *q);
    free(q);
}

static void accel_close(struct hr_queue *queue)
{
    struct accel_queue *q = (struct accel_queue *)queue;
    struct hr_job *done[64];
    if (q->generation != connection_generation)
        recover_child(q);
    while (q->num_jobs)
        (void)accel_poll(queue, done, 64, 1);
    share_leave(q);
    queue_free(q);
}

static const struct hr_queue_ops accel_ops = { accel_submit, accel_poll, accel_close };

struct accel_queue *queue_new(void)
{
    struct accel_queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->local_len = hr_queue_local_size(QUEUE_LOCAL);
    q->local_memory = malloc(q->local_len);
    if (!q->local_memory || hr_queue_local(&q->local, q->local_memory, q->local_len, QUEUE_LOCAL)) {
        free(q->local_memory);
        free(q);
        return NULL;
    }
    q->queue.ops = &accel_ops;
    q->generation = connection_generation;
    q->lost_at = wait_clock();
    return q;
}

static int open_queue(struct hr_queue **queue, const char *path, int wait_ms)
{
    const int error = connection_path(path);
    if (error)
        return error;
    struct accel_queue *q = queue_new();
    if (!q)
        return HR_ESYSTEM;
    recover_connect(q, wait_ms);
    *queue = &q->queue;
    return 0;
}

int hr_queue_connect(struct hr_queue **queue, const char *path)
{
    return queue ? open_queue(queue, path, CONNECT_MOST) : HR_EINVAL;
}

int hr_queue_connected(const struct hr_queue *queue)
{
    const struct accel_queue *q = (const struct accel_queue *)queue;
    if (!queue || queue->ops != &accel_ops || q->generation != connection_generation)
        return 0;
    struct connection *c = q->ring.connection;
    if (c || !q->is_crowded_out)
        return c && connection_live(c);
    if ((c = connection_get(0)) != NULL)
        connection_put(c);
    return c != NULL;
}

/* ---- memory for jobs ---- */

void *hr_queue_memory(struct hr_queue *queue, size_t len)
{
    struct accel_queue *q = (struct accel_queue *)queue;
    if (!queue || queue->ops != &accel_ops || !len || len > SIZE_MAX - 63)
        return NULL;
    struct memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    if (q->generation != connection_generation)
        recover_child(q);
    const uint32_t at = q->ring.connection && len <= window_len(&q->ring.window) / 2
                            ? window_take(&q->ring.window, len)
                            : NOWHERE;
    m->len = len;
    if (at != NOWHERE) {
        m->bytes = q->ring.window.base + at;
        m->connection = q->ring.connection;
        connection_keep(m->connection);
    } else {
        m->bytes = aligned_alloc(64, (len + 63) / 64 * 64);
    }
    if (!m->bytes) {
        free(m);
        return NULL;
    }
    m->next = q->memory;
    q->memory = m;
    return m->bytes;
}

void hr_queue_memory_free(struct hr_queue *queue, void *memory)
{
    struct accel_queue *q = (struct accel_queue *)queue;
    if (!queue || queue->ops != &accel_ops || !memory)
        return;
    if (q->generation != connection_generation)
        recover_child(q);
    for (struct memory **at = &q->memory; *at; at = &(*at)->next)
        if ((*at)->bytes == memory) {
            free_memory(q, at);
            return;
        }
}

/* ---- one job ---- */

static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static int own_error;
static _Thread_local struct hr_queue *own;

static void end_thread(void *queue)
{
    own = NULL;
    hr_queue_close(queue);
}

static void make_own_key(void)
{
    own_error = pthread_key_create(&own_key, end_thread);
}

static int open_own(int wait_ms)
{
    pthread_once(&own_once, make_own_key);
    int error = own_error ? HR_ESYSTEM : open_queue(&own, NULL, wait_ms);
    if (!error && pthread_setspecific(own_key, own)) {
        hr_queue_close(own);
        own = NULL;
        error = HR_ESYSTEM;
    }
    return error;
}

struct accel_queue *queue_own(int wait_ms)
{
    if (UNLIKELY(!own) && open_own(wait_ms))
        return NULL;
    return (struct accel_queue *)own;
}

int hr_accel_run(struct hr_job *job)
{
    struct hr_job *done;
    if (!job)
        return HR_EINVAL;
    if (!queue_own(CONNECT_MOST))
        return hr_job_run(job); /* no memory for a queue */
    if (hr_queue_submit(own, &job, 1) != 1 || hr_queue_poll(own, &done, 1, 1) != 1)
        return HR_ESTATE; /* a signal handler called it while it ran */
    unit_make_room((struct accel_queue *)own);
    for (; job; job = job->next)
        if (job->result)
            return job->result;
    return 0;
}
