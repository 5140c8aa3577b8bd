/* SPDX-License-Identifier: Apache-2.0 */
/* A digest or HMAC of a message that is longer than the window: as jobs of a part of it each, that
 * hand the state on. */
#include "client.h"

enum { BLOCK = 4096 }; /* of no algorithm; a multiple of all */

static int can_be_cut(const struct hr_job *job)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    struct shape shape = { .plain = 0 };
    struct form f;
    return row && (row->cls == HR_CLASS_DIGEST || row->cls == HR_CLASS_MAC) && !job->next &&
           !job->num_segments && !uses_handle(job) && form_of(&f, &shape, job, NULL);
}

/* On the ring, or here if there is none any more: then all the rest. */
static void step(struct accel_queue *q)
{
    struct pieces *p = &q->pieces;
    const struct hr_job *job = p->job;
    const size_t left = job->len - p->done;
    const size_t most = q->ring.connection ? window_len(&q->ring.window) / 4 / BLOCK * BLOCK : left;
    const int last = left <= most;
    p->piece = *job;
    p->piece.in = (const uint8_t *)job->in + p->done;
    p->piece.len = last ? left : most;
    if (p->done) {
        p->piece.state_in = p->state[p->turn];
        p->piece.state_in_len = p->state_len;
    }
    if (!last) {
        p->piece.op = HR_JOB_DIGEST;
        p->piece.tag = NULL;
        p->piece.state_out = p->state[!p->turn];
    }
    if (q->ring.connection && subring_submit(&q->ring, &p->piece) == ENCODED)
        subring_bell(&q->ring);
    else
        queue_here(q, &p->piece);
}

int pieces_begin(struct accel_queue *q, struct hr_job *job)
{
    struct pieces *p = &q->pieces;
    if (p->job || job->len <= BLOCK || window_len(&q->ring.window) < 4 * BLOCK || !can_be_cut(job))
        return 0;
    p->job = job;
    p->done = 0;
    job->result = HR_EPENDING;
    step(q);
    return 1;
}

struct hr_job *pieces_next(struct accel_queue *q)
{
    struct pieces *p = &q->pieces;
    struct hr_job *job = p->job;
    p->done += p->piece.len;
    p->turn = !p->turn;
    p->state_len = p->piece.state_out_len;
    if (!p->piece.result && p->done < job->len) {
        step(q);
        return NULL;
    }
    job->result = p->piece.result;
    job->state_out_len = p->piece.state_out_len;
    p->job = NULL;
    return job;
}
