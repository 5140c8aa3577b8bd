/* SPDX-License-Identifier: Apache-2.0 */
/* The control thread's loop.  One event at a time, so that nothing that an earlier one freed is
 * touched, and everyone has a turn: epoll puts who was served last at the end. */
#define _GNU_SOURCE
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
#include <time.h>
#include <unistd.h>

/* Pending: connected, and not attached. */
enum { MAX_PENDING = 64, MAX_PENDING_OF_USER = 16, PATIENCE = 5 };

struct service service;
static bool stop;

uint64_t seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec;
}

static int watch(int fd, struct watch *w, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = w };
    return epoll_ctl(service.epoll, EPOLL_CTL_ADD, fd, &event);
}

/* ---- leaving ---- */

/* The client's threads that sleep look at the state when they wake: accelerator_remove set it. */
static void wake_all(struct client *client)
{
    struct ring_service_words *words = client->completions;
    for (uint32_t i = 0; i < client->geometry.num_rings; i++) {
        atomic_fetch_add(&words->ring[i].wake, 1);
        syscall(SYS_futex, &words->ring[i].wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* The process has ended, or closed its end. */
static bool has_gone(const struct connection *c)
{
    struct pollfd both[] = { { c->peer.pidfd, POLLIN, 0 }, { c->client.socket, POLLRDHUP, 0 } };
    return poll(both, 2, 0) > 0;
}

static void detach(struct connection *c)
{
    accelerator_remove(service.accelerators[c->accelerator], &c->client);
    service.clients[c->accelerator]--;
    if (has_gone(c))
        client_wipe(&c->client);
    else
        wake_all(&c->client);
    client_free(&c->client);
}

void connection_end(struct connection *c)
{
    if (c->attached) {
        log_verbose("client %u of user %u (process %d) has gone", c->client.number, c->peer.uid,
                    (int)c->peer.pid);
        detach(c);
    } else {
        service.num_pending--;
    }
    service.num_connections--;
    close(c->peer.pidfd);
    close(c->client.socket);
    if (c->next)
        c->next->back = c->back;
    *c->back = c->next;
    free(c);
}

void connection_revoke(struct connection *c)
{
    service.revoked += c->attached;
    connection_end(c);
}

/* ---- attaching ---- */

static unsigned clients_of(uint32_t uid)
{
    unsigned n = 0;
    for (const struct connection *c = service.connections; c; c = c->next)
        n += c->attached && c->peer.uid == uid;
    return n;
}

/* For people, who revoke by it: no other client of today has it, and 0 means all. */
static uint32_t new_number(void)
{
    const struct connection *c = NULL;
    do {
        service.last_number = service.last_number < UINT32_MAX - 1 ? service.last_number + 1 : 1;
        for (c = service.connections; c && c->client.number != service.last_number;)
            c = c->next;
    } while (c);
    return service.last_number;
}

static unsigned least_loaded(void)
{
    unsigned best = 0;
    for (unsigned i = 1; i < service.options->num_accelerators; i++)
        if (service.clients[i] < service.clients[best])
            best = i;
    return best;
}

int connection_attach(struct connection *c, const struct policy_rule *rule, int fds[3])
{
    const unsigned accelerator = least_loaded();
    if (clients_of(c->peer.uid) >= rule->clients)
        return HR_EBUFFER;
    policy_apply(rule, &c->client.limits);
    c->client.limits.private_lanes = rule->private_lanes;
    c->client.number = new_number();
    int error = client_make(&c->client, &rule->geometry, fds);
    if (error)
        return error;
    error = accelerator_add(service.accelerators[accelerator], &c->client);
    if (error) {
        client_free(&c->client);
        close(fds[0]);
        close(fds[1]);
        return error;
    }
    memcpy(c->rule, rule->name, sizeof c->rule);
    c->attached = true;
    c->accelerator = accelerator;
    service.clients[accelerator]++;
    service.num_pending--;
    service.attached++;
    log_verbose("client %u: user %u, process %d, by [client %s]", c->client.number, c->peer.uid,
                (int)c->peer.pid, rule->name);
    return 0;
}

/* ---- connecting ---- */

/* Root and this service's own user, whom nobody keeps out. */
static bool is_trusted(const struct peer *peer)
{
    return !peer->uid || peer->uid == geteuid();
}

/* Descriptors that come with a message are never received: there is no room for them, and the
 * kernel closes them. */
static void on_message(struct watch *w)
{
    struct connection *c = w->connection;
    struct control_request request;
    struct iovec part = { &request, sizeof request };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    const ssize_t n = recvmsg(c->client.socket, &message, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (is_trusted(&c->peer)) /* the others have their time, whatever they say in it */
        c->deadline = seconds_now() + PATIENCE;
    request.name[sizeof request.name - 1] = '\0';
    if (n != sizeof request || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
        request.magic != CONTROL_MAGIC || message_answer(c, &request))
        connection_end(c);
    explicit_bzero(&request, sizeof request);
}

static void on_death(struct watch *w)
{
    connection_end(w->connection);
}

/* Whether one more may wait for its first message to be answered.  Who has waited longest makes
 * room, of a user with many that user's own: who asks as soon as it is connected is answered long
 * before its turn to go. */
static bool has_room(const struct peer *peer)
{
    struct connection *oldest = NULL, *own = NULL;
    unsigned num = 0, of_user = 0;
    if (service.num_connections >= service.max_connections)
        return false;
    for (struct connection *c = service.connections; c; c = c->next) { /* the newest first */
        if (c->attached || is_trusted(&c->peer))
            continue;
        oldest = c;
        num++;
        if (c->peer.uid == peer->uid) {
            own = c;
            of_user++;
        }
    }
    if (is_trusted(peer) || (num < MAX_PENDING && of_user < MAX_PENDING_OF_USER))
        return true;
    service.refused++;
    connection_end(of_user < MAX_PENDING_OF_USER ? oldest : own);
    return true;
}

static void welcome(int socket, const struct peer *peer)
{
    struct connection *c = calloc(1, sizeof *c);
    if (!c) {
        close(peer->pidfd);
        close(socket);
        return;
    }
    c->peer = *peer;
    c->client.socket = socket;
    c->since = seconds_now();
    c->deadline = c->since + PATIENCE;
    c->on_socket = (struct watch){ on_message, c };
    c->on_pidfd = (struct watch){ on_death, c };
    c->next = service.connections;
    c->back = &service.connections;
    if (c->next)
        c->next->back = &c->next;
    service.connections = c;
    service.num_connections++;
    service.num_pending++;
    if (watch(socket, &c->on_socket, EPOLLIN) || watch(peer->pidfd, &c->on_pidfd, EPOLLIN))
        connection_end(c);
}

/* Who connects waits: the system has no descriptor to give, and would say so again and again. */
static bool deaf;

static void listen_again(struct watch *w, bool again)
{
    struct epoll_event event = { .events = again ? EPOLLIN : 0, .data.ptr = w };
    if (!epoll_ctl(service.epoll, EPOLL_CTL_MOD, service.listener, &event))
        deaf = !again;
}

static void on_connect(struct watch *w)
{
    struct peer peer;
    const int fd = accept4(service.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
        listen_again(w, false);
    if (fd < 0)
        return;
    if (peer_ask(&peer, fd)) {
        close(fd);
    } else if (!has_room(&peer)) {
        service.refused++;
        close(peer.pidfd);
        close(fd);
    } else {
        welcome(fd, &peer);
    }
}

static void end_the_silent(void)
{
    const uint64_t now = seconds_now();
    for (struct connection *c = service.connections, *next; c; c = next) {
        next = c->next;
        if (!c->attached && c->deadline < now)
            connection_end(c);
    }
}

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

void connections_hold_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    /* Blocked in accelerators too, which inherit the mask. */
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static struct watch on_listener = { on_connect, NULL }, on_signals = { on_signal, NULL };

int connections_begin(int listener)
{
    service.listener = listener;
    service.started = seconds_now();
    service.epoll = epoll_create1(EPOLL_CLOEXEC);
    return service.epoll < 0 || signals < 0 || watch(listener, &on_listener, EPOLLIN) ||
                   watch(signals, &on_signals, EPOLLIN)
               ? -1
               : 0;
}

void connections_serve(void)
{
    while (!stop) {
        struct epoll_event event;
        const bool was_deaf = deaf;
        const int wait = service.num_pending || was_deaf ? 1000 : -1;
        const int n = epoll_wait(service.epoll, &event, 1, wait);
        if (n > 0) {
            struct watch *w = event.data.ptr;
            w->ready(w);
        }
        if (service.num_pending)
            end_the_silent();
        if (was_deaf)
            listen_again(&on_listener, true);
    }
    while (service.connections)
        connection_revoke(service.connections);
}
