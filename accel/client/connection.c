/* SPDX-License-Identifier: Apache-2.0 */
/* The connections of this process to the service.  New queues get the current one; older ones stay
 * while a queue has jobs or memory in them.  There are two locks.  `slow` is held while messages
 * are exchanged.  `list` is held for a few loads and stores of the list of connections, and during
 * fork, so that the list is consistent in the child. */
#define _GNU_SOURCE
#include "share.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RETRY_FIRST = 100, RETRY_MOST = 5000, ANSWER_MOST = 5000 }; /* milliseconds */
#define MS UINT64_C(1000000)

uint32_t connection_generation = 1;

static pthread_mutex_t slow = PTHREAD_MUTEX_INITIALIZER, list = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct connection *current, *all;
static char path[108];
static int off; /* no service is used, as HEADRACE_ACCEL=off asks for */
static uint32_t last_id;
/* The connection that is being made.  `slow` protects it and the variables after it. */
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
    if (!c->is_unit)
        descriptor_close(&c->socket);
}

/* leave_unit gives up the connection's ring for public keys, whose queues may still hold it. */
static void leave_unit(struct connection *c)
{
    struct connection *unit = c->unit;
    if (!unit)
        return;
    if (descriptor_is_ours(&c->socket))
        descriptor_close(&unit->doorbell);
    unit->doorbell.fd = -1;
    atomic_store(&unit->lost, 1);
    c->unit = NULL;
    connection_put(unit);
}

static void destroy(struct connection *c)
{
    const int cancel = cancel_later();
    dial_unmap(c);
    leave_unit(c);
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

/* in_child closes its copies of the sockets; otherwise the service would not notice that the parent
 * hangs up.  The rings are not mapped in the child (MADV_DONTFORK), and its queues do not use a
 * connection of the parent again (recover_child). */
static void in_child(void)
{
    connection_generation++;
    while (all) {
        struct connection *c = all;
        all = c->older;
        if (c->unit) {
            hang_up(c->unit);
            free(c->unit);
        }
        hang_up(c);
        free(c->crossover);
        free(c);
    }
    forget_dial();
    making = NULL; /* not freed: another thread may have been filling it */
    current = NULL;
    keys_forget();
    share_forget();
    /* A thread of the parent may have held `slow` at the fork, and cannot release it here. */
    slow = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_unlock(&list);
}

static void init(void)
{
    const char *env = secure_getenv("HEADRACE_ACCEL");
    off = env && !strcmp(env, "off");
    if (!*path)
        strncpy(path, env && *env ? env : CONTROL_PATH, sizeof path - 1);
    wait_init();
    bind_init();
    if (pthread_atfork(before_fork, in_parent, in_child))
        off = 1; /* else a child would use its parent's connection */
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

/* change_path chooses another service.  It returns HR_EINVAL if a queue, or memory of one, still
 * uses a connection. */
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

int connection_path(const char *wanted)
{
    int error = 0;
    const int cancel = cancel_later();
    connection_lock();
    if (wanted && strlen(wanted) >= sizeof path)
        error = HR_EINVAL;
    else if (wanted && strcmp(wanted, path))
        error = change_path(wanted);
    pthread_once(&once, init); /* init sets the path if it is still empty */
    connection_unlock();
    cancel_as_before(cancel);
    return error;
}

int connection_is_off(void)
{
    return off;
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

/* connection_lose does not free c, because the caller has a reference of its own. */
void connection_lose(struct connection *c)
{
    pthread_mutex_lock(&list);
    if (current == c) {
        current = NULL;
        c->references--;
    }
    atomic_store(&c->lost, 1);
    struct connection *unit = c->unit;
    if (unit)
        atomic_store(&unit->lost, 1);
    pthread_mutex_unlock(&list);
}

/* drop gives up a lost connection and the caller's reference to it.  NULL is allowed. */
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

/* ---- making a connection ---- */

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
    /* After wait_ms without an answer no further thread waits for this service. */
    const uint64_t waited = (wait_clock() - dialing_since) / MS;
    int error = dial_finish(making, &dialing, waited < (uint64_t)wait_ms ? wait_ms : 0);
    if (error == HR_EPENDING && wait_clock() - dialing_since < ANSWER_MOST * MS)
        return error;
    if (error)
        descriptor_close(&dialing);
    dialing.fd = -1;
    return error;
}

/* ask_crossover gets the crossover table.  Without a table c->crossover is NULL, and all jobs go to
 * the service. */
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
    /* If the service hangs up at once, the next try is not immediate. */
    atomic_store(&next_try, wait_clock() + RETRY_FIRST * MS);
    ask_crossover(c);
    (void)bind_ask(c); /* if it is refused, another accelerator serves as well */
    keys_reopen(c);
    lent_again(c);
    pthread_mutex_lock(&list);
    struct connection *before = current; /* its service is gone, and no queue has noticed that */
    c->older = all;
    all = c;
    current = c;
    pthread_mutex_unlock(&list);
    if (before)
        connection_put(before);
    return c;
}

/* make_live makes a connection; for a caller that waits, it makes a second one if the first is
 * dead.  An earlier submit may have begun the first, and the service may have gone away, or revoked
 * this process, before its answer was read. */
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
        c = take_current(); /* another thread may have made it */
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
    return connection_exchange_long(c, request, 0, reply, more, max);
}

int connection_exchange_long(struct connection *c, const struct control_request *request,
                             size_t len, struct control_reply *reply, void *more, size_t max)
{
    const size_t whole = sizeof *request + len;
    memset(reply, 0, sizeof *reply);
    if (atomic_load(&c->lost) || !descriptor_is_ours(&c->socket) ||
        send(c->socket.fd, request, whole, MSG_NOSIGNAL) != (ssize_t)whole ||
        dial_answer(c->socket.fd, reply, more, max, ANSWER_MOST) || reply->type != request->type ||
        !is_result(reply->result)) {
        atomic_store(&c->lost, 1); /* the next message might answer an earlier request */
        return HR_EGONE;
    }
    return reply->result;
}
