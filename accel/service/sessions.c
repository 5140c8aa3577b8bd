/* SPDX-License-Identifier: Apache-2.0 */
/* The control thread's loop.  It takes one event at a time, so that none is for a session that an
 * earlier one freed.  Every session has its turn, because epoll puts the one that was served last
 * at the end. */
#define _GNU_SOURCE
#include "../ticks.h"
#include "headraced.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATIENCE = 5 };     /* seconds until a session must be attached */
enum { SETTLE_MOST = 10 }; /* ms for which a reload waits for the requests of one client */

static bool stop;

static int watch(int fd, struct watch *w, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = w };
    return epoll_ctl(service.epoll, EPOLL_CTL_ADD, fd, &event);
}

/* unwatch_and_close takes a descriptor out of epoll and closes it.  Closing alone is not enough:
 * epoll keeps a file for as long as anyone holds it, as a reader of /proc/PID/fd does for a moment,
 * and would then report an event of a session that has been freed. */
static void unwatch_and_close(int fd)
{
    (void)epoll_ctl(service.epoll, EPOLL_CTL_DEL, fd, NULL);
    close(fd);
}

/* ---- leaving ---- */

/* wake_all wakes the client's threads, which then look at the state that accelerator_remove set. */
static void wake_all(struct client *client)
{
    struct ring_service_words *words = client->completions;
    for (uint32_t i = 0; i < client->geometry.num_rings; i++) {
        atomic_fetch_add(&words->ring[i].wake, 1);
        syscall(SYS_futex, &words->ring[i].wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* has_gone tells whether the process has ended, or closed its end of the socket. */
static bool has_gone(const struct session *c)
{
    struct pollfd both[] = { { c->peer.pidfd, POLLIN, 0 }, { c->client.socket, POLLRDHUP, 0 } };
    return poll(both, 2, 0) > 0;
}

static void on_death(struct watch *w)
{
    session_end(w->session);
}

/* leave_unit ends the service's part of the client's ring for public keys. */
static void leave_unit(struct session *c)
{
    if (!c->unit)
        return;
    unit_remove(service.unit, c->unit);
    client_retire(&c->unit->ring);
}

/* leave takes the first `num` parts of a client from their accelerators, and frees all but the
 * client itself. */
static void leave(struct session *c, uint32_t num)
{
    for (uint32_t i = c->client.num_parts; i-- > 0;) {
        if (i < num) {
            accelerator_remove(service.accelerators[c->accelerators[i]], c->parts[i]);
            service.clients[c->accelerators[i]]--;
        }
        if (i)
            client_free_part(c->parts[i]);
    }
    c->client.num_parts = 1;
}

static void detach(struct session *c)
{
    log_verbose("client %u of user %u (process %d) has gone", c->client.number, c->peer.uid,
                (int)c->peer.pid);
    leave_unit(c);
    leave(c, c->client.num_parts);
    client_retire(&c->client);
    c->attached = false;
    c->lingers = true;
}

/* undo_fault shows the client its state, which detach wrote to other memory. */
static void undo_fault(struct client *c)
{
    struct ring_service_words *words = c->completions;
    if (!fault_happened(c->fault))
        return;
    fault_undo(c->memories);
    atomic_store(&words->state, RING_REVOKED);
}

/* linger hangs up on a client that was revoked, and returns 0 if its session stays until the client
 * hangs up too.  Until then the client may be reading results, and the memories are there. */
static int linger(struct session *c)
{
    struct epoll_event event = { .events = EPOLLRDHUP, .data.ptr = &c->on_socket };
    wake_all(&c->client);
    if (c->unit)
        wake_all(&c->unit->ring);
    c->on_socket.ready = on_death;
    return shutdown(c->client.socket, SHUT_WR) ||
                   epoll_ctl(service.epoll, EPOLL_CTL_MOD, c->client.socket, &event)
               ? -1
               : 0;
}

static void free_ring(struct client *c, bool gone)
{
    if (gone)
        client_empty(c);
    client_free(c);
}

static void free_rings(struct session *c, bool gone)
{
    free_ring(&c->client, gone);
    if (c->unit)
        free_ring(&c->unit->ring, gone);
    free(c->unit);
}

void session_end(struct session *c)
{
    const bool gone = has_gone(c), attached = c->attached;
    if (attached)
        detach(c);
    if (attached)
        undo_fault(&c->client);
    if (attached && c->unit)
        undo_fault(&c->unit->ring);
    if (attached && !gone && !linger(c))
        return;
    if (c->lingers)
        free_rings(c, gone);
    else
        service.num_pending--;
    service.num_sessions--;
    unwatch_and_close(c->peer.pidfd);
    unwatch_and_close(c->client.socket);
    if (c->next)
        c->next->back = c->back;
    *c->back = c->next;
    free(c);
}

bool session_is_pending(const struct session *c)
{
    return !c->attached && !c->lingers;
}

void session_revoke(struct session *c)
{
    service.revoked += c->attached;
    session_end(c);
}

/* ---- attaching ---- */

/* new_number returns a number that no present client has.  Administrators revoke a client by it; 0
 * means all clients. */
static uint32_t new_number(void)
{
    const struct session *c = NULL;
    do {
        service.last_number = service.last_number < UINT32_MAX - 1 ? service.last_number + 1 : 1;
        for (c = service.sessions; c && c->client.number != service.last_number;)
            c = c->next;
    } while (c);
    return service.last_number;
}

/* least_loaded returns the accelerator with the fewest clients, of those that the rule allows, or
 * of all if there is none of them. */
static unsigned least_loaded(const struct policy_rule *rule)
{
    unsigned best = UINT_MAX;
    for (unsigned i = 0; i < service.options->num_accelerators; i++)
        if (policy_serves(rule, i) &&
            (best == UINT_MAX || service.clients[i] < service.clients[best]))
            best = i;
    return best == UINT_MAX ? 0 : best;
}

static int move_part(struct session *c, uint32_t i, unsigned to, unsigned wait_ms)
{
    const unsigned from = c->accelerators[i];
    if (from == to)
        return 0;
    const int error = accelerator_move(service.accelerators[from], service.accelerators[to],
                                       c->parts[i], wait_ms);
    if (error)
        return error;
    log_verbose("client %u is served by accelerator %u now, not by %u", c->client.number, to, from);
    service.clients[from]--;
    service.clients[to]++;
    c->accelerators[i] = to;
    c->moves++;
    return 0;
}

int session_move(struct session *c, unsigned accelerator, unsigned wait_ms)
{
    int error = 0;
    for (uint32_t i = 0; !error && i < c->client.num_parts; i++)
        error = move_part(c, i, accelerator, wait_ms);
    return error;
}

int session_settle(struct session *c, const struct policy_rule *rule)
{
    for (uint32_t i = 0; i < c->client.num_parts; i++) {
        const unsigned at = c->accelerators[i];
        const int error =
            policy_serves(rule, at) ? 0 : move_part(c, i, least_loaded(rule), SETTLE_MOST);
        if (error == HR_ESYSTEM)
            return error;
        if (error)
            log_warning("client %u stays with accelerator %u, against its policy: try a reload "
                        "again",
                        c->client.number, at);
    }
    return 0;
}

/* A client that is spread has a part of its rates at each accelerator. */
void session_limit(struct session *c, const struct policy_rule *rule)
{
    struct policy_rule part = *rule;
    const uint32_t num = c->client.num_parts;
    part.rate = (rule->rate + num - 1) / num;
    part.bytes = (rule->bytes + num - 1) / num;
    for (uint32_t i = 0; i < num; i++)
        policy_apply(&part, &c->parts[i]->limits);
}

/* make_parts makes the parts of a client that is spread.  Returns 0 or HR_ESYSTEM. */
static int make_parts(struct session *c, const struct policy_rule *rule)
{
    const uint32_t rings = rule->geometry.num_rings;
    const uint32_t num = rule->spread < rings ? rule->spread : rings;
    c->parts[0] = &c->client;
    for (uint32_t i = 1; i < num; i++) {
        c->parts[i] = client_make_part(&c->client, i, num);
        if (!c->parts[i]) {
            c->client.num_parts = i; /* those that leave frees */
            return HR_ESYSTEM;
        }
    }
    return 0;
}

/* join gives each part of a client an accelerator.  On failure, `leave` undoes it. */
static int join(struct session *c, const struct policy_rule *rule, uint32_t *num_joined)
{
    int error = make_parts(c, rule);
    if (!error)
        session_limit(c, rule);
    for (*num_joined = 0; !error && *num_joined < c->client.num_parts; *num_joined += !error) {
        const unsigned at = c->accelerators[*num_joined] = least_loaded(rule);
        error = accelerator_add(service.accelerators[at], c->parts[*num_joined]);
        service.clients[at] += !error;
    }
    return error;
}

int session_attach(struct session *c, const struct policy_rule *rule, int fds[3])
{
    uint32_t num_joined;
    if (!quota_allows(rule, &c->peer)) {
        service.refused++;
        return HR_EBUFFER;
    }
    c->client.limits.private_lanes = rule->private_lanes;
    c->client.number = new_number();
    c->client.user = c->peer.user;
    int error = client_make(&c->client, &rule->geometry, fds);
    if (error)
        return error;
    error = join(c, rule, &num_joined);
    if (error) {
        leave(c, num_joined);
        client_free(&c->client);
        close(fds[0]);
        close(fds[1]);
        return error;
    }
    memcpy(c->rule, rule->name, sizeof c->rule);
    c->attached = true;
    service.num_pending--;
    service.attached++;
    log_verbose("client %u: user %u, process %d, by [client %s]", c->client.number, c->peer.uid,
                (int)c->peer.pid, rule->name);
    return 0;
}

int session_attach_unit(struct session *c, const struct policy_rule *rule, int fds[3])
{
    const struct ring_geometry geometry = { RING_UNIT_RINGS, RING_UNIT_WINDOW };
    if (!service.unit)
        return HR_EALG;
    if (!quota_allows_unit(rule, &c->peer, &geometry))
        return HR_EBUFFER;
    struct unit_client *unit = calloc(1, sizeof *unit);
    if (!unit)
        return HR_ESYSTEM;
    unit->limits = &c->client.limits;
    unit->uid = c->peer.uid;
    unit->pid = (int32_t)c->peer.pid;
    unit->log_use = handles_log;
    int error = client_make_ring(&unit->ring, &geometry, fds);
    if (!error && (error = unit_add(service.unit, unit, c->client.user))) {
        client_free(&unit->ring);
        close(fds[0]);
        close(fds[1]);
    }
    if (error)
        free(unit);
    else
        c->unit = unit;
    return error;
}

/* ---- connecting ---- */

/* is_message tells whether n bytes were received that are one message. */
static bool is_message(const struct control_request *q, ssize_t n)
{
    if (n < (ssize_t)sizeof *q || q->magic != CONTROL_MAGIC)
        return false;
    return (size_t)n == sizeof *q + (q->type == CONTROL_KEY_LEND ? q->key_len : 0);
}

/* on_message receives no descriptors that come with a message: there is no room for them, and the
 * kernel closes them. */
static void on_message(struct watch *w)
{
    struct session *c = w->session;
    struct control_request request;
    uint8_t lent[CONTROL_LENT];
    struct iovec parts[] = { { &request, sizeof request }, { lent, sizeof lent } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    const ssize_t n = recvmsg(c->client.socket, &message, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (peer_is_trusted(&c->peer)) /* other users get no more time by sending messages */
        c->deadline = ticks_seconds() + PATIENCE;
    request.name[sizeof request.name - 1] = '\0';
    if (!is_message(&request, n) || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
        message_answer(c, &request, lent))
        session_end(c);
    explicit_bzero(&request, sizeof request);
    explicit_bzero(lent, sizeof lent);
}

void session_begin(int socket, const struct peer *peer)
{
    struct session *c = calloc(1, sizeof *c);
    if (!c) {
        close(peer->pidfd);
        close(socket);
        return;
    }
    c->peer = *peer;
    c->client.socket = socket;
    c->since = ticks_seconds();
    c->deadline = c->since + PATIENCE;
    c->on_socket = (struct watch){ on_message, c };
    c->on_pidfd = (struct watch){ on_death, c };
    c->next = service.sessions;
    c->back = &service.sessions;
    if (c->next)
        c->next->back = &c->next;
    service.sessions = c;
    service.num_sessions++;
    service.num_pending++;
    if (watch(socket, &c->on_socket, EPOLLIN) || watch(peer->pidfd, &c->on_pidfd, EPOLLIN))
        session_end(c);
}

static void end_the_silent(void)
{
    const uint64_t now = ticks_seconds();
    for (struct session *c = service.sessions, *next; c; c = next) {
        next = c->next;
        if (session_is_pending(c) && c->deadline < now)
            session_end(c);
    }
}

/* ---- faults ---- */

static int faults;

/* on_fault revokes the clients whose memory was lost. */
static void on_fault(struct watch *w)
{
    uint64_t num;
    if (read(faults, &num, sizeof num) != sizeof num)
        return;
    for (struct session *c = service.sessions, *next; c; c = next) {
        next = c->next;
        if (!c->attached ||
            !(fault_happened(c->client.fault) || (c->unit && fault_happened(c->unit->ring.fault))))
            continue;
        log_warning("client %u of user %u (process %d) is revoked: a page of its memory was lost",
                    c->client.number, c->peer.uid, (int)c->peer.pid);
        session_revoke(c);
    }
}

static struct watch on_faults = { on_fault, NULL };

/* ---- signals, and the loop ---- */

static int signals;

static void on_signal(struct watch *w)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo != SIGHUP)
        stop = true;
    else if (!reload_files())
        reload_clients(NULL);
}

void sessions_hold_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    /* blocks them in accelerators too, which inherit the mask */
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static struct watch on_signals = { on_signal, NULL };

int sessions_begin(int listener)
{
    service.listener = listener;
    service.started = ticks_seconds();
    faults = fault_begin();
    service.epoll = epoll_create1(EPOLL_CLOEXEC);
    log_watch();
    return service.epoll < 0 || signals < 0 || faults < 0 || accept_begin(listener) ||
                   watch(signals, &on_signals, EPOLLIN) || watch(faults, &on_faults, EPOLLIN)
               ? -1
               : 0;
}

void sessions_serve(void)
{
    while (!stop) {
        struct epoll_event event;
        const bool was_deaf = accept_is_deaf();
        const int wait = service.num_pending || was_deaf ? 1000 : -1;
        const int n = epoll_wait(service.epoll, &event, 1, wait);
        if (n > 0) {
            struct watch *w = event.data.ptr;
            w->ready(w);
        }
        if (service.num_pending)
            end_the_silent();
        if (was_deaf)
            accept_again();
    }
    while (service.sessions) /* twice for a client that does not hang up */
        session_revoke(service.sessions);
}
