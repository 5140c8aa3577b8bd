/* SPDX-License-Identifier: Apache-2.0 */
/* A sub-ring from the client's side: requests in, completions out. */
#define _GNU_SOURCE
#include "client.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- whose it is ---- */

static int claim(struct connection *c)
{
    uint64_t claimed = atomic_load(&c->claimed);
    for (;;) {
        const uint32_t ring = ~claimed ? (uint32_t)__builtin_ctzll(~claimed) : RING_MAX_RINGS;
        if (ring >= c->geometry.num_rings)
            return -1;
        if (atomic_compare_exchange_weak(&c->claimed, &claimed, claimed | UINT64_C(1) << ring))
            return (int)ring;
    }
}

int subring_claim(struct subring *s, struct connection *c)
{
    const int ring = claim(c);
    if (ring < 0)
        return HR_EBUFFER;
    const uint64_t bit = UINT64_C(1) << ring;
    s->ring = (uint32_t)ring;
    if (window_open(&s->window, ring_window(c->requests, &c->geometry, s->ring),
                    c->geometry.window_len)) {
        atomic_fetch_and(&c->claimed, ~bit);
        return HR_ESYSTEM;
    }
    s->connection = c;
    s->next = c->next[ring];
    s->completed = c->completed[ring];
    s->requests = ring_requests(c->requests, s->ring);
    s->completions = ring_completions((void *)c->completions, s->ring);
    memset(s->pending, 0, sizeof s->pending);
    atomic_fetch_or(&client_words(c)->claimed, bit);
    return 0;
}

void subring_release(struct subring *s, int wipe)
{
    struct connection *c = s->connection;
    const uint64_t bit = UINT64_C(1) << s->ring;
    if (!c)
        return;
    /* Requests hold keys and data: they end with the queue. */
    for (size_t i = 0; i < RING_DEPTH; i++)
        explicit_bzero(&s->requests[i].u, sizeof s->requests[i].u);
    if (wipe)
        explicit_bzero(s->window.base, s->window.dirty);
    window_close(&s->window);
    c->next[s->ring] = s->next;
    c->completed[s->ring] = s->completed;
    if (!subring_outstanding(s)) { /* else it is lost, and nobody shall have it */
        atomic_fetch_and(&client_words(c)->claimed, ~bit);
        atomic_fetch_and(&c->claimed, ~bit); /* releases the numbers to who claims it next */
    }
    s->connection = NULL;
    s->next = s->completed = 0; /* nothing is outstanding any more */
    connection_put(c);
}

enum { AHEAD = 4 }; /* lines on their way from the accelerator's core at once */

/* ---- requests ---- */

enum encoded subring_submit(struct subring *s, struct hr_job *job)
{
    struct pending *p = &s->pending[s->next % RING_DEPTH];
    struct ring_request *slot = &s->requests[s->next % RING_DEPTH];
    struct ring_request r = { 0 };
    if (subring_outstanding(s) >= RING_DEPTH || p->job)
        return ENCODED_FULL;
    p->job = job;
    const enum encoded encoded = encode(s, &r, p);
    if (encoded != ENCODED) {
        p->job = NULL;
        return encoded == ENCODED_FULL && !subring_outstanding(s) ? ENCODED_HERE : encoded;
    }
    __builtin_prefetch(&s->requests[(s->next + AHEAD) % RING_DEPTH], 1);
    p->number = s->next;
    job->result = HR_EPENDING;
    /* All of the line but its number, which comes last. */
    memcpy(slot, &r, offsetof(struct ring_request, seq));
    memcpy(&slot->u, &r.u, sizeof r.u);
    wipe_line(&r);
    ring_publish(&slot->seq, ++s->next);
    return ENCODED;
}

/* Without a point where a thread can be cancelled, whose jobs are perhaps on its stack. */
static void ring_doorbell(const struct connection *c)
{
    const uint64_t one = 1;
    if (descriptor_is_ours(&c->socket) && descriptor_is_ours(&c->doorbell) &&
        syscall(SYS_write, c->doorbell.fd, &one, sizeof one) < 0)
        return; /* it has been rung 2^64 times, or is not heard: waiting finds out */
}

void subring_bell(struct subring *s)
{
    struct ring_service_words *theirs = (void *)s->connection->completions;
    ring_fence(); /* the requests before the look whether the accelerator sleeps */
    if (UNLIKELY(atomic_load_explicit(&theirs->asleep, memory_order_relaxed)))
        ring_doorbell(s->connection);
}

/* ---- completions ---- */

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
static void fail(const struct window *w, const struct ring_completion *c, const struct pending *p)
{
    size_t i = 0;
    for (struct hr_job *job = p->job; job; job = job->next, i++) {
        job->result = i < c->done ? 0 : i == c->done ? c->result : HR_ESTATE;
        if (i < c->done)
            decode_one(w, c, p, i, job);
        else if (i == c->done && c->result == HR_EMAC)
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

static enum taken finish(struct subring *s, const struct ring_completion *c, struct pending *p)
{
    if (LIKELY(!c->result))
        return decode(&s->window, c, p) ? TAKEN_DONE : TAKEN_BROKEN;
    if (can_run_here(p->job, c->result))
        return TAKEN_HERE;
    if (c->done >= num_jobs(p->job))
        return TAKEN_BROKEN;
    fail(&s->window, c, p);
    return TAKEN_DONE;
}

enum taken subring_take(struct subring *s, struct hr_job **job)
{
    struct ring_completion c;
    if (!subring_outstanding(s) || !subring_ready(s))
        return TAKEN_NONE;
    memcpy(&c, &s->completions[s->completed % RING_DEPTH], sizeof c);
    __asm__ volatile("" : : : "memory"); /* this copy and no other */
    __builtin_prefetch(&s->completions[(s->completed + AHEAD) % RING_DEPTH]);
    struct pending *p = &s->pending[c.request % RING_DEPTH];
    if (UNLIKELY(!p->job || p->number != c.request || !is_result(c.result)))
        return TAKEN_BROKEN;
    const enum taken taken = finish(s, &c, p);
    wipe_line(&c);
    if (UNLIKELY(taken == TAKEN_BROKEN))
        return taken;
    *job = p->job;
    p->job = NULL;
    if (p->block_len)
        window_give(&s->window, p->block, p->block_len);
    s->completed++;
    return taken;
}
