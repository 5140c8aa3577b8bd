/* SPDX-License-Identifier: Apache-2.0 */
/* Requests are taken by deficit round robin (Shreedhar and Varghese, 1995): a turn gives a client
 * credit by its weight, and a request costs its bytes and a little more.  A turn so bounded is what
 * another client waits at most, and besides it one request, whose bytes are a window's at most. */
#define _GNU_SOURCE
#include "serve.h"
#include "ticks.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    QUANTUM = 32768, /* of a client of the usual weight, a turn */
    COST_REQUEST = 256,
    COST_WAKE = 8192, /* a call of the system */
    RUN = 8,          /* requests of one sub-ring before the next has its turn */
    PATIENCE = 100,   /* ns without a new job before lanes that are not full begin */
    BURST = 50000000, /* ns that a rate may be ahead */
    COOLING = 1024,   /* turns after which a sub-ring without requests is looked at less */
    AHEAD = 4,        /* requests whose memory is fetched before they are looked at */
    FULL = 64,        /* jobs from which on lanes run until there are fewer */
    POLLS = 64,       /* but not for longer than this */
    ENOUGH = 16,      /* jobs that fill lanes */
};

/* ---- completions ---- */

static void add_tasks(struct client *c, uint32_t n)
{
    _Atomic uint32_t *num = &c->share.num_tasks;
    atomic_store_explicit(num, atomic_load_explicit(num, memory_order_relaxed) + n,
                          memory_order_release); /* the last touch of its memories, then this */
}

/* After this a client that left may be gone. */
static void count(struct server *s)
{
    struct tally *t = &s->tally;
    if (!t->num)
        return;
    count_answers(&t->client->counts, t->num, t->bytes, s->now - t->taken, t->batch);
    count_add(&s->counts.requests, t->num);
    count_add(&s->counts.bytes, t->bytes);
    if (t->num_tasks)
        add_tasks(t->client, 0 - t->num_tasks);
    t->num = t->bytes = t->num_tasks = 0;
}

/* With those before it, where they have a client, a moment and a batch in common. */
static void note(struct server *s, const struct task *t, uint32_t num_tasks)
{
    struct tally *tally = &s->tally;
    if (tally->client != t->client || tally->taken != t->taken || tally->batch != t->batch) {
        count(s);
        *tally = (struct tally){ .client = t->client, .taken = t->taken, .batch = t->batch };
    }
    tally->num++;
    tally->num_tasks += num_tasks;
    tally->bytes += t->bytes;
}

static void give_back(struct server *s, struct task *t)
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

static void answer(struct server *s, struct task *t)
{
    struct client *c = t->client;
    struct sub_ring *ring = &c->rings[t->ring];
    struct ring_completion *slot =
        &ring_completions(c->completions, t->ring)[ring->completed % RING_DEPTH];
    request_complete(&t->request, slot);
    ring_publish(&slot->seq, ++ring->completed);
    if (!c->share.answered)
        s->answered[s->num_answered++] = c;
    c->share.answered |= UINT64_C(1) << t->ring;
}

/* num_tasks is 1 for a request that the lanes had, or that is as good as that. */
static void finish(struct server *s, struct task *t, uint32_t num_tasks)
{
    answer(s, t);
    note(s, t, num_tasks);
    give_back(s, t);
}

/* A thread that sleeps for this sub-ring's completions is woken, once for each time it asks. */
static void wake(struct client *c, uint32_t ring)
{
    struct ring_client_words *theirs = c->requests;
    struct ring_service_words *ours = c->completions;
    if (!atomic_load_explicit(&theirs->ring[ring].sleeping, memory_order_relaxed))
        return;
    atomic_store_explicit(&theirs->ring[ring].sleeping, 0, memory_order_relaxed);
    atomic_fetch_add(&ours->ring[ring].wake, 1);
    syscall(SYS_futex, &ours->ring[ring].wake, FUTEX_WAKE, 1, NULL, NULL, 0);
    c->share.credit -= COST_WAKE;
}

