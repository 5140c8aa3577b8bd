/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "headraced.h"
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_GROUPS = 65536 }; /* NGROUPS_MAX of Linux */

#ifndef SO_PEERPIDFD /* Linux 6.5 */
#define SO_PEERPIDFD 77
#endif

/* pidfd_by_number opens a pidfd without SO_PEERPIDFD.  The number may belong to another process by
 * now, but only if the one that connected has ended; then its end of the socket is closed, or a
 * child has it.  So pidfd and socket are both checked after the pidfd was opened. */
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
    socklen_t len = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &len))
        return -1;
    *p = (struct peer){
        .pid = credentials.pid,
        .uid = credentials.uid,
        .gid = credentials.gid,
        .user = owners_find(&service.owners, credentials.uid),
        .socket = socket,
    };
    p->pidfd = ask_pidfd(p->pid, socket);
    return p->pidfd < 0 ? -1 : 0;
}

bool peer_is_trusted(const struct peer *p)
{
    return !p->uid || p->uid == geteuid();
}

/* groups_of finds the groups that the process had when it connected, its own first, and returns
 * their number.  The list is valid until the next call: a process may have so many that each
 * connection does not keep a list of its own.  The kernel does not change it, so that the answer is
 * always the same.  Returns 0 if the kernel has no answer. */
static size_t groups_of(const struct peer *p, const uint32_t **gids)
{
    static uint32_t groups[1 + MOST_GROUPS];
    socklen_t len = MOST_GROUPS * sizeof *groups;
    if (getsockopt(p->socket, SOL_SOCKET, SO_PEERGROUPS, groups + 1, &len))
        return 0;
    groups[0] = p->gid;
    *gids = groups;
    return 1 + len / sizeof *groups;
}

const struct policy_rule *peer_rule(const struct peer *p)
{
    const uint32_t *gids;
    const size_t num = groups_of(p, &gids);
    return num ? policy_find(&service.policy, p->uid, gids, num) : NULL;
}

bool peer_is_one_of(const struct peer *p, const struct who *who)
{
    const uint32_t *gids;
    const size_t num = groups_of(p, &gids);
    return num && lines_who_has(who, p->uid, gids, num);
}
