/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of public key stay in this process for a while if the service is much slower: because its
 * policy allows few requests a second, or because others want far more than it can do.  That a
 * crowd makes each of its members wait is no reason: full lanes are what the service is for.
 *
 * Now and then a job is computed here, to know how long that takes.  Answers are late that take
 * FACTOR times as long, and LATE besides.  After LATE_ONES in a row the process computes such jobs
 * for a pause, and then asks again; if that is late too, the next pause is twice as long. */
#include "internal.h"

enum {
    FIRST = 16,    /* jobs before the first that is computed here, */
    PERIOD = 1024, /* and from one of those to the next */
    FACTOR = 16,
    LATE = 10000000, /* ns */
    LATE_ONES = 8,
    PAUSE_SHIFT = 6, /* the longest pause is 2^6 times the first */
};
#define PAUSE UINT64_C(1000000000) /* ns of the first pause */

/* measure computes a job here.  A thread that was interrupted meanwhile makes the service look
 * faster than it is, so that the shortest time of late counts. */
static void measure(struct lent_pace *p, struct hr_job *job)
{
    const uint64_t before = atomic_load_explicit(&p->ours, memory_order_relaxed);
    const uint64_t begin = ticks();
    (void)hr_job_run(job);
    const uint64_t took = ticks() - begin;
    atomic_store_explicit(&p->ours, before && took > 2 * before ? 2 * before : took,
                          memory_order_relaxed);
}

enum unit_pace unit_pace(struct lent_pace *p, struct hr_job *job)
{
    const uint64_t until = atomic_load_explicit(&p->until, memory_order_relaxed);
    if (UNLIKELY(until)) {
        if (wait_clock() < until)
            return PACE_HERE;
        atomic_store_explicit(&p->until, 0, memory_order_relaxed);
        atomic_store_explicit(&p->late, LATE_ONES - 1, memory_order_relaxed);
    }
    const uint32_t jobs = atomic_fetch_add_explicit(&p->jobs, 1, memory_order_relaxed);
    if (LIKELY(jobs % PERIOD != FIRST))
        return PACE_SEND;
    measure(p, job);
    return PACE_DONE;
}

void unit_pace_load(struct lent_pace *p, uint32_t load)
{
    enum { SLOWLY = 8 };
    const uint32_t before = atomic_load_explicit(&p->load, memory_order_relaxed);
    const uint32_t now = LENT_LOAD * (load < UINT8_MAX ? load : UINT8_MAX);
    atomic_store_explicit(&p->load, before ? before - before / SLOWLY + now / SLOWLY : now,
                          memory_order_relaxed);
}

void unit_pace_took(struct lent_pace *p, uint64_t took)
{
    const uint64_t ours = atomic_load_explicit(&p->ours, memory_order_relaxed);
    if (LIKELY(!ours || took < FACTOR * ours + wait_ticks(LATE))) {
        atomic_store_explicit(&p->late, 0, memory_order_relaxed);
        atomic_store_explicit(&p->pauses, 0, memory_order_relaxed);
        return;
    }
    if (atomic_fetch_add_explicit(&p->late, 1, memory_order_relaxed) + 1 >= LATE_ONES)
        unit_pace_pause(p);
}

void unit_pace_pause(struct lent_pace *p)
{
    const uint32_t pauses = atomic_load_explicit(&p->pauses, memory_order_relaxed);
    atomic_store_explicit(&p->until, wait_clock() + (PAUSE << pauses), memory_order_relaxed);
    atomic_store_explicit(&p->pauses, pauses + (pauses < PAUSE_SHIFT), memory_order_relaxed);
}