void serve_wake(struct server *s)
{
    if (!s->num_answered)
        return;
    ring_fence(); /* the completions before the look who sleeps */
    for (uint32_t i = 0; i < s->num_answered; i++) {
        struct client *c = s->answered[i];
        for (uint64_t rings = c->share.answered; rings; rings &= rings - 1)
            wake(c, (uint32_t)__builtin_ctzll(rings));
        c->share.answered = 0;
    }
    s->num_answered = 0;
}

/* ---- jobs ---- */

/* Gives the job its expanded key. */
static int find_key(struct client *c, struct task *t)
{
    struct hr_job *job = &t->request.job;
    t->key_users = NULL;
    if (job->key_form == HR_KEY_HANDLE) {
        struct keytable *keys = atomic_load_explicit(&c->keys, memory_order_acquire);
        job->key =
            keys ? keytable_use(keys, job->handle, (hr_alg)job->alg, job->op, &t->key_users) : NULL;
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
        place->users++;
    } else {
        return 0;
    }
    job->key_form = HR_KEY_OBJECT;
    job->key_len = 0;
    return 0;
}

static void leave_key(struct task *t)
{
    if (t->key_users)
        --*t->key_users;
    t->key_users = NULL;
}

static bool has_lanes(const struct server *s, const struct hr_job *job)
{
    return s->laned[job->alg & 4095] && !job->op && !job->num_segments && !job->state_in &&
           !job->state_out;
}

static struct window window_of(const struct client *c, uint32_t ring)
{
    return (struct window){ ring_window(c->requests, &c->geometry, ring), c->geometry.window_len };
}

/* hr_job_run finds out what the request's judge knows already, which takes as long as 16 bytes. */
static void run_job(struct task *t)
{
    struct hr_job *job = &t->request.job;
    const struct rules *rules = t->request.links[t->request.at].rules;
    if (rules->cipher && job->key_form == HR_KEY_OBJECT && !job->num_segments)
        job->result = (job->op == HR_JOB_DECRYPT ? hr_cipher_decrypt : hr_cipher_encrypt)(
            job->out, job->in, job->len, job->key, job->iv, job->iv_len);
    else
        (void)hr_job_run(job);
    leave_key(t);
}

/* Runs the request's jobs up to one for the lanes, which waits there: then false. */
static bool run(struct server *s, struct task *t, const struct window *window)
{
    struct lanes *l = t->client->lanes;
    struct hr_job *job = &t->request.job;
    do {
        job->user = t;
        job->result = find_key(t->client, t);
        if (!job->result && has_lanes(s, job)) {
            l->new[l->num_new++] = job;
            l->grown = s->now;
            return false;
        }
        if (!job->result)
            run_job(t);
    } while (request_step(&t->request, window));
    return true;
}

/* After its job came out of the lanes. */
static void go_on(struct server *s, struct task *t)
{
    const struct window window = window_of(t->client, t->ring);
    if (!request_step(&t->request, &window) || run(s, t, &window))
        finish(s, t, 1);
}

/* One job has no use for lanes. */
static void run_alone(struct server *s, struct task *t)
{
    run_job(t);
    t->batch = 1;
    go_on(s, t);
    count(s);
}

static void submit(struct lanes *l)
{
    const int n = hr_queue_submit(l->queue, l->new, l->num_new);
    l->num_jobs += (uint32_t)n; /* all: it holds MAX_TASKS */
    l->num_new = 0;
}

/* Some work, and what it ended. */
static uint32_t poll(struct server *s, struct lanes *l)
{
    struct hr_job *done[64];
    const uint32_t together = l->num_jobs;
    const int n = hr_queue_poll(l->queue, done, 64, 0);
    if (n <= 0)
        return 0;
    s->now = ticks_ns(ticks(), s->scale);
    l->num_jobs -= (uint32_t)n;
    l->last = together;
    for (int i = 0; i < n; i++) {
        struct task *t = done[i]->user;
        t->batch = together;
        leave_key(t);
        go_on(s, t);
    }
    count(s);
    return (uint32_t)n;
}

