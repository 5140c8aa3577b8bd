/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes a completion and writes the outputs of its jobs.  The service may still change the
 * completion, so numbers are copied before they are checked, and the bytes are read once. */
#include "internal.h"
#include <headrace/classes.h>
#include <string.h>

/* ONCE is a compiler barrier: no value that was read from shared memory is read again. */
#define ONCE() __asm__ volatile("" : : : "memory")

/* A completion of a pending request: its numbers are copies; its bytes are still shared. */
struct answer {
    int32_t result;
    uint8_t state_len, done;
    const uint8_t *bytes;
};

/* ---- outputs ---- */

static void scatter(const struct hr_job *job, const uint8_t *bytes)
{
    for (size_t i = 0; i < job->num_segments; i++) {
        if (job->segments[i].len)
            memcpy(job->segments[i].out, bytes, job->segments[i].len);
        bytes += job->segments[i].len;
    }
}

static int decode_state(const struct window *w, const struct answer *a, const struct pending *p)
{
    struct hr_job *job = p->job;
    if (!a->state_len || a->state_len > HR_DIGEST_MAX_EXPORT)
        return 0;
    memcpy(job->state_out, w->base + p->state, a->state_len);
    job->state_out_len = a->state_len;
    job->result = 0;
    return 1;
}

/* decode_one copies the outputs of the i-th job of a request. */
static void decode_one(const struct window *w, const struct answer *a, const struct pending *p,
                       size_t i, const struct hr_job *job)
{
    const struct outputs *at = &p->at[i];
    if (at->out != NOWHERE && job->num_segments)
        scatter(job, w->base + at->out);
    else if (at->out != NOWHERE)
        copy_bytes(job->out, w->base + at->out, job->len);
    if (p->tag_len[i])
        copy_bytes(job->tag, at->tag != NOWHERE ? w->base + at->tag : a->bytes, p->tag_len[i]);
}

static int decode_far(const struct window *w, const struct answer *a, const struct pending *p)
{
    size_t i = 0;
    if (p->state != NOWHERE)
        return decode_state(w, a, p);
    /* In the order of the jobs, because a later one may overwrite an earlier one's output. */
    for (struct hr_job *job = p->job; job; job = job->next) {
        decode_one(w, a, p, i++, job);
        job->result = 0;
    }
    return 1;
}

static inline void decode_inline(const uint8_t *bytes, const struct pending *p)
{
    struct hr_job *job = p->job;
    const uint32_t tag_len = p->tag_len[0], out_len = p->inline_len - tag_len;
    copy_bytes(job->out, bytes, out_len);
    copy_bytes(job->tag, bytes + out_len, tag_len);
    job->result = 0;
}

/* ---- failures ---- */

/* wipe_opened wipes the plaintext of a message whose tag was wrong. */
static void wipe_opened(const struct hr_job *job)
{
    const struct hr_class_info *info = hr_class_of(hr_algorithm((hr_alg)job->alg));
    const struct hr_class_op *op = hr_class_op(info, job->op);
    if (!op || !op->out || op->tag != HR_TAG_TAKEN)
        return;
    for (size_t i = 0; i < job->num_segments; i++)
        explicit_bzero(job->segments[i].out, job->segments[i].len);
    if (!job->num_segments && job->len)
        explicit_bzero(job->out, job->len);
}

/* fail sets the results of a chain whose job number `done` failed: the jobs before it are complete,
 * and those after it get HR_ESTATE. */
static void fail(const struct window *w, const struct answer *a, const struct pending *p)
{
    size_t i = 0;
    for (struct hr_job *job = p->job; job; job = job->next, i++) {
        job->result = i < a->done ? 0 : i == a->done ? a->result : HR_ESTATE;
        if (i < a->done)
            decode_one(w, a, p, i, job);
        else if (i == a->done && a->result == HR_EMAC)
            wipe_opened(job);
    }
}

/* can_run_here tells whether a failed request is repeated in this process.  A wrong tag (HR_EMAC)
 * is a final answer, except in a chain, which is repeated as a whole.  Any other error may be due
 * to the service, to its policy for example.  Jobs under a handle cannot run here. */
static int can_run_here(const struct pending *p, int32_t result)
{
    return (result != HR_EMAC || p->job->next) && !p->handle;
}

static size_t num_jobs(const struct hr_job *job)
{
    size_t n = 0;
    for (; job; job = job->next)
        n++;
    return n;
}

/* finish_failed handles a completion whose result is an error. */
static enum taken finish_failed(struct subring *s, const struct answer *a, const struct pending *p)
{
    if (!is_result(a->result))
        return TAKEN_BROKEN;
    if (can_run_here(p, a->result))
        return TAKEN_HERE;
    if (a->done >= num_jobs(p->job))
        return TAKEN_BROKEN;
    fail(&s->window, a, p);
    return TAKEN_DONE;
}

/* ---- take ---- */

/* finish handles a completion that is not an inline success.  It frees the request's part of the
 * window, unless the completion is invalid (TAKEN_BROKEN). */
APART static enum taken finish(struct subring *s, const struct ring_completion *c, int32_t result,
                               uint16_t len, const struct pending *p)
{
    const struct answer a = { result, c->state_len, c->done, c->bytes };
    ONCE();
    enum taken taken = TAKEN_DONE;
    if (result)
        taken = finish_failed(s, &a, p);
    else if (!p->far || len != p->inline_len || !decode_far(&s->window, &a, p))
        taken = TAKEN_BROKEN;
    if (taken != TAKEN_BROKEN && p->block_len)
        window_give(&s->window, p->block, p->block_len);
    return taken;
}

enum taken decode_completion(struct subring *s, struct hr_job **job)
{
    if (!subring_outstanding(s) || !subring_ready(s))
        return TAKEN_NONE;
    const struct ring_completion *c = &s->completions[s->completed % RING_DEPTH];
    const uint32_t number = c->request;
    const int32_t result = c->result;
    const uint16_t len = c->len;
    struct pending *p = &s->pending[number % RING_DEPTH];
    enum taken taken = TAKEN_DONE;
    ONCE();
    __builtin_prefetch(&s->completions[(s->completed + AHEAD) % RING_DEPTH]);
    if (UNLIKELY(!p->job || p->number != number))
        return TAKEN_BROKEN;
    if (LIKELY(!(result | p->far) && len == p->inline_len))
        decode_inline(c->bytes, p);
    else if ((taken = finish(s, c, result, len, p)) == TAKEN_BROKEN)
        return TAKEN_BROKEN;
    *job = p->job;
    p->job = NULL;
    s->completed++;
    return taken;
}
