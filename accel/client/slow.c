/* SPDX-License-Identifier: Apache-2.0 */
/* A queue computes its jobs itself while the service is slower than that.
 *
 * Now and then a job is watched.  If several of these in a row took longer than LATE, the queue
 * compares: how fast the caller gets on with the service, whatever the length of its jobs and
 * whatever else it does, and then how fast with jobs that are computed here.  If it gets on FACTOR
 * times as fast here, and most jobs that were watched meanwhile were late too, the queue stays away
 * from the service for a pause, and compares again.  It goes back when the service answers in time
 * or is as fast as this process; else the next pause is twice as long. */
#include "internal.h"

enum {
    PERIOD = 64,      /* jobs from one that is watched to the next */
    LATE = 200000,    /* ns */
    LATE_ONES = 3,    /* watched jobs in a row that were late, before the queue compares */
    JOBS = 32,        /* of each of the two measurements, at least, */
    LEAST = 20000000, /* ns of each of them, at least */
    MOST = 500000000, /* ns after which fewer jobs are enough */
    SUBMITS = 4096,   /* submits after which a measurement that cannot begin is given up */
    FACTOR = 2,       /* gain for which the queue leaves the service */
    EACH = 256,       /* bytes that take as long as what each job takes besides its bytes */
    PAUSE_SHIFT = 6,  /* the longest pause is 2^6 times the first */
};
#define PAUSE UINT64_C(1000000000) /* ns of the first pause */

static void enter(struct slow *w, enum slow_state state)
{
    w->state = state;
    w->since = 0;
    w->submits = 0;
    w->late = w->on_time = 0;
    w->is_watching = false;
    w->left = state == SLOW_WATCH ? PERIOD : 0;
}

/* tell tells the service, for its status, how many queues of this process stay away. */
static void tell(struct accel_queue *q, uint32_t more)
{
    struct ring_client_words *words = client_words(q->ring.connection);
    atomic_fetch_add_explicit(&words->away, more, memory_order_relaxed);
}

void slow_end(struct accel_queue *q)
{
    if (q->slow.is_counted && q->ring.connection)
        tell(q, 0 - UINT32_C(1));
    q->slow.is_counted = false;
    q->slow.pauses = 0;
    enter(&q->slow, SLOW_WATCH);
}

static void leave(struct accel_queue *q)
{
    struct slow *w = &q->slow;
    if (!w->is_counted) {
        struct ring_client_words *words = client_words(q->ring.connection);
        tell(q, 1);
        atomic_fetch_add_explicit(&words->left, 1, memory_order_relaxed);
        w->is_counted = true;
    }
    enter(w, SLOW_AWAY);
    w->until = wait_clock() + (PAUSE << w->pauses);
    w->pauses += w->pauses < PAUSE_SHIFT;
}

/* is_late tells whether a job was late for sure: it was not there when the queue looked for it. */
static bool is_late(const struct slow *w)
{
    return w->missed && w->missed - w->begun > wait_ticks(LATE);
}

static void took(struct slow *w)
{
    const bool late = is_late(w);
    w->is_watching = false;
    w->late += late;
    w->on_time += !late;
    if (w->state == SLOW_WATCH && !late)
        enter(w, SLOW_WATCH);
    else
        w->left = 0;
}

void slow_look(struct accel_queue *q)
{
    if ((int32_t)(q->ring.completed - q->slow.number) > 0)
        took(&q->slow);
    else if (q->ring.next != q->slow.number)
        q->slow.missed = ticks();
}

/* is_measured counts the jobs of a submit.  It tells whether those before have been enough. */
static bool is_measured(struct slow *w, uint32_t elsewhere, struct hr_job *const *jobs,
                        size_t num_jobs)
{
    const uint64_t now = ticks(), elapsed = now - w->since;
    if (w->since && elapsed > wait_ticks(w->jobs < JOBS ? MOST : LEAST)) {
        w->took = elapsed;
        return true;
    }
    if (!w->since && !elsewhere) {
        w->since = now;
        w->jobs = w->bytes = 0;
    }
    w->jobs += num_jobs;
    for (size_t i = 0; i < num_jobs; i++)
        w->bytes += EACH + job_len(jobs[i]);
    return false;
}

/* compare decides after both measurements. */
static void compare(struct accel_queue *q)
{
    struct slow *w = &q->slow;
    const double here = (double)w->took / (double)w->bytes;
    if (w->was_late && here * (w->is_counted ? 1 : FACTOR) < w->theirs)
        leave(q);
    else
        slow_end(q);
}

/* watch begins to watch the next request.  The last one, if it is still out, counts as if it came
 * now. */
static void watch(struct slow *w, uint32_t number)
{
    if (w->is_watching)
        took(w);
    w->left = w->state == SLOW_WATCH ? PERIOD : 0;
    w->is_watching = true;
    w->number = number;
    w->begun = ticks();
    w->missed = 0;
}

void slow_submit(struct accel_queue *q, struct hr_job *const *jobs, size_t num_jobs)
{
    struct slow *w = &q->slow;
    w->left = q->ring.connection && num_jobs ? 0 : PERIOD;
    if (w->left)
        return;
    if (w->state != SLOW_WATCH && w->state != SLOW_AWAY && w->submits++ > SUBMITS && !w->since)
        slow_end(q); /* jobs that only one of both can compute are always there */
    if (w->state == SLOW_WATCH && w->late >= LATE_ONES)
        enter(w, SLOW_THEIRS);
    if (w->state == SLOW_AWAY && wait_clock() > w->until)
        enter(w, SLOW_THEIRS);
    if (w->state == SLOW_THEIRS && is_measured(w, q->num_local, jobs, num_jobs)) {
        w->theirs = (double)w->took / (double)w->bytes;
        w->was_late = w->late > w->on_time;
        enter(w, SLOW_HERE);
    } else if (w->state == SLOW_HERE &&
               is_measured(w, subring_outstanding(&q->ring), jobs, num_jobs)) {
        compare(q);
    }
    if (w->state < SLOW_HERE)
        watch(w, q->ring.next);
}