/* What is beyond FULL is worked off now, so that who uses lanes has as much of a turn as others. */
uint32_t serve_lanes(struct server *s, struct lanes *l)
{
    uint32_t n = 0;
    if (!l->num_jobs && l->num_new == 1 && l->last <= 1) {
        struct task *t = l->new[0]->user;
        l->num_new = 0;
        run_alone(s, t);
        return 1;
    }
    if (l->num_new)
        submit(l);
    if (!l->num_jobs || (l->num_jobs < ENOUGH && l->last > 1 && s->now - l->grown < PATIENCE))
        return 0;
    for (uint32_t i = 0; i < POLLS; i++) {
        n += poll(s, l);
        if (l->num_jobs < FULL)
            break;
    }
    return n;
}

/* ---- requests ---- */

/* What a turn is worth. */
static int64_t turn_credit(struct client *c)
{
    const uint32_t weight = atomic_load_explicit(&c->limits.weight, memory_order_relaxed);
    return (int64_t)QUANTUM * (weight ? weight : LIMIT_WEIGHT) / LIMIT_WEIGHT;
}

/* Whether a rate has to catch up; not for longer than with what a turn takes at most, for what is
 * owed may be from before a reload, which raised the rate. */
static bool over(uint64_t rate, uint64_t *until, uint64_t most, uint64_t now)
{
    if (!rate || *until <= now + BURST)
        return false;
    const unsigned __int128 longest = BURST + (unsigned __int128)most * 1000000000 / rate;
    if (*until - now > longest)
        *until = now + (uint64_t)longest;
    return *until > now + BURST;
}

static bool is_throttled(struct server *s, struct client *c)
{
    const uint64_t rate = atomic_load_explicit(&c->limits.rate, memory_order_relaxed);
    const uint64_t bytes = atomic_load_explicit(&c->limits.bytes, memory_order_relaxed);
    const uint64_t credit = (uint64_t)turn_credit(c);
    const bool wait = over(rate, &c->share.requests_until, credit / COST_REQUEST + RUN, s->now) ||
                      over(bytes, &c->share.bytes_until, credit + RING_MAX_BYTES, s->now);
    s->throttled |= wait;
    return wait;
}

static void charge(uint64_t *until, uint64_t rate, uint64_t n, uint64_t now)
{
    if (rate)
        *until =
            (*until > now ? *until : now) + (uint64_t)((unsigned __int128)n * 1000000000 / rate);
}

/* What the rates allow is used up by so much. */
static void charge_rates(struct server *s, struct client *c, uint64_t num, uint64_t bytes)
{
    const uint64_t rate = atomic_load_explicit(&c->limits.rate, memory_order_relaxed);
    const uint64_t bytes_rate = atomic_load_explicit(&c->limits.bytes, memory_order_relaxed);
    if (rate)
        charge(&c->share.requests_until, rate, num, s->now);
    if (bytes_rate)
        charge(&c->share.bytes_until, bytes_rate, bytes, s->now);
}

/* Decodes into the first slab that has room; an inline request needs none. */
static int decode(struct server *s, struct task *t, const struct window *window)
{
    t->private_len = 0;
    if (!(t->request.links[0].q.flags & RING_FAR))
        return request_decode(&t->request, window, &s->slabs[0].arena);
    for (uint32_t i = 0; i < NUM_SLABS; i++) {
        struct slab *slab = &s->slabs[s->slab];
        const size_t used = slab->arena.used;
        const int error = request_decode(&t->request, window, &slab->arena);
        t->slab = s->slab;
        t->private = slab->arena.base + used;
        t->private_len = slab->arena.used - used;
        if (error != REQUEST_LATER) {
            slab->users += t->private_len > 0;
            return error;
        }
        explicit_bzero(t->private, t->private_len);
        slab->arena.used = used;
        s->slab = (s->slab + 1) % NUM_SLABS;
    }
    return REQUEST_LATER;
}

static bool is_allowed(struct client *c, const struct request *r)
{
    for (uint32_t i = 0; i < r->num_links; i++)
        if (!limits_allow(&c->limits, r->links[i].q.alg))
            return false;
    return true;
}

static void refuse(struct server *s, struct task *t, int error)
{
    t->request.result = error;
    t->request.at = 0;
    t->bytes = 0;
    count_add(&t->client->counts.rejected, 1);
    finish(s, t, 0);
}

