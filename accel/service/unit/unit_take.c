/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at all rings, and takes a batch.  A request that is no good is refused at once. */
#define _GNU_SOURCE
#include "../check.h"
#include "unit_parts.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    REFUSE_MOST = 8, /* requests of a sub-ring that are refused before the next has its turn */
    REFUSED = 500,   /* ns that a refusal costs its client */
    UNKNOWN = 50000, /* ns of an operation that was not measured yet */
};

/* ---- completions ---- */

void unit_wake(struct unit_client *c, uint32_t ring)
{
    struct ring_client_words *theirs = c->ring.requests;
    struct ring_service_words *ours = c->ring.completions;
    if (!atomic_load_explicit(&theirs->ring[ring].sleeping, memory_order_relaxed))
        return;
    atomic_store_explicit(&theirs->ring[ring].sleeping, 0, memory_order_relaxed);
    atomic_fetch_add(&ours->ring[ring].wake, 1);
    syscall(SYS_futex, &ours->ring[ring].wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void unit_complete(struct unit_client *c, uint32_t ring, uint32_t number, int32_t result,
                   uint32_t len, uint32_t load)
{
    struct ring_position *at = &c->ring.rings[ring];
    struct ring_completion *slot =
        &ring_completions(c->ring.completions, ring)[at->completed % RING_DEPTH];
    pk_request_complete(slot, number, result, len, load);
    ring_publish(&slot->seq, ++at->completed);
}

static void refuse(struct unit *u, struct unit_client *c, uint32_t ring, int error)
{
    count_add(&c->ring.counts.rejected, 1);
    count_add(&c->ring.counts.requests, 1);
    unit_share_take(c, REFUSED, 0, unit_now(u));
    unit_complete(c, ring, c->ring.rings[ring].next++, error, 0, 0);
    ring_fence(); /* orders the completion before the load of `sleeping` */
    unit_wake(c, ring);
}

/* ---- the heads of sub-rings ---- */

static struct unit_operation *operation_of(struct unit *u, const struct ring_request *q)
{
    struct unit_counts *counts = &u->counts;
    struct unit_operation *o = counts->operations;
    for (; o < counts->operations + counts->num_operations; o++)
        if (o->alg == q->alg && o->op == q->op)
            return o;
    if (counts->num_operations == UNIT_OPERATIONS)
        return NULL;
    counts->num_operations++;
    *o = (struct unit_operation){ .alg = q->alg, .op = q->op, .mean = UNKNOWN };
    return o;
}

/* judge fills in all but the place of a request whose descriptor was copied.  Returns 0 or HR_E....
 */
static int judge(struct unit *u, struct unit_waiting *w)
{
    const int error = pk_request_judge(&w->q);
    if (error)
        return error;
    if (!limits_allow(w->client->limits, w->q.alg))
        return HR_EACCESS;
    w->key = lent_find(&w->client->keys, w->q.u.far.handle, w->q.alg);
    if (!w->key)
        return HR_EHANDLE;
    w->operation = operation_of(u, &w->q);
    w->is_long = pk_is_long(w->q.alg, w->q.op, w->key->made.is_slow);
    return w->operation ? 0 : HR_EALG;
}

/* find_head finds the first good request of a sub-ring.  It returns false if none is there. */
static bool find_head(struct unit *u, struct unit_waiting *w, struct unit_client *c, uint32_t ring)
{
    const struct ring_position *at = &c->ring.rings[ring];
    w->client = c;
    w->ring = ring;
    for (int i = 0; i < REFUSE_MOST; i++) {
        struct ring_request *slot = &ring_requests(c->ring.requests, ring)[at->next % RING_DEPTH];
        if (ring_look(&slot->seq) != at->next + 1 || !ring_may_take(at->next, at->completed))
            return false;
        memcpy(&w->q, slot, sizeof w->q);
        SETTLE();
        const int error = judge(u, w);
        if (!error)
            return true;
        refuse(u, c, ring, error);
    }
    return false;
}

/* count_ready returns how many requests are there at the head of a sub-ring, UNIT_MANY at most. */
static uint32_t count_ready(const struct unit_waiting *w)
{
    struct ring_request *all = ring_requests(w->client->ring.requests, w->ring);
    uint32_t next = w->client->ring.rings[w->ring].next, n = 1;
    while (n < UNIT_MANY && ring_look(&all[(next + n) % RING_DEPTH].seq) == next + n + 1)
        n++;
    return n;
}

/* is_held tells whether a request waits because its client, or its key, is ahead of its rate. */
static bool is_held(const struct unit_waiting *w, uint64_t now)
{
    return unit_share_throttled(w->client, now) || custody_throttled(w->key->made.named, now);
}

static void look_at(struct unit *u, struct unit_client *c, uint64_t now)
{
    struct ring_client_words *words = c->ring.requests;
    uint64_t rings = rings_claimed(atomic_load_explicit(&words->claimed, memory_order_relaxed),
                                   c->ring.geometry.num_rings);
    bool any = false;
    for (; rings && u->num_waiting < UNIT_WAITING; rings &= rings - 1) {
        struct unit_waiting *w = &u->waiting[u->num_waiting];
        if (!find_head(u, w, c, (uint32_t)__builtin_ctzll(rings)))
            continue;
        any = true;
        if (is_held(w, now)) {
            u->throttled = true;
            continue;
        }
        u->num_waiting++;
        w->operation->waiting += count_ready(w);
    }
    if (any)
        unit_share_wake(u, c);
}

/* look_around finds what waits, from another client on each time, as there may be no room for all.
 */
static void look_around(struct unit *u)
{
    const uint64_t now = unit_now(u);
    u->num_waiting = 0;
    u->throttled = false;
    for (uint32_t i = 0; i < u->counts.num_operations; i++)
        u->counts.operations[i].waiting = 0;
    u->first = u->first && u->first->next ? u->first->next : u->clients;
    for (struct unit_client *c = u->first; c; c = c->next)
        look_at(u, c, now);
    for (struct unit_client *c = u->clients; c != u->first; c = c->next)
        look_at(u, c, now);
}

/* ---- choosing ---- */

/* may_take tells whether a thread may begin with a request.  While several of its kind are computed
 * together, the next batch waits until it is half full, or the other one is done: nearly empty
 * lanes in two threads would take nearly twice the time of full ones in one.  So it waits while a
 * thread gathers long operations, which that thread will take. */
static bool may_take(const struct unit *u, const struct unit_waiting *w)
{
    const struct unit_operation *o = w->operation;
    const bool others = o->together || (w->is_long && u->gathering);
    return (!w->is_long || u->num_long < u->most_long) && (!others || 2 * o->waiting >= o->lanes);
}

/* is_apart tells whether a request shares its batch only with those of its client: the policy says
 * so, or its key has an exponent that would hold up others. */
static bool is_apart(const struct unit_waiting *w)
{
    return w->client->limits->private_lanes || w->key->made.is_slow;
}

/* goes_with tells whether a request can be in one batch with the first. */
static bool goes_with(const struct unit_waiting *w, const struct unit_waiting *first)
{
    const bool apart = is_apart(w) || is_apart(first);
    return w->operation == first->operation && w->is_long == first->is_long &&
           (!apart || w->client == first->client);
}

/* best returns the request whose client had least, among those that go with the first, if there is
 * one. */
static struct unit_waiting *best(struct unit *u, const struct unit_waiting *first)
{
    struct unit_waiting *found = NULL;
    for (struct unit_waiting *w = u->waiting; w < u->waiting + u->num_waiting; w++)
        if ((first ? goes_with(w, first) : may_take(u, w)) &&
            (!found || unit_share_before(w->client, found->client)))
            found = w;
    return found;
}

/* lanes_of returns how many requests go side by side.  Those with a slow exponent go one by one, so
 * that no batch lasts for long: the control thread waits for its end to remove a client. */
static uint32_t lanes_of(const struct unit_waiting *w)
{
    if (w->key->made.is_slow)
        return 1;
    const struct hr_job job = {
        .alg = w->q.alg, .op = w->q.op, .key_form = HR_KEY_OBJECT, .key = w->key->made.object
    };
    const size_t lanes = hr_job_lanes(&job);
    return lanes < UNIT_MANY ? (uint32_t)lanes : UNIT_MANY;
}

static void count_wait(struct unit_operation *o, uint32_t stamp, uint64_t now)
{
    enum { MOST = 10000000 }; /* us; more is no clock of ours */
    const uint32_t us = (uint32_t)(now / 1000) - stamp;
    const uint32_t wait = stamp && us < MOST ? us : 0;
    o->wait[count_bucket(wait, COUNT_LATENCIES)]++;
    o->wait_us += wait;
}

/* put takes a request into the batch, and finds the next one of its sub-ring. */
static void put(struct unit *u, struct unit_thread *t, struct unit_waiting *w, uint64_t clock)
{
    struct unit_client *c = w->client;
    struct unit_task *task = &t->tasks[t->num++];
    *task = (struct unit_task){
        .client = c, .ring = w->ring, .charged = w->operation->mean, .request = task->request
    };
    task->request->q = w->q;
    task->request->key = w->key;
    task->request->number = c->ring.rings[w->ring].next++;
    w->key->users++;
    c->running++;
    unit_warm(u, c);
    count_wait(w->operation, w->q.u.far.key, clock);
    unit_share_take(c, task->charged, (uint64_t)w->q.len + w->q.u.far.aad_len, t->taken);
    custody_charge(w->key->made.named, t->taken);
    if (!find_head(u, w, c, task->ring) || is_held(w, t->taken))
        *w = u->waiting[--u->num_waiting];
}

uint32_t unit_take(struct unit *u, struct unit_thread *t)
{
    t->num = 0;
    look_around(u);
    struct unit_waiting *w = best(u, NULL);
    if (!w) {
        t->gathered = 0; /* another thread has taken them */
        return 0;
    }
    const struct unit_waiting first = *w;
    const uint32_t most = w->operation->lanes = lanes_of(w);
    if (unit_gather_wants(t, w))
        return 0;
    unit_gather_taken(t, w->operation);
    const uint64_t clock = ticks_clock();
    t->taken = unit_now(u);
    t->operation = w->operation;
    t->load = w->operation->waiting;
    t->is_long = w->is_long;
    unit_share_first(u, w->client);
    for (; w && t->num < most; w = best(u, &first))
        put(u, t, w, clock);
    u->num_long += t->is_long;
    t->operation->together += t->num > 1;
    return t->num;
}

bool unit_take_is_any(struct unit *u)
{
    look_around(u);
    return best(u, NULL) != NULL;
}
