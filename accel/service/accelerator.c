/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator is a thread that serves the rings of its clients by turns, and sleeps when there
 * is nothing to do.  The control thread adds and removes clients without a lock: it changes the
 * list, and then waits until the thread has begun a turn after that, or sleeps. */
#define _GNU_SOURCE
#include "../ticks.h"
#include "numa.h"
#include "schedule.h"
#include "secrets.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    SPIN = 10000,        /* ns of looking in vain before it sleeps */
    GAP = 30000,         /* ns between two looks that show that another thread had this CPU */
    CROWDED = 2000000,   /* ns for which it then yields between looks */
    COLD = 4096,         /* looks in vain after which a client is looked at less */
    COLD_TURNS = 16,     /* namely in one of so many turns */
    SWEEP_TURNS = 64,    /* turns from one wipe of removed keys to the next */
    THROTTLED_SLEEP = 1, /* ms of sleep while requests wait for a rate */
};

struct accelerator {
    pthread_t thread;
    int cpu, epoll, kick;
    int node;          /* of memory; -1: any */
    _Atomic int ready; /* 1, or -errno */
    _Atomic uint32_t stop;
    _Atomic uint32_t asked, answered; /* numbers of questions whether an old list is out of use */
    _Atomic uint32_t resting;         /* the thread touches no client, and then begins a turn */
    _Atomic uint32_t num_places;      /* places from this number on are empty */
    _Atomic(struct client *) clients[ACCELERATOR_CLIENTS];
    _Atomic uint32_t num_private; /* clients with lanes of their own */
    uint32_t first;               /* place whose turn is next, if the last round was cut short */
    struct schedule *schedule;
    uint64_t told_asleep; /* what accelerator_asleep_ns returned last */
};

/* ---- the thread: turns ---- */

static struct client *client_at(struct accelerator *a, uint32_t i)
{
    return atomic_load_explicit(&a->clients[i], memory_order_acquire);
}

static uint32_t num_places(struct accelerator *a)
{
    return atomic_load_explicit(&a->num_places, memory_order_acquire);
}

/* settle answers the questions of wait_settled: no access by an older list is left, and the turn
 * that begins sees the present list. */
static void settle(struct accelerator *a)
{
    const uint32_t asked = atomic_load_explicit(&a->asked, memory_order_acquire);
    if (asked != atomic_load_explicit(&a->answered, memory_order_relaxed))
        atomic_store_explicit(&a->answered, asked, memory_order_release);
}

static uint32_t serve_one(struct accelerator *a, uint32_t i, bool whole, bool again)
{
    struct schedule *s = a->schedule;
    struct client *c = client_at(a, i);
    if (!c)
        return 0;
    if (whole || s->turn % SWEEP_TURNS == 0) {
        struct keytable *keys = atomic_load_explicit(c->all_keys, memory_order_acquire);
        if (keys)
            keytable_sweep(keys);
    }
    const bool cold = c->share.idle > COLD;
    if (!whole && cold && (s->turn + i) % COLD_TURNS)
        return 0;
    const uint32_t n = schedule_client(s, c, whole || cold, again);
    c->share.idle = n ? 0 : c->share.idle + 1;
    return n;
}

/* serve_all gives all clients a turn.  The first one for whose request there is no room begins the
 * next round, with the credit that is left. */
static uint32_t serve_all(struct accelerator *a, bool whole)
{
    struct schedule *s = a->schedule;
    const uint32_t num = num_places(a), first = a->first;
    const bool waits = s->short_of_room;
    uint32_t n = 0;
    a->first = 0;
    s->short_of_room = s->others_wait = false;
    for (uint32_t k = 0; k < num; k++) {
        const uint32_t i = first + k < num ? first + k : first + k - num;
        n += serve_one(a, i, whole, waits && !k);
        if (s->short_of_room && !s->others_wait)
            a->first = i;
        s->others_wait = s->short_of_room;
    }
    return n;
}

static uint32_t serve_private(struct accelerator *a)
{
    const uint32_t num = num_places(a);
    uint32_t n = 0;
    for (uint32_t i = 0; i < num; i++) {
        struct client *c = client_at(a, i);
        if (c && c->lanes != a->schedule->lanes)
            n += schedule_lanes(a->schedule, c->lanes) + c->lanes->num_jobs + c->lanes->num_new;
    }
    return n;
}

/* turn serves all clients and their lanes once.  It tells whether there was anything to do. */
static bool turn(struct accelerator *a, bool whole)
{
    struct schedule *s = a->schedule;
    settle(a);
    s->turn++;
    s->throttled = s->pending = false;
    if (a->first >= num_places(a))
        a->first = 0;
    uint32_t n = serve_all(a, whole);
    n += schedule_lanes(s, s->lanes) + s->lanes->num_jobs + s->lanes->num_new;
    if (atomic_load_explicit(&a->num_private, memory_order_relaxed))
        n += serve_private(a);
    schedule_wake(s);
    return n || s->pending;
}

