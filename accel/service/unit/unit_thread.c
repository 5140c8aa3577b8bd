/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of the unit takes a batch, computes it without the lock, and answers; where nothing is
 * to be taken it looks on for a while, and sleeps. */
#define _GNU_SOURCE
#include "unit_thread.h"
#include "../../relax.h"
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LEAST_SPIN =
        10000,         /* ns of looking in vain before it sleeps: as long as its last batch took, */
    MOST_SPIN = 50000, /* but no longer than this */
    GAP = 30000,       /* ns between two looks that show that another thread had this CPU */
    CROWDED = 2000000, /* ns for which it then yields between looks */
    LOOKS = 16,        /* pauses between two looks */
    THROTTLED_SLEEP = 1, /* ms of sleep while requests wait for a rate */
    SLOWLY = 8,          /* a part of the new in the mean time of an operation */
};

/* ---- who sleeps ---- */

void unit_call_another(struct unit *u)
{
    const uint64_t one = 1;
    if (unit_say_asleep(u) && unit_take_is_any(u) && write(u->kick, &one, sizeof one) < 0)
        return; /* the counter is full, so it has been kicked */
}

/* ---- a batch ---- */

static void decode(struct unit_thread *t)
{
    for (uint32_t i = 0; i < t->num; i++) {
        const struct view window = unit_window(t->tasks[i].client, t->tasks[i].ring);
        (void)pk_request_decode(t->tasks[i].request, &window);
    }
}

static void compute(struct unit_thread *t)
{
    struct hr_job *jobs[UNIT_MANY], *done[UNIT_MANY];
    int num = 0, back = 0;
    for (uint32_t i = 0; i < t->num; i++)
        if (!t->tasks[i].request->job.result)
            jobs[num++] = &t->tasks[i].request->job;
    if (num == 1) {
        (void)hr_job_run(jobs[0]);
        return;
    }
    if (num && hr_queue_submit(t->queue, jobs, (size_t)num) != num)
        return; /* cannot be: the queue is empty, and has room for UNIT_MANY */
    while (back < num)
        back += hr_queue_poll(t->queue, done, UNIT_MANY, (size_t)(num - back));
}

static void publish(const struct unit_thread *t)
{
    for (uint32_t i = 0; i < t->num; i++) {
        const struct view window = unit_window(t->tasks[i].client, t->tasks[i].ring);
        pk_request_publish(t->tasks[i].request, &window);
    }
}

/* log_uses logs the uses of named keys whose terms say so. */
static void log_uses(const struct unit_thread *t)
{
    for (uint32_t i = 0; i < t->num; i++) {
        const struct unit_client *c = t->tasks[i].client;
        const struct pk_request *r = t->tasks[i].request;
        const struct custody_key *key = r->key->made.named;
        if (key && key->terms.log && c->log_use)
            c->log_use(c, &r->job, key);
    }
}

/* answer writes a request's completion, and charges its client. */
static void answer(struct unit *u, struct unit_thread *t, struct unit_task *task, uint64_t now)
{
    struct unit_client *c = task->client;
    struct pk_request *r = task->request;
    const uint64_t ns = (now - t->taken) / t->num;
    const int32_t result = r->job.result;
    struct lent_made gone;
    unit_complete(c, task->ring, r->number, result, pk_request_result_len(r), t->load);
    unit_share_done(c, task->charged, ns);
    count_answers(&c->ring.counts, 1, (uint64_t)r->q.len + r->q.u.far.aad_len, now - t->taken,
                  t->num);
    t->operation->failed += result != 0;
    pk_request_wipe(r);
    lent_leave(&c->keys, r->key, &gone);
    u->num_keys -= gone.object != NULL;
    lent_unmake(&gone);
}

static void count_batch(struct unit *u, struct unit_thread *t, uint64_t ns)
{
    struct unit_operation *o = t->operation;
    const uint64_t each = ns / t->num;
    o->requests += t->num;
    o->batches++;
    o->ns += ns;
    o->load += (uint64_t)t->num * t->load;
    o->fill[t->num - 1]++;
    o->mean = o->mean - o->mean / SLOWLY + each / SLOWLY;
    u->counts.requests += t->num;
    u->counts.batches++;
    u->counts.busy_ns += ns;
}

