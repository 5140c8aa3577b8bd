/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of public key that wait in a local queue: a run takes the first one, and those behind it
 * that share its lanes (pk/many.h). */
#include "batch_run.h"
#include "pk/many.h"

/* Takes the first job and the next ones of its kind; the others keep their order. */
static size_t take_kind(struct job_ring *ring, unsigned kind, struct hr_job *jobs[PK_MANY])
{
    struct hr_job *others[PK_AHEAD];
    const size_t most = kind ? PK_MANY : 1;
    size_t num = 0, num_others = 0;
    while (ring_len(ring) && num + num_others < PK_AHEAD && num < most) {
        struct hr_job *const job = ring_take(ring);
        if (num && pk_kind(job) != kind)
            others[num_others++] = job;
        else
            jobs[num++] = job;
    }
    while (num_others)
        ring->slots[--ring->head & ring->mask] = others[--num_others];
    return num;
}

void pk_batch_run(struct job_ring *waiting, struct job_sink *sink)
{
    struct hr_job *jobs[PK_MANY];
    const unsigned kind = pk_kind(waiting->slots[waiting->head & waiting->mask]);
    const size_t num = take_kind(waiting, kind, jobs);
    pk_run_kind(kind, jobs, num);
    for (size_t i = 0; i < num; i++)
        sink_put(sink, jobs[i], jobs[i]->result);
}
