/* SPDX-License-Identifier: Apache-2.0 */
/* Takes requests from the sub-rings of clients, and answers them.  Most jobs run when their request
 * is taken; others wait (schedule_wait.c).  Whose turn it is, schedule_share.c decides. */
#define _GNU_SOURCE
#include "schedule_parts.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    COST_WAKE = 2000,          /* ns of a system call */
    COOLING = 1024,            /* turns after which a sub-ring without requests is looked at less */
    FEW_TASKS = MAX_TASKS / 5, /* that a user may always have, if there is room at all */
    AHEAD = 4,                 /* requests whose memory is fetched before they are looked at */
};

/* ---- completions ---- */

static void add_tasks(struct client *c, uint32_t n)
{
    _Atomic uint32_t *num = &c->share.num_tasks;
    atomic_store_explicit(num, atomic_load_explicit(num, memory_order_relaxed) + n,
                          memory_order_release); /* orders accesses to its memories before it */
}

static void count(struct schedule *s, const struct tally *t)
{
    count_answers(&t->client->counts, t->num, t->bytes, s->now - t->taken, t->batch);
    count_add(&s->counts.requests, t->num);
    count_add(&s->counts.bytes, t->bytes);
}

void schedule_count(struct schedule *s)
{
    struct tally *t = &s->tally;
    if (!t->num)
        return;
    count(s, t);
    add_tasks(t->client, 0 - t->num);
    t->num = 0;
}

/* note adds a request that waited to the tally, or to a new one for another client, time or
 * batch. */
static void note(struct schedule *s, const struct task *t)
{
    struct tally *tally = &s->tally;
    if (tally->client != t->client || tally->taken != t->taken || tally->batch != t->batch) {
        schedule_count(s);
        *tally = (struct tally){ .client = t->client, .taken = t->taken, .batch = t->batch };
    }
    tally->num++;
    tally->bytes += t->bytes;
}

static void give_back(struct schedule *s, struct task *t)
{
    struct slab *slab = &s->slabs[t->slab];
    if (t->private_len) {
        explicit_bzero(t->private, t->private_len);
        if (!--slab->users)
            slab->arena.used = 0;
    }
    request_wipe(&t->request);
    s->free[s->num_free++] = t;
}

static void answer(struct schedule *s, struct task *t)
{
    struct client *c = t->client;
    struct ring_position *ring = &c->rings[t->ring];
    struct ring_completion *slot =
        &ring_completions(c->completions, t->ring)[ring->completed % RING_DEPTH];
    request_complete(&t->request, slot);
    ring_publish(&slot->seq, ++ring->completed);
    if (!c->share.answered)
        s->answered[s->num_answered++] = c;
    c->share.answered |= UINT64_C(1) << t->ring;
}

/* finish answers a request that has just been taken; take_some counts it. */
static void finish(struct schedule *s, struct task *t)
{
    answer(s, t);
    give_back(s, t);
}

void schedule_finish_waiting(struct schedule *s, struct task *t)
{
    struct user *u = t->client->share.user;
    u->tasks--;
    u->private_tasks -= t->private_len > 0;
    answer(s, t);
    note(s, t);
    give_back(s, t);
}

/* wake wakes the thread that sleeps for this sub-ring's completions, once for each time it asks. */
static void wake(struct client *c, uint32_t ring)
{
    struct ring_client_words *theirs = c->requests;
    struct ring_service_words *ours = c->completions;
    if (!atomic_load_explicit(&theirs->ring[ring].sleeping, memory_order_relaxed))
        return;
    atomic_store_explicit(&theirs->ring[ring].sleeping, 0, memory_order_relaxed);
    atomic_fetch_add(&ours->ring[ring].wake, 1);
    syscall(SYS_futex, &ours->ring[ring].wake, FUTEX_WAKE, 1, NULL, NULL, 0);
    share_charge(c, COST_WAKE);
}

void schedule_wake(struct schedule *s)
{
    if (!s->num_answered)
        return;
    ring_fence(); /* orders the completions before the loads of `sleeping` */
    for (uint32_t i = 0; i < s->num_answered; i++) {
        struct client *c = s->answered[i];
        for (uint64_t rings = c->share.answered; rings; rings &= rings - 1)
            wake(c, (uint32_t)__builtin_ctzll(rings));
        c->share.answered = 0;
    }
    s->num_answered = 0;
}

/* ---- jobs ---- */

/* find_key gives the job its expanded key, or leaves it the bytes if keycache_find returns NULL.
 * It returns 0 or HR_EHANDLE. */
