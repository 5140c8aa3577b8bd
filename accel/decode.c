/* SPDX-License-Identifier: Apache-2.0 */
/* From a completion, which another process wrote and may still write, to the outputs of a job: what
 * is judged of it is copied first, and its bytes are read once. */
#include "client.h"
#include <string.h>

/* What was read from shared memory before is not read a second time. */
#define ONCE() __asm__ volatile("" : : : "memory")

/* A completion that is for a request of ours, but for its bytes, which are still shared. */
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

/* The i-th job of a request. */
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
    /* In their order: a later one may write over what an earlier one wrote. */
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

/* ---- what failed ---- */

/* A message that is not authentic is not left to be read. */
static void wipe_opened(const struct hr_job *job)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    if (!row || row->cls != HR_CLASS_AEAD)
        return;
    for (size_t i = 0; i < job->num_segments; i++)
        explicit_bzero(job->segments[i].out, job->segments[i].len);
    if (!job->num_segments && job->len)
        explicit_bzero(job->out, job->len);
}

/* Job `done` of the chain failed: those before it ended well. */
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

/* A wrong tag is the answer.  Anything else, a rule of the service's policy say, is no reason for a
 * job to fail that can run here; of a chain it is not told what became of each. */
static int can_run_here(const struct hr_job *job, int32_t result)
{
    return (result != HR_EMAC || job->next) && !uses_handle(job);
}

static size_t num_jobs(const struct hr_job *job)
{
    size_t n = 0;
    for (; job; job = job->next)
        n++;
    return n;
}

/* It was no success. */
static enum taken finish_failed(struct subring *s, const struct answer *a, const struct pending *p)
{
    if (!is_result(a->result))
        return TAKEN_BROKEN;
    if (can_run_here(p->job, a->result))
        return TAKEN_HERE;
    if (a->done >= num_jobs(p->job))
        return TAKEN_BROKEN;
    fail(&s->window, a, p);
    return TAKEN_DONE;
}

/* ---- take ---- */

/* Other than a success inline.  What it had of the window is free again, unless nothing that the
 * service says can be believed. */
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

enum taken subring_take(struct subring *s, struct hr_job **job)
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
