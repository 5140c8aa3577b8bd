/* SPDX-License-Identifier: Apache-2.0 */
/* This process and the service.  One connection is the current one; others live on while a queue
 * has jobs or memory in them.  Two locks: `slow` is held over messages, `list` for a few loads and
 * stores, also over fork, so that a child finds the list whole. */
#define _GNU_SOURCE
#include "client.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RETRY_FIRST = 100, RETRY_MOST = 5000, ANSWER_MOST = 5000 }; /* milliseconds */
#define MS UINT64_C(1000000)

uint32_t process_generation = 1;

static pthread_mutex_t slow = PTHREAD_MUTEX_INITIALIZER, list = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct connection *current, *all;
static char path[108];
static int off; /* HEADRACE_ACCEL=off */
static uint32_t last_id;
/* Under `slow`: the one that is being made. */
static struct connection *making;
static struct descriptor dialing = { .fd = -1 };
static uint64_t dialing_since;
static uint32_t retry_ms = RETRY_FIRST;
static _Atomic uint64_t next_try;

static void forget_dial(void)
{
    descriptor_close(&dialing);
    atomic_store(&next_try, 0);
    retry_ms = RETRY_FIRST;
}

static void hang_up(struct connection *c)
{
    if (descriptor_is_ours(&c->socket))
        descriptor_close(&c->doorbell);
    descriptor_close(&c->socket);
}

static void destroy(struct connection *c)
{
    const int cancel = cancel_later();
    dial_unmap(c);
    hang_up(c);
    cancel_as_before(cancel);
    free(c->crossover);
    free(c);
}

/* ---- fork ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&list);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&list);
}

/* The sockets are closed, so that the parent's end is not hidden from the service; the maps are not
 * here (MADV_DONTFORK), and no queue of the parent's looks at a connection again. */
static void in_child(void)
{
    process_generation++;
    while (all) {
        struct connection *c = all;
        all = c->older;
        hang_up(c);
        free(c->crossover);
        free(c);
    }
    forget_dial();
    making = NULL; /* perhaps in the midst of it */
    current = NULL;
    keys_forget();
    slow = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* perhaps another thread had it */
    pthread_mutex_unlock(&list);
}

static void init(void)
{
    const char *env = secure_getenv("HEADRACE_ACCEL");
    off = env && !strcmp(env, "off");
    if (!*path)
        strncpy(path, env && *env ? env : CONTROL_PATH, sizeof path - 1);
    wait_init();
    if (pthread_atfork(before_fork, in_parent, in_child))
        off = 1; /* a child could not be told from its parent */
}

/* ---- which service ---- */

void connection_lock(void)
{
    pthread_mutex_lock(&slow);
}

void connection_unlock(void)
{
    pthread_mutex_unlock(&slow);
}

/* Another service than until now, which only a process without queues may choose. */
static int change_path(const char *wanted)
{
    pthread_mutex_lock(&list);
    struct connection *c = current;
    const int idle = !all || (all == c && !c->older && c->references == 1);
    if (idle) {
        all = current = NULL;
        strcpy(path, wanted);
        forget_dial();
    }
    pthread_mutex_unlock(&list);
    if (idle && c)
        destroy(c);
    return idle ? 0 : HR_EINVAL;
}

int process_path(const char *wanted)
{
    int error = 0;
    const int cancel = cancel_later();
    connection_lock();
    if (wanted && strlen(wanted) >= sizeof path)
        error = HR_EINVAL;
    else if (wanted && strcmp(wanted, path))
        error = change_path(wanted);
    pthread_once(&once, init); /* which may choose the path */
    connection_unlock();
    cancel_as_before(cancel);
    return error;
}

/* ---- references ---- */

static struct connection *take_current(void)
{
    pthread_mutex_lock(&list);
    struct connection *c = current;
    if (c && connection_live(c))
        c->references++;
    else
        c = NULL;
    pthread_mutex_unlock(&list);
    return c;
}

void connection_keep(struct connection *c)
{
    pthread_mutex_lock(&list);
    c->references++;
    pthread_mutex_unlock(&list);
}

void connection_put(struct connection *c)
{
    pthread_mutex_lock(&list);
    const uint32_t left = --c->references;
    for (struct connection **at = &all; !left && *at; at = &(*at)->older)
        if (*at == c) {
            *at = c->older;
            break;
        }
    pthread_mutex_unlock(&list);
    if (!left)
        destroy(c);
}

/* The caller has a reference of its own. */
void connection_lose(struct connection *c)
{
    pthread_mutex_lock(&list);
    if (current == c) {
        current = NULL;
        c->references--;
    }
    atomic_store(&c->lost, 1);
    pthread_mutex_unlock(&list);
}