static int find_key(struct client *c, struct task *t)
{
    struct hr_job *job = &t->request.job;
    t->key_users = NULL;
    if (job->key_form == HR_KEY_HANDLE) {
        struct keytable *keys = atomic_load_explicit(c->all_keys, memory_order_acquire);
        const struct keytable_place place = { c->part, c->num_parts > 1 };
        job->key =
            keys ? keytable_use(keys, place, job->handle, (hr_alg)job->alg, job->op, &t->key_users)
                 : NULL;
        if (!job->key)
            return HR_EHANDLE;
    } else if (job->key_form == HR_KEY_BYTES) {
        const uint8_t hint = t->request.links[t->request.at].q.key_slot;
        struct keycache_place *place =
            keycache_find(c->cache, hint, (hr_alg)job->alg, job->key, job->key_len);
        if (!place)
            return 0;
        job->key = &place->key;
        t->key_users = &place->users;
        keytable_count(t->key_users, 1);
    } else {
        return 0;
    }
    job->key_form = HR_KEY_OBJECT;
    job->key_len = 0;
    return 0;
}

static bool has_lanes(const struct schedule *s, const struct hr_job *job)
{
    return s->laned[job->alg % ROW_NUMBERS] && !job->op && !job->num_segments && !job->state_in &&
           !job->state_out;
}

/* schedule_run_one calls ciphers directly: hr_job_run's checks would take as long as 16 bytes. */
void schedule_run_one(struct task *t)
{
    struct hr_job *job = &t->request.job;
    const struct rules *rules = &t->request.links[t->request.at].rules;
    if (rules->is_cipher && job->key_form == HR_KEY_OBJECT && !job->num_segments)
        job->result = (job->op == HR_JOB_DECRYPT ? hr_cipher_decrypt : hr_cipher_encrypt)(
            job->out, job->in, job->len, job->key, job->iv, job->iv_len);
    else
        (void)hr_job_run(job);
    schedule_leave_key(t);
}

static void put_in_lanes(struct schedule *s, struct task *t)
{
    struct lanes *l = t->client->lanes;
    struct user *u = t->client->share.user;
    const uint64_t cost = COST_REQUEST + t->cost;
    l->cost += cost;
    t->charged = (int64_t)(cost * l->rate >> 20);
    if (l == s->lanes && !u->in_lanes++)
        l->weights += u->weight_in_lanes = u->heaviest;
    l->new[l->num_new++] = &t->request.job;
    l->grown = s->now;
    s->taken.lanes += t->charged;
}

/* set_cost estimates the request's present job. */
APART static void set_cost(struct task *t)
{
    const struct link *l = &t->request.links[t->request.at];
    t->cost = cost_of(l->q.alg, l->q.op, link_bytes(l));
}

bool schedule_run(struct schedule *s, struct task *t, const struct view *window, uint64_t longest)
{
    struct hr_job *job = &t->request.job;
    do {
        job->user = t;
        job->result = find_key(t->client, t);
        if (UNLIKELY(t->request.num_links > 1))
            set_cost(t);
        if (!job->result && has_lanes(s, job)) {
            put_in_lanes(s, t);
            return false;
        }
        if (!job->result && UNLIKELY(t->cost > longest)) {
            wait_put(t);
            return false;
        }
        if (!job->result)
            schedule_run_one(t);
    } while (request_step(&t->request, window));
    return true;
}

/* ---- requests ---- */

static int decode_in(struct schedule *s, struct task *t, uint32_t number, const struct view *window)
{
    struct slab *slab = &s->slabs[number];
    const size_t used = slab->arena.used;
    const int error = request_decode(&t->request, window, &slab->arena);
    t->slab = number;
    t->private = slab->arena.base + used;
    t->private_len = slab->arena.used - used;
    if (error == REQUEST_LATER) {
        explicit_bzero(t->private, t->private_len);
        slab->arena.used = used;
    } else {
        slab->users += t->private_len > 0;
    }
    return error;
}

/* decode uses the slab that was used last, or the next one that has room; an inline request needs
 * none.  The last slab is for users whose waiting requests use no memory, and the others are for
 * the client that waits for room, if there is one: so neither waits for ever. */
static int decode(struct schedule *s, struct task *t, const struct user *u,
                  const struct view *window)
{
    t->private_len = 0;
    if (!(t->request.links[0].q.flags & RING_FAR))
        return request_decode(&t->request, window, &s->slabs[0].arena);
    const uint32_t first = s->others_wait ? NUM_SLABS - 1 : 0;
    const uint32_t end = u->private_tasks ? NUM_SLABS - 1 : NUM_SLABS;
    uint32_t number = s->slab;
    for (uint32_t i = first; i < end; i++, number++) {
        number = number >= first && number < end ? number : first;
        const int error = decode_in(s, t, number, window);
        if (error != REQUEST_LATER) {
            s->slab = number;
            return error;
        }
    }
    return REQUEST_LATER;
}

