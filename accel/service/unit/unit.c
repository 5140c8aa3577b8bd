/* SPDX-License-Identifier: Apache-2.0 */
/* What the control thread does with the unit: its start and end, its clients, and their keys. */
#define _GNU_SOURCE
#include "../secrets.h"
#include "unit_thread.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* ---- start and end ---- */

static int watch(struct unit *u, int fd)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLET };
    return epoll_ctl(u->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void destroy(struct unit *u)
{
    unit_share_end(u);
    for (uint32_t i = 0; i < UNIT_THREADS; i++) {
        struct unit_thread *t = &u->threads[i];
        hr_queue_close(t->queue);
        secrets_free(t->queue_memory, t->queue_len);
        secrets_free(t->requests, UNIT_MANY * sizeof *t->requests);
    }
    if (u->epoll >= 0)
        close(u->epoll);
    if (u->kick >= 0)
        close(u->kick);
    pthread_cond_destroy(&u->left);
    pthread_mutex_destroy(&u->lock);
    free(u);
}

static int make_thread(struct unit *u, struct unit_thread *t, int cpu)
{
    t->unit = u;
    t->cpu = cpu;
    t->queue_len = hr_queue_local_size(UNIT_MANY);
    t->queue_memory = secrets_alloc(t->queue_len);
    t->requests = secrets_alloc(UNIT_MANY * sizeof *t->requests);
    if (!t->queue_memory || !t->requests)
        return errno;
    if (hr_queue_local(&t->queue, t->queue_memory, t->queue_len, UNIT_MANY))
        return EINVAL;
    for (uint32_t i = 0; i < UNIT_MANY; i++)
        t->tasks[i].request = &t->requests[i];
    return pthread_create(&t->thread, NULL, unit_thread_run, t);
}

/* kick wakes one of the threads that sleep.  Two kicks may wake the same one. */
static void kick(struct unit *u)
{
    const uint64_t one = 1;
    if (write(u->kick, &one, sizeof one) < 0)
        return; /* the counter is full, so it has been kicked */
}

static void stop_threads(struct unit *u)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    atomic_store(&u->stop, 1);
    for (uint32_t i = 0; i < u->num_threads; i++)
        for (kick(u); pthread_tryjoin_np(u->threads[i].thread, NULL) == EBUSY; kick(u))
            nanosleep(&pause, NULL);
}

static int start_threads(struct unit *u, const struct policy_unit *settings)
{
    for (unsigned i = 0; i < settings->threads; i++) {
        const int cpu = settings->num_cpus ? settings->cpus[i % settings->num_cpus] : -1;
        const int error = make_thread(u, &u->threads[i], cpu);
        if (error)
            return error;
        u->num_threads++;
    }
    for (;;) { /* until all are bound to their CPUs, which the sandbox would forbid */
        pthread_mutex_lock(&u->lock);
        const bool ready = u->ready == u->num_threads;
        const int error = u->error;
        pthread_mutex_unlock(&u->lock);
        if (ready)
            return error;
        sched_yield();
    }
}

struct unit *unit_start(const struct policy_unit *settings)
{
    struct unit *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->left, NULL);
    u->scale = ticks_scale();
    u->nice = settings->nice;
    u->most_long = settings->threads > 1 ? settings->threads - 1 : 1;
    u->epoll = epoll_create1(EPOLL_CLOEXEC);
    u->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = u->epoll < 0 || u->kick < 0 || watch(u, u->kick) ? errno : 0;
    if (!error)
        error = start_threads(u, settings);
    if (!error)
        return u;
    stop_threads(u);
    destroy(u);
    errno = error;
    return NULL;
}

void unit_stop(struct unit *u)
{
    stop_threads(u);
    destroy(u);
}

/* ---- clients ---- */

int unit_add(struct unit *u, struct unit_client *c, uint32_t uid)
{
    pthread_mutex_lock(&u->lock);
    int error = unit_share_join(u, c, uid);
    if (!error && watch(u, c->ring.doorbell)) {
        unit_share_leave(u, c);
        error = HR_ESYSTEM;
    }
    if (!error) {
        unit_cool(u, c);
        c->next = u->clients;
        u->clients = c;
        u->num_clients++;
    }
    pthread_mutex_unlock(&u->lock);
    return error;
}