/* ---- the thread: sleep ---- */

static void tell_asleep(const struct client *c, uint32_t asleep)
{
    _Atomic uint32_t *word = &((struct ring_service_words *)c->completions)->asleep;
    if (asleep)
        atomic_fetch_or_explicit(word, 1u << c->part, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(word, ~(1u << c->part), memory_order_relaxed);
}

static void say_asleep(struct accelerator *a, uint32_t asleep)
{
    const uint32_t num = num_places(a);
    for (uint32_t i = 0; i < num; i++) {
        const struct client *c = client_at(a, i);
        if (c)
            tell_asleep(c, asleep);
    }
}

static uint64_t read_clock(struct accelerator *a)
{
    return a->schedule->now = ticks_ns(ticks(), a->schedule->scale);
}

static void doze(struct accelerator *a)
{
    struct epoll_event events[16];
    say_asleep(a, 1);
    ring_fence(); /* orders `asleep` before the last look */
    if (!turn(a, true)) {
        _Atomic uint64_t *asleep = &a->schedule->counts.asleep;
        const int limit = a->schedule->throttled ? THROTTLED_SLEEP : -1;
        asleep_since(asleep, read_clock(a));
        atomic_store_explicit(&a->resting, 1, memory_order_release);
        (void)epoll_wait(a->epoll, events, 16, limit);
        atomic_store_explicit(&a->resting, 0, memory_order_relaxed);
        ring_fence(); /* orders `resting` before the next look at the list */
        asleep_until(asleep, read_clock(a));
    }
    say_asleep(a, 0);
}

/* pin binds the thread to its CPU.  It returns 0, or an error number: an accelerator that is meant
 * for a CPU runs on no other. */
static int pin(const struct accelerator *a)
{
    cpu_set_t set;
    if (a->cpu < 0)
        return 0;
    CPU_ZERO(&set);
    CPU_SET((unsigned)a->cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *loop(void *arg)
{
    struct accelerator *a = arg;
    uint64_t worked, last, crowded = 0;
    const int refused = pin(a);
    a->node = numa_node_here();
    /* the schedule's memory is of that node, because this thread touches it first */
    a->schedule = refused ? NULL : schedule_new();
    atomic_store(&a->ready, a->schedule ? 1 : refused ? -refused : -errno);
    if (!a->schedule)
        return NULL;
    worked = last = read_clock(a);
    while (!atomic_load_explicit(&a->stop, memory_order_relaxed)) {
        const bool busy = turn(a, false);
        const uint64_t now = read_clock(a);
        count_add(busy ? &a->schedule->counts.busy_ns : &a->schedule->counts.idle_ns, now - last);
        if (busy)
            worked = now;
        else if (now - last > GAP && a->cpu < 0)
            crowded = now + CROWDED;
        last = now;
        if (now - worked < SPIN) {
            if (!busy && now < crowded)
                sched_yield();
            continue;
        }
        doze(a);
        worked = last = read_clock(a);
    }
    return NULL;
}

/* ---- the control thread ---- */

static int watch(struct accelerator *a, int fd)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLET };
    return epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void destroy(struct accelerator *a)
{
    if (a->epoll >= 0)
        close(a->epoll);
    if (a->kick >= 0)
        close(a->kick);
    schedule_free(a->schedule);
    free(a);
}

struct accelerator *accelerator_start(int cpu)
{
    struct accelerator *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->cpu = cpu;
    a->epoll = epoll_create1(EPOLL_CLOEXEC);
    a->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = a->epoll < 0 || a->kick < 0 || watch(a, a->kick) ? errno : 0;
    if (!error && !(error = pthread_create(&a->thread, NULL, loop, a))) {
        while (!atomic_load(&a->ready))
            sched_yield();
        if (a->ready > 0)
            return a;
        error = -a->ready;
        pthread_join(a->thread, NULL);
    }
    destroy(a);
    errno = error;
    return NULL;
}

struct accelerator_counts *accelerator_counts(struct accelerator *a)
{
    return &a->schedule->counts;
}

uint64_t accelerator_asleep_ns(struct accelerator *a)
{
    const uint64_t now = ticks_ns(ticks(), a->schedule->scale);
    const uint64_t ns = asleep_ns(&a->schedule->counts.asleep, now);
    a->told_asleep = ns > a->told_asleep ? ns : a->told_asleep;
    return a->told_asleep;
}

void accelerator_kick(struct accelerator *a)
{
    const uint64_t one = 1;
    if (write(a->kick, &one, sizeof one) < 0)
        return; /* the counter is full, so it has been kicked */
}

void accelerator_stop(struct accelerator *a)
{
    atomic_store(&a->stop, 1);
    accelerator_kick(a);
    pthread_join(a->thread, NULL);
    destroy(a);
}

/* wait_settled returns when no turn is running that may have seen an older list. */
static void wait_settled(struct accelerator *a)
{
    const uint32_t question = atomic_fetch_add(&a->asked, 1) + 1;
    ring_fence(); /* orders the new list before the load of `resting` */
    while (!atomic_load_explicit(&a->resting, memory_order_acquire) &&
           (int32_t)(atomic_load_explicit(&a->answered, memory_order_acquire) - question) < 0)
        sched_yield();
}

static int find_place(struct accelerator *a, const struct client *c)
{
    for (uint32_t i = 0; i < ACCELERATOR_CLIENTS; i++)
        if (client_at(a, i) == c)
            return (int)i;
    return -1;
}

/* is_heard tells whether the accelerator has another part of the client, and so its doorbell. */
static bool is_heard(struct accelerator *a, const struct client *c)
{
    for (uint32_t i = 0; c->num_parts > 1 && i < ACCELERATOR_CLIENTS; i++) {
        const struct client *other = client_at(a, i);
        if (other && other != c && other->requests == c->requests)
            return true;
    }
    return false;
}

static int hear(struct accelerator *a, const struct client *c)
{
    return is_heard(a, c) ? 0 : watch(a, c->doorbell);
}

static void hear_no_more(struct accelerator *a, const struct client *c)
{
    if (!is_heard(a, c))
        epoll_ctl(a->epoll, EPOLL_CTL_DEL, c->doorbell, NULL);
}

int accelerator_add(struct accelerator *a, struct client *c)
{
    const int place = find_place(a, NULL);
    if (place < 0)
        return HR_EBUFFER;
    c->lanes = c->limits.private_lanes ? schedule_lanes_new() : a->schedule->lanes;
    if (!c->lanes || hear(a, c)) {
        if (c->lanes != a->schedule->lanes)
            schedule_lanes_free(c->lanes);
        return HR_ESYSTEM;
    }
    schedule_join(a->schedule, c, (uint32_t)place);
    if (!c->part)
        numa_prefer(c->requests, ring_requests_len(&c->geometry), a->node);
    atomic_fetch_add(&a->num_private, c->lanes != a->schedule->lanes);
    atomic_store(&a->clients[place], c);
    if (num_places(a) <= (uint32_t)place)
        atomic_store(&a->num_places, (uint32_t)place + 1);
    accelerator_kick(a); /* a thread that sleeps has not set `asleep` for this client */
    return 0;
}

/* take_out takes a client without requests out of the list, and frees its lanes.  The accelerator
 * may sleep; whoever gives the client to another one wakes that. */
static void take_out(struct accelerator *a, struct client *c, int place)
{
    atomic_store(&a->clients[place], NULL);
    wait_settled(a);
    tell_asleep(c, 0);
    schedule_leave(c);
    if (c->lanes != a->schedule->lanes) {
        atomic_fetch_sub(&a->num_private, 1);
        schedule_lanes_free(c->lanes);
    }
}

void accelerator_remove(struct accelerator *a, struct client *c)
{
    struct ring_service_words *words = c->completions;
    const int place = find_place(a, c);
    if (place < 0)
        return;
    hear_no_more(a, c);
    atomic_store(&c->revoked, true);
    atomic_store(&words->state, RING_REVOKED);
    wait_settled(a); /* from now on it takes none of the client's requests */
    while (atomic_load_explicit(&c->share.num_tasks, memory_order_acquire))
        sched_yield();
    take_out(a, c, place);
}

/* hold keeps the thread from taking requests of a client, and waits until those that it took are
 * answered.  It returns false if that takes longer than wait_ms. */
static bool hold(struct accelerator *a, struct client *c, unsigned wait_ms)
{
    const uint64_t end = ticks_clock() + wait_ms * UINT64_C(1000000);
    atomic_store(&c->held, true);
    wait_settled(a);
    while (atomic_load_explicit(&c->share.num_tasks, memory_order_acquire)) {
        if (ticks_clock() > end)
            return false;
        sched_yield();
    }
    return true;
}

int accelerator_move(struct accelerator *from, struct accelerator *to, struct client *c,
                     unsigned wait_ms)
{
    const int place = find_place(from, c);
    int error = place < 0 || find_place(to, NULL) < 0 || !hold(from, c, wait_ms) ? HR_EBUFFER : 0;
    if (!error) {
        hear_no_more(from, c);
        take_out(from, c, place);
        error = accelerator_add(to, c);
    }
    if (error && find_place(from, c) < 0 && accelerator_add(from, c))
        error = HR_ESYSTEM;
    else if (error)
        error = HR_EBUFFER;
    atomic_store(&c->held, false);
    accelerator_kick(from);
    accelerator_kick(to); /* one that sleeps has not looked at what waited */
    return error;
}
