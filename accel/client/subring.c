/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of a sub-ring: claiming it, giving it back, and waking the service. */
#define _GNU_SOURCE
#include "share.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- claim and release ---- */

/* free_ring returns a free sub-ring, or RING_MAX_RINGS: the kept-th last one, or, if that is 0, one
 * that is not kept. */
static uint32_t free_ring(const struct connection *c, uint64_t claimed, uint32_t kept)
{
    const uint32_t end = c->geometry.num_rings - subrings_kept(c);
    const uint32_t ring = kept       ? c->geometry.num_rings - kept
                          : ~claimed ? (uint32_t)__builtin_ctzll(~claimed)
                                     : RING_MAX_RINGS;
    if (kept ? kept > subrings_kept(c) || claimed >> ring & 1 : ring >= end)
        return RING_MAX_RINGS;
    return ring;
}

static int claim(struct connection *c, uint32_t kept)
{
    uint64_t claimed = atomic_load(&c->claimed);
    for (;;) {
        const uint32_t ring = free_ring(c, claimed, kept);
        if (ring == RING_MAX_RINGS)
            return -1;
        if (atomic_compare_exchange_weak(&c->claimed, &claimed, claimed | UINT64_C(1) << ring))
            return (int)ring;
    }
}

int subring_claim(struct subring *s, struct connection *c)
{
    const int ring = claim(c, s->kept);
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
    s->bell = c->spread > 1 ? 1u << s->ring % c->spread : 0;
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
    /* Requests hold keys and data, which must not outlive the queue. */
    for (size_t i = 0; i < RING_DEPTH; i++)
        explicit_bzero(&s->requests[i].u, sizeof s->requests[i].u);
    if (wipe)
        explicit_bzero(s->window.base, s->window.dirty);
    window_close(&s->window);
    c->next[s->ring] = s->next;
    c->completed[s->ring] = s->completed;
    if (!subring_outstanding(s)) { /* else no queue may have it again */
        atomic_fetch_and(&client_words(c)->claimed, ~bit);
        atomic_fetch_and(&c->claimed, ~bit); /* orders the numbers before the next claim */
    }
    s->connection = NULL;
    s->next = s->completed = 0; /* nothing is outstanding any more */
    connection_put(c);
}

/* ---- the doorbell ---- */

/* ring_doorbell calls syscall(2), because write(2) is a cancellation point, and jobs may lie on the
 * stack of the thread that would be cancelled. */
static void ring_doorbell(const struct connection *c)
{
    const uint64_t one = 1;
    if (descriptor_is_ours(&c->socket) && descriptor_is_ours(&c->doorbell) &&
        syscall(SYS_write, c->doorbell.fd, &one, sizeof one) < 0)
        return; /* the counter is full, or the service is gone: the wait finds out */
}

void subring_bell(struct subring *s)
{
    struct ring_service_words *theirs = (void *)s->connection->completions;
    ring_fence(); /* orders the requests before the load of `asleep` */
    const uint32_t asleep = atomic_load_explicit(&theirs->asleep, memory_order_relaxed);
    if (UNLIKELY(s->bell ? asleep & s->bell : asleep))
        ring_doorbell(s->connection);
}