static void unlink_client(struct unit *u, struct unit_client *c)
{
    for (struct unit_client **at = &u->clients; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    if (u->first == c)
        u->first = NULL;
    u->num_clients--;
}

void unit_remove(struct unit *u, struct unit_client *c)
{
    struct ring_service_words *words = c->ring.completions;
    epoll_ctl(u->epoll, EPOLL_CTL_DEL, c->ring.doorbell, NULL);
    atomic_store(&c->ring.revoked, true);
    atomic_store(&words->state, RING_REVOKED);
    pthread_mutex_lock(&u->lock);
    unit_cool(u, c);
    unlink_client(u, c); /* from now on none of its requests is taken */
    while (c->running)
        pthread_cond_wait(&u->left, &u->lock);
    unit_share_leave(u, c);
    u->num_keys -= c->keys.num;
    pthread_mutex_unlock(&u->lock);
    lent_clear(&c->keys);
}

uint32_t unit_client_counts(struct unit *u, struct unit_client *c, struct client_counts *out)
{
    pthread_mutex_lock(&u->lock);
    memcpy(out, &c->ring.counts, sizeof *out);
    const uint32_t num = c->keys.num;
    pthread_mutex_unlock(&u->lock);
    return num;
}

/* ---- keys ---- */

/* Making a key takes up to some 100 us of the control thread.  A user may take KEYS_PART of that
 * thread's time, and KEYS_BURST at once. */
enum { KEYS_PART = 10, KEYS_BURST = 200000000 };

/* has_time_for_key tells whether a user has time left; only the control thread calls it. */
static bool has_time_for_key(const struct unit *u, const struct unit_user *user)
{
    return user->keys_until < unit_now(u) + (uint64_t)KEYS_PART * KEYS_BURST;
}

/* cpu_time returns the thread's own time, in ns: others may take the CPU while a key is made. */
static uint64_t cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void charge_key(const struct unit *u, struct unit_user *user, uint64_t begun)
{
    const uint64_t now = unit_now(u);
    user->keys_until =
        (user->keys_until > now ? user->keys_until : now) + KEYS_PART * (cpu_time() - begun);
}

int unit_lend(struct unit *u, struct unit_client *c, uint64_t *handle, hr_alg alg,
              const uint8_t *bytes, size_t len)
{
    const uint32_t most = atomic_load_explicit(&c->limits->lent, memory_order_relaxed);
    struct lent_made made;
    pthread_mutex_lock(&u->lock);
    /* then the key is not even made */
    const bool full = c->keys.num - c->keys.num_named >= most || c->keys.num == LENT_MOST;
    pthread_mutex_unlock(&u->lock);
    if (full || !has_time_for_key(u, c->user))
        return HR_EBUFFER;
    if (!limits_allow(c->limits, alg))
        return HR_EACCESS;
    const uint64_t begun = cpu_time();
    int error = lent_make(&made, alg, bytes, len);
    charge_key(u, c->user, begun);
    if (error)
        return error;
    pthread_mutex_lock(&u->lock);
    error = lent_add(&c->keys, handle, &made, most);
    u->num_keys += !error;
    pthread_mutex_unlock(&u->lock);
    if (error)
        lent_unmake(&made);
    return error;
}

int unit_open(struct unit *u, struct unit_client *c, uint64_t *handle, struct custody_key *key)
{
    struct lent_made made = custody_lend(key);
    if (!limits_allow(c->limits, made.alg)) {
        lent_unmake(&made);
        return HR_EACCESS;
    }
    pthread_mutex_lock(&u->lock);
    const int error = lent_add(&c->keys, handle, &made, LENT_MOST);
    u->num_keys += !error;
    pthread_mutex_unlock(&u->lock);
    if (error)
        lent_unmake(&made);
    return error;
}

void unit_review(struct unit *u, struct unit_client *c,
                 bool (*stays)(void *arg, const struct custody_key *key), void *arg)
{
    pthread_mutex_lock(&u->lock);
    for (uint32_t i = 0; i < LENT_MOST; i++) {
        struct lent_key *k = &c->keys.keys[i];
        struct lent_made made;
        if (!k->live || !k->made.named || stays(arg, k->made.named) ||
            lent_remove(&c->keys, (uint64_t)k->generation << 32 | i, &made))
            continue;
        u->num_keys -= made.object != NULL;
        lent_unmake(&made);
    }
    pthread_mutex_unlock(&u->lock);
}

int unit_take_back(struct unit *u, struct unit_client *c, uint64_t handle)
{
    struct lent_made made;
    pthread_mutex_lock(&u->lock);
    const int error = lent_remove(&c->keys, handle, &made);
    u->num_keys -= made.object != NULL;
    pthread_mutex_unlock(&u->lock);
    lent_unmake(&made);
    return error;
}

/* ---- counts ---- */

void unit_count(struct unit *u, struct unit_counts *out)
{
    pthread_mutex_lock(&u->lock);
    *out = u->counts;
    out->threads = u->num_threads;
    out->asleep = u->sleeping;
    out->clients = u->num_clients;
    out->keys = u->num_keys;
    pthread_mutex_unlock(&u->lock);
}
