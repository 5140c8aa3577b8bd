/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator: a thread that looks at the rings of its clients by turns, and sleeps when there
 * is nothing.  The control thread adds and removes clients without a lock: it changes the list, and
 * then waits until the thread has begun a turn after that, or sleeps. */
#define _GNU_SOURCE
#include "numa.h"
#include "secrets.h"
#include "serve.h"
#include "ticks.h"
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
    GAP = 30000,         /* ns between two looks: another thread had this CPU */
    CROWDED = 2000000,   /* ns for which it then yields between looks */
    COLD = 4096,         /* looks in vain after which a client is looked at less */
    COLD_TURNS = 16,     /* namely in each of so many turns */
    SWEEP_TURNS = 64,    /* in which keys that were removed are wiped */
    THROTTLED_SLEEP = 1, /* ms */
};

struct accelerator {
    pthread_t thread;
    int cpu, epoll, kick;
    int node;          /* of memory; -1: any */
    _Atomic int ready; /* 1, or -errno */
    _Atomic uint32_t stop;
    _Atomic uint32_t asked, answered; /* questions whether an old list is out of use */
    _Atomic uint32_t resting;         /* the thread touches no client, and then begins a turn */
    _Atomic uint32_t num_places;      /* behind them no client is */
    _Atomic(struct client *) clients[ACCELERATOR_CLIENTS];
    _Atomic uint32_t num_private; /* clients with lanes of their own */
    uint32_t first;               /* whose turn is next, where the last was cut short */
    struct server *server;
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

/* All that was done before is done, and what follows sees the list as it is now. */
static void settle(struct accelerator *a)
{
    const uint32_t asked = atomic_load_explicit(&a->asked, memory_order_acquire);
    if (asked != atomic_load_explicit(&a->answered, memory_order_relaxed))
        atomic_store_explicit(&a->answered, asked, memory_order_release);
}

static uint32_t serve_one(struct accelerator *a, uint32_t i, bool whole, bool again)
{
    struct server *s = a->server;
    struct client *c = client_at(a, i);
    if (!c)
        return 0;
    if (whole || s->turn % SWEEP_TURNS == 0) {
        struct keytable *keys = atomic_load_explicit(&c->keys, memory_order_acquire);
        if (keys)
            keytable_sweep(keys);
    }
    if (!whole && c->share.idle > COLD && (s->turn + i) % COLD_TURNS)
        return 0;
    const uint32_t n = serve_client(s, c, whole, again);
    c->share.idle = n ? 0 : c->share.idle + 1;
    return n;
}

/* Whoever found no room begins the next turn, with the credit that is left. */
static uint32_t serve_all(struct accelerator *a, bool whole)
{
    const uint32_t num = num_places(a), first = a->first;
    bool again = a->server->short_of_room;
    uint32_t n = 0;
    a->server->short_of_room = false;
    for (uint32_t k = 0; k < num; k++) {
        const uint32_t i = first + k < num ? first + k : first + k - num;
        n += serve_one(a, i, whole, again);
        again = false;
        a->first = i;
        if (a->server->short_of_room)
            return n;
    }
    a->first = 0;
    return n;
}

static uint32_t serve_private(struct accelerator *a)
{
    const uint32_t num = num_places(a);
    uint32_t n = 0;
    for (uint32_t i = 0; i < num; i++) {
        struct client *c = client_at(a, i);
        if (c && c->lanes != a->server->lanes)
            n += serve_lanes(a->server, c->lanes) + c->lanes->num_jobs + c->lanes->num_new;
    }
    return n;
}

/* Whether there was anything to do. */
static bool turn(struct accelerator *a, bool whole)
{
    struct server *s = a->server;
    settle(a);
    s->turn++;
    s->throttled = s->pending = false;
    if (a->first >= num_places(a))
        a->first = 0;
    uint32_t n = serve_all(a, whole);
    n += serve_lanes(s, s->lanes) + s->lanes->num_jobs + s->lanes->num_new;
    if (atomic_load_explicit(&a->num_private, memory_order_relaxed))
        n += serve_private(a);
    serve_wake(s);
    return n || s->pending;
}

/* ---- the thread: sleep ---- */

static void say_asleep(struct accelerator *a, uint32_t asleep)
{
    const uint32_t num = num_places(a);
    for (uint32_t i = 0; i < num; i++) {
        struct client *c = client_at(a, i);
        if (c)
            atomic_store_explicit(&((struct ring_service_words *)c->completions)->asleep, asleep,
                                  memory_order_relaxed);
    }
}

static uint64_t read_clock(struct accelerator *a)
{
    return a->server->now = ticks_ns(ticks(), a->server->scale);
}

static void doze(struct accelerator *a)
{
    struct epoll_event events[16];
    say_asleep(a, 1);
    ring_fence(); /* "asleep" before the last look */
    if (!turn(a, true)) {
        _Atomic uint64_t *asleep = &a->server->counts.asleep;
        const int limit = a->server->throttled ? THROTTLED_SLEEP : -1;
        asleep_since(asleep, read_clock(a));
        atomic_store_explicit(&a->resting, 1, memory_order_release);
        (void)epoll_wait(a->epoll, events, 16, limit);
        atomic_store_explicit(&a->resting, 0, memory_order_relaxed);
        ring_fence(); /* "not resting" before the next look at the list */
        asleep_until(asleep, read_clock(a));
    }
    say_asleep(a, 0);
}

/* 0, or an error of errno's: an accelerator that is meant for a CPU runs on no other. */
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
    /* on that node, since it is touched first here */
    a->server = refused ? NULL : server_new();
    atomic_store(&a->ready, a->server ? 1 : refused ? -refused : -errno);
    if (!a->server)
        return NULL;
    worked = last = read_clock(a);
    while (!atomic_load_explicit(&a->stop, memory_order_relaxed)) {
        const bool busy = turn(a, false);
        const uint64_t now = read_clock(a);
        count_add(busy ? &a->server->counts.busy_ns : &a->server->counts.idle_ns, now - last);
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
    server_free(a->server);
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
    return &a->server->counts;
}

uint64_t accelerator_asleep_ns(struct accelerator *a)
{
    return asleep_ns(&a->server->counts.asleep, ticks_ns(ticks(), a->server->scale));
}

void accelerator_kick(struct accelerator *a)
{
    const uint64_t one = 1;
    if (write(a->kick, &one, sizeof one) < 0)
        return; /* full: it has been kicked */
}

void accelerator_stop(struct accelerator *a)
{
    atomic_store(&a->stop, 1);
    accelerator_kick(a);
    pthread_join(a->thread, NULL);
    destroy(a);
}

/* Returns when no turn goes on that may have seen an older list. */
static void wait_settled(struct accelerator *a)
{
    const uint32_t question = atomic_fetch_add(&a->asked, 1) + 1;
    ring_fence(); /* the new list before the look whether it rests */
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

int accelerator_add(struct accelerator *a, struct client *c)
{
    const int place = find_place(a, NULL);
    if (place < 0)
        return HR_EBUFFER;
    c->lanes = c->limits.private_lanes ? lanes_new() : a->server->lanes;
    if (!c->lanes || watch(a, c->doorbell)) {
        if (c->lanes != a->server->lanes)
            lanes_free(c->lanes);
        return HR_ESYSTEM;
    }
    numa_prefer(c->requests, ring_requests_len(&c->geometry), a->node);
    atomic_fetch_add(&a->num_private, c->lanes != a->server->lanes);
    atomic_store(&a->clients[place], c);
    if (num_places(a) <= (uint32_t)place)
        atomic_store(&a->num_places, (uint32_t)place + 1);
    accelerator_kick(a); /* asleep, it would not be said to this client */
    return 0;
}

void accelerator_remove(struct accelerator *a, struct client *c)
{
    struct ring_service_words *words = c->completions;
    const int place = find_place(a, c);
    if (place < 0)
        return;
    epoll_ctl(a->epoll, EPOLL_CTL_DEL, c->doorbell, NULL);
    atomic_store(&words->state, RING_REVOKED);
    wait_settled(a); /* it takes no more requests */
    while (atomic_load_explicit(&c->share.num_tasks, memory_order_acquire))
        sched_yield();
    atomic_store(&a->clients[place], NULL);
    wait_settled(a);
    if (c->lanes != a->server->lanes) {
        atomic_fetch_sub(&a->num_private, 1);
        lanes_free(c->lanes);
    }
}