static bool is_allowed(struct client *c, const struct request *r)
{
    if (!limits_allow(&c->limits, r->links[0].q.alg))
        return false;
    for (uint32_t i = 1; UNLIKELY(i < r->num_links); i++)
        if (!limits_allow(&c->limits, r->links[i].q.alg))
            return false;
    return true;
}

static void refuse(struct schedule *s, struct task *t, int error)
{
    t->request.result = error;
    t->request.at = 0;
    count_add(&t->client->counts.rejected, 1);
    s->taken.cost += COST_REQUEST;
    finish(s, t);
}

/* size_chain sets the length of all data of a chain, and the sum of what its jobs cost. */
APART static void size_chain(struct task *t)
{
    const struct request *r = &t->request;
    t->bytes = request_bytes(r);
    t->cost = 0;
    for (uint32_t i = 0; i < r->num_links; i++)
        t->cost += cost_of(r->links[i].q.alg, r->links[i].q.op, link_bytes(&r->links[i]));
}

/* leave_waiting counts a request whose job waits. */
static void leave_waiting(struct schedule *s, const struct task *t)
{
    struct client *c = t->client;
    s->taken.waiting++;
    s->taken.bytes_waiting += t->bytes;
    add_tasks(c, 1);
    c->share.user->tasks++;
    c->share.user->private_tasks += t->private_len > 0;
}

/* is_crowding tells whether a client may not take another place for a request that waits: its user
 * has four times as many as are free, or it has one and a half times as many itself.  So there is
 * always room for the next. */
APART static bool is_crowding(struct schedule *s, const struct client *c)
{
    const uint32_t mine = atomic_load_explicit(&c->share.num_tasks, memory_order_relaxed);
    const uint32_t users = c->share.user->tasks;
    s->short_of_room |= !s->num_free && !users;
    return users >= 4 * s->num_free || 2 * mine >= 3 * s->num_free;
}

/* take takes the request in the slot; it returns false if there is no room for it. */
static bool take(struct schedule *s, struct client *c, uint32_t ring, struct ring_request *slot)
{
    const struct view window = schedule_window(c, ring);
    if (UNLIKELY(c->share.user->tasks >= FEW_TASKS || !s->num_free) && is_crowding(s, c))
        return false;
    struct task *t = s->free[s->num_free - 1];
    request_copy(&t->request, slot);
    int error = decode(s, t, c->share.user, &window);
    if (error == REQUEST_LATER) {
        s->short_of_room |= !c->share.user->private_tasks; /* else it waits for its own */
        return false;
    }
    s->num_free--;
    t->request.number = c->rings[ring].next++;
    t->client = c;
    t->ring = ring;
    t->taken = s->now;
    t->batch = 1;
    if (!error && !is_allowed(c, &t->request))
        error = HR_EACCESS;
    if (UNLIKELY(error)) {
        refuse(s, t, error);
        return true;
    }
    const struct link *first = &t->request.links[0];
    t->bytes = link_bytes(first);
    t->cost = cost_of(first->q.alg, first->q.op, t->bytes);
    if (UNLIKELY(t->request.num_links > 1))
        size_chain(t);
    s->taken.bytes += t->bytes;
    const int64_t cost = COST_REQUEST + (int64_t)t->cost; /* before the next job of a chain */
    if (schedule_run(s, t, &window, LONG)) {
        s->taken.cost += cost;
        finish(s, t);
    } else {
        leave_waiting(s, t);
    }
    return true;
}

static struct ring_request *peek(struct client *c, uint32_t ring)
{
    const struct ring_position *mine = &c->rings[ring];
    struct ring_request *slot = &ring_requests(c->requests, ring)[mine->next % RING_DEPTH];
    return ring_look(&slot->seq) == mine->next + 1 && ring_may_take(mine->next, mine->completed)
               ? slot
               : NULL;
}

/* prefetch fetches the lines of later requests and completions while the present request runs.
 * Where one request came after another, the next are usually there too. */
static void prefetch(const struct client *c, uint32_t ring)
{
    const struct ring_position *mine = &c->rings[ring];
    const uint32_t in = (mine->next + AHEAD) % RING_DEPTH;
    const uint32_t out = (mine->completed + AHEAD) % RING_DEPTH;
    __builtin_prefetch(&ring_requests(c->requests, ring)[in]);
    __builtin_prefetch(&ring_completions(c->completions, ring)[out], 1);
}