void unit_answer(struct unit *u, struct unit_thread *t, uint64_t now)
{
    for (uint32_t i = 0; i < t->num; i++)
        answer(u, t, &t->tasks[i], now);
    count_batch(u, t, now - t->taken);
    t->spin = now - t->taken;
    t->worked = t->last = now;
    u->num_long -= t->is_long;
    t->operation->together -= t->num > 1;
}

static void wake_all(const struct unit_thread *t)
{
    ring_fence(); /* orders the completions before the loads of `sleeping` */
    for (uint32_t i = 0; i < t->num; i++)
        unit_wake(t->tasks[i].client, t->tasks[i].ring);
}

void unit_leave(struct unit *u, const struct unit_thread *t)
{
    for (uint32_t i = 0; i < t->num; i++)
        if (!--t->tasks[i].client->running)
            pthread_cond_broadcast(&u->left);
}

/* work computes the batch that was taken.  It is called, and returns, with the lock. */
static void work(struct unit *u, struct unit_thread *t)
{
    u->looking--;
    unit_call_another(u);
    pthread_mutex_unlock(&u->lock);
    decode(t);
    compute(t);
    publish(t);
    log_uses(t);
    pthread_mutex_lock(&u->lock);
    u->looking++;
    (void)unit_say_asleep(u); /* before the clients go on, which need not ring now */
    unit_answer(u, t, unit_now(u));
    pthread_mutex_unlock(&u->lock);
    wake_all(t);
    pthread_mutex_lock(&u->lock);
    unit_leave(u, t);
}

/* ---- nothing to do ---- */

/* look_on pauses between two looks, unless it is time to sleep, or another thread looks: then it
 * returns false. */
static bool look_on(struct unit *u, struct unit_thread *t)
{
    const uint64_t now = unit_now(u);
    const uint64_t spin = t->spin < LEAST_SPIN  ? LEAST_SPIN
                          : t->spin > MOST_SPIN ? MOST_SPIN
                                                : t->spin;
    if (now - t->last > GAP && t->cpu < 0)
        t->crowded = now + CROWDED;
    u->counts.idle_ns += now - t->last;
    t->last = now;
    if (u->looking > 1 || now - t->worked > spin)
        return false;
    pthread_mutex_unlock(&u->lock);
    if (now < t->crowded)
        sched_yield();
    for (int i = 0; i < LOOKS; i++)
        RELAX();
    pthread_mutex_lock(&u->lock);
    return true;
}

static void fall_asleep(struct unit *u, struct unit_thread *t)
{
    struct epoll_event events[16];
    u->looking--;
    u->sleeping++;
    if (!unit_say_asleep(u) || !unit_take_is_any(u)) {
        const int limit = u->throttled ? THROTTLED_SLEEP : -1;
        const uint64_t before = unit_now(u);
        if (!atomic_load(&u->stop)) {
            pthread_mutex_unlock(&u->lock);
            (void)epoll_wait(u->epoll, events, 16, limit);
            pthread_mutex_lock(&u->lock);
        }
        u->counts.asleep_ns += unit_now(u) - before;
    }
    u->sleeping--;
    u->looking++;
    (void)unit_say_asleep(u);
    t->worked = t->last = unit_now(u);
    t->spin = 0;
}

/* ---- a thread ---- */

/* prepare binds the thread and sets its priority.  It returns 0 or an error number. */
static int prepare(const struct unit_thread *t)
{
    const struct unit *u = t->unit;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (u->nice)
        (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), u->nice);
    if (t->cpu < 0)
        return 0;
    CPU_SET((unsigned)t->cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

void *unit_thread_run(void *arg)
{
    struct unit_thread *t = arg;
    struct unit *u = t->unit;
    const int error = prepare(t);
    pthread_mutex_lock(&u->lock);
    u->error = error ? error : u->error;
    u->ready++;
    u->looking++;
    t->worked = t->last = unit_now(u);
    while (!atomic_load(&u->stop)) {
        if (unit_take(u, t))
            work(u, t);
        else if (t->gathered)
            unit_gather(u, t);
        else if (!look_on(u, t))
            fall_asleep(u, t);
    }
    u->looking--;
    (void)unit_say_asleep(u);
    pthread_mutex_unlock(&u->lock);
    return NULL;
}