/* Takes the request that is there. */
static bool take(struct server *s, struct client *c, uint32_t ring, struct ring_request *slot)
{
    const struct window window = window_of(c, ring);
    if (!s->num_free) {
        s->short_of_room = true;
        return false;
    }
    struct task *t = s->free[s->num_free - 1];
    request_copy(&t->request, slot);
    int error = decode(s, t, &window);
    if (error == REQUEST_LATER) {
        s->short_of_room = true;
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
    t->bytes = error ? 0 : request_bytes(&t->request);
    c->share.credit -= (int64_t)(COST_REQUEST + t->bytes);
    if (error)
        refuse(s, t, error);
    else if (run(s, t, &window))
        finish(s, t, 0);
    else
        add_tasks(c, 1);
    return true;
}

static struct ring_request *peek(struct client *c, uint32_t ring)
{
    const struct sub_ring *mine = &c->rings[ring];
    struct ring_request *slot = &ring_requests(c->requests, ring)[mine->next % RING_DEPTH];
    return ring_look(&slot->seq) == mine->next + 1 && ring_may_take(mine->next, mine->completed)
               ? slot
               : NULL;
}

/* Where one request came after the other, the next are there too: their lines, and those of their
 * completions, are on their way while this one runs. */
static void prefetch(const struct client *c, uint32_t ring)
{
    const struct sub_ring *mine = &c->rings[ring];
    const uint32_t in = (mine->next + AHEAD) % RING_DEPTH;
    const uint32_t out = (mine->completed + AHEAD) % RING_DEPTH;
    __builtin_prefetch(&ring_requests(c->requests, ring)[in]);
    __builtin_prefetch(&ring_completions(c->completions, ring)[out], 1);
}

/* Up to RUN requests of a sub-ring. */
static uint32_t take_some(struct server *s, struct client *c, uint32_t ring)
{
    const int64_t before = c->share.credit;
    uint32_t n = 0;
    struct ring_request *slot = peek(c, ring);
    while (slot && n < RUN && c->share.credit > 0 && take(s, c, ring, slot)) {
        n++;
        slot = peek(c, ring);
        if (slot)
            prefetch(c, ring);
    }
    if (!n)
        return 0;
    c->share.seen |= UINT64_C(1) << ring;
    charge_rates(s, c, n, (uint64_t)(before - c->share.credit) - (uint64_t)n * COST_REQUEST);
    if (s->tally.num)
        s->now = ticks_ns(ticks(), s->scale);
    count(s); /* those that ran at once */
    return n;
}

/* The sub-rings to look at: those that had requests of late, and some of the others. */
static uint64_t rings_to_see(const struct server *s, struct client *c, bool whole)
{
    struct ring_client_words *words = c->requests;
    struct share *share = &c->share;
    const uint64_t claimed = rings_claimed(
        atomic_load_explicit(&words->claimed, memory_order_relaxed), c->geometry.num_rings);
    if (s->turn % COOLING == 0) {
        share->hot = share->seen;
        share->seen = 0;
    }
    const uint64_t some = UINT64_C(0x0101010101010101) << (s->turn & 7);
    return whole ? claimed : claimed & (share->hot | share->seen | some);
}

static void give_credit(struct client *c)
{
    const int64_t more = turn_credit(c);
    c->share.credit += more;
    if (c->share.credit > more)
        c->share.credit = more;
}

/* The rings from bit `first` on, then those before it. */
static uint32_t round_robin(struct server *s, struct client *c, uint64_t rings)
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

uint32_t serve_client(struct server *s, struct client *c, bool whole, bool again)
{
    const struct ring_service_words *ours = c->completions;
    const uint64_t rings = rings_to_see(s, c, whole);
    uint32_t n = 0, some;
    if (!is_any_there(c, rings) ||
        atomic_load_explicit(&ours->state, memory_order_relaxed) != RING_LIVE || is_throttled(s, c))
        return 0;
    s->pending = true; /* taken or not: a debt may last for several turns */
    if (!again)
        give_credit(c);
    do {
        some = round_robin(s, c, rings);
        n += some;
    } while (some && c->share.credit > 0 && !s->short_of_room && !is_throttled(s, c));
    if (n)
        c->share.first = (c->share.first + 1) % RING_MAX_RINGS;
    return n || c->share.credit > 0 ? n : 1; /* in debt: not idle, a later turn takes it */
}