/* take_some takes up to TAKE_RUN requests of a sub-ring and returns their number.  Those that ran
 * at once are charged for by the clock. */
static uint32_t take_some(struct schedule *s, struct client *c, uint32_t ring)
{
    uint32_t n = 0;
    struct ring_request *slot = peek(c, ring);
    const int64_t left = share_left(c);
    struct tally tally = { .client = c, .taken = s->now, .batch = 1 };
    s->taken.bytes = s->taken.bytes_waiting = s->taken.waiting = 0;
    s->taken.cost = s->taken.lanes = 0;
    while (slot && n < TAKE_RUN && !c->long_ones && left > s->taken.cost + s->taken.lanes &&
           take(s, c, ring, slot)) {
        n++;
        slot = peek(c, ring);
        if (slot)
            prefetch(c, ring);
    }
    if (!n)
        return 0;
    c->share.seen |= UINT64_C(1) << ring;
    share_work(s, c, s->taken.cost);
    share_charge_lanes(c, s->taken.lanes);
    share_charge_rates(s, c, n, s->taken.bytes);
    tally.num = n - s->taken.waiting;
    tally.bytes = s->taken.bytes - s->taken.bytes_waiting;
    if (tally.num)
        count(s, &tally);
    return n;
}

/* rings_to_see returns the claimed sub-rings that had requests recently and some of the others, or
 * all claimed ones if `whole`. */
static uint64_t rings_to_see(const struct schedule *s, struct client *c, bool whole)
{
    struct ring_client_words *words = c->requests;
    struct share *share = &c->share;
    const uint64_t claimed =
        rings_claimed(atomic_load_explicit(&words->claimed, memory_order_relaxed) & c->mask,
                      c->geometry.num_rings);
    if (s->turn % COOLING == 0) {
        share->hot = share->seen;
        share->seen = 0;
    }
    const uint64_t some = UINT64_C(0x0101010101010101) << (s->turn & 7);
    return whole ? claimed : claimed & (share->hot | share->seen | some);
}

/* round_robin serves the sub-rings from share.first on, then those before it. */
static uint32_t round_robin(struct schedule *s, struct client *c, uint64_t rings)
{
    const uint64_t later = rings & ~((UINT64_C(1) << c->share.first) - 1);
    uint32_t n = 0;
    for (uint64_t left = later; left; left &= left - 1)
        n += take_some(s, c, (uint32_t)__builtin_ctzll(left));
    for (uint64_t left = rings & ~later; left; left &= left - 1)
        n += take_some(s, c, (uint32_t)__builtin_ctzll(left));
    return n;
}

static bool is_any_there(struct client *c, uint64_t rings)
{
    for (; rings; rings &= rings - 1)
        if (peek(c, (uint32_t)__builtin_ctzll(rings)))
            return true;
    return false;
}

/* serve serves a client while it has credit, and returns the number of requests taken: none above
 * its rate. */
static uint32_t serve(struct schedule *s, struct client *c, uint64_t rings, bool throttled)
{
    const bool before = s->short_of_room;
    uint32_t n = 0, some;
    s->short_of_room = false;
    (void)clock_step(s); /* what others were looked at for is not this client's */
    do {
        wait_go_on(s, c, false);
        some = throttled ? 0 : round_robin(s, c, rings);
        n += some;
        throttled = some && share_is_throttled(s, c);
    } while (some && share_left(c) > 0 && !s->short_of_room && !throttled);
    s->short_of_room |= before;
    return n;
}

uint32_t schedule_client(struct schedule *s, struct client *c, bool whole, bool again)
{
    const bool held = atomic_load_explicit(&c->held, memory_order_acquire);
    const uint64_t rings = held ? 0 : rings_to_see(s, c, whole);
    const bool revoked = atomic_load_explicit(&c->revoked, memory_order_relaxed);
    if (UNLIKELY(c->long_ones && revoked))
        wait_go_on(s, c, true);
    if (revoked || (!c->long_ones && !is_any_there(c, rings)))
        return 0;
    const bool throttled = share_is_throttled(s, c);
    if (throttled && !c->long_ones)
        return 0;
    s->pending = true; /* even if none is taken: a debt may last for several turns */
    if (!share_begin(s, c, again))
        return 1;
    const uint32_t n = serve(s, c, rings, throttled);
    share_end(c);
    if (n)
        c->share.first = (c->share.first + 1) % RING_MAX_RINGS;
    return n ? n : 1; /* in debt, or at work on a long job: a later turn takes more */
}
