/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts the connections of new clients, and limits how many of them wait until they attach. */
#define _GNU_SOURCE
#include "headraced.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A session is pending while it is connected and not attached. */
enum { MAX_PENDING = 64, MAX_PENDING_OF_USER = 16 };

/* has_room tells whether one more session may wait until it is attached: always, if there are fewer
 * than max_sessions, of which some are kept for root and the service's own user.  It may end the
 * oldest pending session to make room: the user's own if the user has many, else the oldest of all.
 * A client that asks as soon as it is connected is answered long before that. */
static bool has_room(const struct peer *peer)
{
    struct session *oldest = NULL, *own = NULL;
    unsigned num = 0, of_user = 0;
    const unsigned kept = peer_is_trusted(peer) ? 0 : service.max_sessions / 16;
    if (service.num_sessions >= service.max_sessions - kept)
        return false;
    for (struct session *c = service.sessions; c; c = c->next) { /* the newest first */
        if (!session_is_pending(c) || peer_is_trusted(&c->peer))
            continue;
        oldest = c;
        num++;
        if (c->peer.user == peer->user) {
            own = c;
            of_user++;
        }
    }
    if (peer_is_trusted(peer) || (num < MAX_PENDING && of_user < MAX_PENDING_OF_USER))
        return true;
    service.refused++;
    session_end(of_user < MAX_PENDING_OF_USER ? oldest : own);
    return true;
}

/* deaf: no connections are accepted for now, because the system has no descriptor or memory for
 * one. Otherwise epoll would report the waiting connection again and again. */
static bool deaf;

static void hear(struct watch *w, bool again)
{
    struct epoll_event event = { .events = again ? EPOLLIN : 0, .data.ptr = w };
    if (!epoll_ctl(service.epoll, EPOLL_CTL_MOD, service.listener, &event))
        deaf = !again;
}

/* on_connect accepts a connection: a new client. */
static void on_connect(struct watch *w)
{
    struct peer peer;
    const int fd = accept4(service.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
        hear(w, false);
    if (fd < 0)
        return;
    if (peer_ask(&peer, fd)) {
        close(fd);
    } else if (!has_room(&peer)) {
        service.refused++;
        close(peer.pidfd);
        close(fd);
    } else {
        session_begin(fd, &peer);
    }
}

static struct watch on_listener = { on_connect, NULL };

int accept_begin(int listener)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = &on_listener };
    return epoll_ctl(service.epoll, EPOLL_CTL_ADD, listener, &event);
}

bool accept_is_deaf(void)
{
    return deaf;
}

void accept_again(void)
{
    hear(&on_listener, true);
}
