/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "headraced.h"
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD /* Linux 6.5 */
#define SO_PEERPIDFD 77
#endif

/* Without SO_PEERPIDFD the number may be another process's by now: only if the one that connected
 * ended, and then its end of the socket was closed, or is a child's.  So both are looked at after
 * the descriptor was got. */
static int pidfd_by_number(pid_t pid, int socket)
{
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return -1;
    struct pollfd both[] = { { fd, POLLIN, 0 }, { socket, POLLRDHUP, 0 } };
    struct ucred again;
    socklen_t len = sizeof again;
    if (!poll(both, 2, 0) && !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &again, &len) &&
        again.pid == pid)
        return fd;
    close(fd);
    return -1;
}

static int ask_pidfd(pid_t pid, int socket)
{
    int fd;
    socklen_t len = sizeof fd;
    if (!getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &len))
        return fd;
    return errno == ENOPROTOOPT ? pidfd_by_number(pid, socket) : -1;
}

int peer_ask(struct peer *p, int socket)
{
    struct ucred credentials;
    socklen_t len = sizeof credentials, groups_len = sizeof p->gids - sizeof *p->gids;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &len) ||
        getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, p->gids + 1, &groups_len))
        return -1;
    p->pid = credentials.pid;
    p->uid = credentials.uid;
    p->gids[0] = credentials.gid;
    p->num_gids = 1 + (unsigned)(groups_len / sizeof *p->gids);
    p->pidfd = ask_pidfd(p->pid, socket);
    return p->pidfd < 0 ? -1 : 0;
}
