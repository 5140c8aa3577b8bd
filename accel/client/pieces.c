/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a digest's or HMAC's message that is longer than the window in pieces.  Each piece is a
 * job, which begins with the exported state of the piece before. */
#include "internal.h"

enum { BLOCK = 4096 }; /* a multiple of the block length of every algorithm */

/* step starts the next piece on the ring.  If the queue has no sub-ring any more, the whole rest is
 * one piece in the local queue. */
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
    if (q->ring.connection && encode_job(&q->ring, &p->piece) == ENCODED)
        subring_bell(&q->ring);
    else
        recover_here(q, &p->piece);
}

int pieces_begin(struct accel_queue *q, struct hr_job *job)
{
    struct pieces *p = &q->pieces;
    const struct form *f = &q->ring.form;
    if (p->job || job->len <= BLOCK || window_len(&q->ring.window) < 4 * BLOCK || !f->is_request ||
        !f->shape->has_states || job->num_segments || f->handle)
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