/* NULL: nothing. */
static void drop(struct connection *c)
{
    if (c) {
        connection_lose(c);
        connection_put(c);
    }
}

int connection_hung_up(const struct connection *c)
{
    char byte;
    if (!descriptor_is_ours(&c->socket))
        return 1;
    const int cancel = cancel_later();
    const ssize_t n = recv(c->socket.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    cancel_as_before(cancel);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* ---- making one ---- */

static void try_later(void)
{
    atomic_store(&next_try, wait_clock() + retry_ms * MS);
    retry_ms = retry_ms * 2 < RETRY_MOST ? retry_ms * 2 : RETRY_MOST;
}

static int dial(int wait_ms)
{
    if (!descriptor_is_ours(&dialing)) {
        int error = dial_begin(&dialing, path);
        if (error)
            return error;
        dialing_since = wait_clock();
    }
    if (!making)
        making = calloc(1, sizeof *making);
    if (!making)
        return HR_ESYSTEM;
    /* A service that does not answer is waited for once, not by each thread in turn. */
    const uint64_t waited = (wait_clock() - dialing_since) / MS;
    int error = dial_finish(making, &dialing, waited < (uint64_t)wait_ms ? wait_ms : 0);
    if (error == HR_EPENDING && wait_clock() - dialing_since < ANSWER_MOST * MS)
        return error;
    if (error)
        descriptor_close(&dialing);
    dialing.fd = -1;
    return error;
}

/* Where the accelerator wins; without a table, everywhere. */
static void ask_crossover(struct connection *c)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_CROSSOVER };
    struct crossover_rule *rules = calloc(CROSSOVER_MAX, sizeof *rules);
    struct control_reply reply;
    c->crossover = malloc(sizeof *c->crossover);
    if (!rules || !c->crossover ||
        connection_exchange(c, &request, &reply, rules, CROSSOVER_MAX * sizeof *rules) ||
        reply.result || crossover_take(c->crossover, rules, reply.more / sizeof *rules)) {
        free(c->crossover);
        c->crossover = NULL;
    }
    free(rules);
}

static struct connection *make(int wait_ms)
{
    int error = dial(wait_ms);
    if (error == HR_EPENDING)
        return NULL;
    if (error) {
        try_later();
        return NULL;
    }
    struct connection *c = making;
    making = NULL;
    c->id = ++last_id;
    c->references = 2; /* the process's and the caller's */
    retry_ms = RETRY_FIRST;
    /* A service that hangs up on whom it has just taken is not asked again at once. */
    atomic_store(&next_try, wait_clock() + RETRY_FIRST * MS);
    ask_crossover(c);
    keys_reopen(c);
    pthread_mutex_lock(&list);
    struct connection *before = current; /* dead, and none of its queues has noticed */
    c->older = all;
    all = c;
    current = c;
    pthread_mutex_unlock(&list);
    if (before)
        connection_put(before);
    return c;
}

/* Who waits is not given what is dead: an earlier submit may have knocked at a service that went
 * away since, or that revoked this process before the answer was read. */
static struct connection *make_live(int wait_ms)
{
    const int knocked = dialing.fd >= 0;
    struct connection *c = make(wait_ms);
    if (!wait_ms || !knocked || (c && connection_live(c)))
        return c;
    drop(c);
    return make(wait_ms);
}

struct connection *connection_get(int wait_ms)
{
    struct connection *c = take_current();
    if (c && wait_ms && connection_hung_up(c)) {
        drop(c);
        c = NULL;
    }
    if (c || off || (!wait_ms && wait_clock() < atomic_load(&next_try)))
        return c;
    const int cancel = cancel_later();
    if (wait_ms)
        connection_lock();
    if (wait_ms || !pthread_mutex_trylock(&slow)) {
        c = take_current(); /* somebody else may have made it */
        if (!c)
            c = make_live(wait_ms);
        connection_unlock();
    }
    cancel_as_before(cancel);
    return c;
}

/* ---- messages ---- */

int connection_exchange(struct connection *c, const struct control_request *request,
                        struct control_reply *reply, void *more, size_t max)
{
    memset(reply, 0, sizeof *reply);
    if (atomic_load(&c->lost) || !descriptor_is_ours(&c->socket) ||
        send(c->socket.fd, request, sizeof *request, MSG_NOSIGNAL) != sizeof *request ||
        dial_answer(c->socket.fd, reply, more, max, ANSWER_MOST) || reply->type != request->type ||
        !is_result(reply->result)) {
        atomic_store(&c->lost, 1); /* what comes next would not be the answer to what is asked */
        return HR_EGONE;
    }
    return reply->result;
}
