/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "headraced.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_GROUPS = 65536 }; /* NGROUPS_MAX of Linux */

#ifndef SO_PEERPIDFD /* Linux 6.5 */
#define SO_PEERPIDFD 77
#endif

/* In a user namespace, the kernel gives one number for all users that the namespace does not know,
 * and one for all such groups.  Programs of these may be anybody. */
static struct {
    bool some; /* of users or groups are unknown */
    uint32_t user, group;
} unknown;

/* read_text reads the beginning of a file of /proc; "" if it cannot be read. */
static void read_text(char *out, size_t room, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd < 0 ? 0 : read(fd, out, room - 1);
    out[len > 0 ? len : 0] = 0;
    if (fd >= 0)
        close(fd);
}

/* has_all tells whether a namespace knows all users, or all groups: it maps them to themselves. */
static bool has_all(const char *map)
{
    char text[128];
    unsigned long inside, outside, num;
    read_text(text, sizeof text, map);
    return !text[0] /* a kernel without namespaces */ ||
           (sscanf(text, "%lu %lu %lu", &inside, &outside, &num) == 3 && !inside && !outside &&
            num >= UINT32_MAX);
}

static uint32_t number_of_unknown(const char *path)
{
    enum { USUAL = 65534 };
    char text[32];
    read_text(text, sizeof text, path);
    return text[0] ? (uint32_t)strtoul(text, NULL, 10) : USUAL;
}

void peer_begin(void)
{
    unknown.some = !has_all("/proc/self/uid_map") || !has_all("/proc/self/gid_map");
    unknown.user = number_of_unknown("/proc/sys/kernel/overflowuid");
    unknown.group = number_of_unknown("/proc/sys/kernel/overflowgid");
    if (unknown.some)
        log_info("this user namespace does not know all users; those whom it does not know are "
                 "refused");
}

static bool is_unknown(const struct peer *p)
{
    return unknown.some && p->uid == unknown.user;
}

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
    return !is_unknown(p) && (!p->uid || p->uid == geteuid());
}

/* forget_unknown takes groups out of a list that may be any, and returns how many are left. */
static size_t forget_unknown(uint32_t *groups, size_t num)
{
    size_t left = 0;
    for (size_t i = 0; i < num; i++)
        if (!unknown.some || groups[i] != unknown.group)
            groups[left++] = groups[i];
    return left;
}

/* groups_of finds the groups that the process had when it connected, its own first.  The list is
 * valid until the next call: a process may have so many that each connection does not keep a list
 * of its own.  The kernel does not change it, so that the answer is always the same.  Returns false
 * if nobody knows who the process is, or the kernel has no answer. */
static bool groups_of(const struct peer *p, const uint32_t **gids, size_t *num)
{
    static uint32_t groups[1 + MOST_GROUPS];
    socklen_t len = MOST_GROUPS * sizeof *groups;
    if (is_unknown(p) || getsockopt(p->socket, SOL_SOCKET, SO_PEERGROUPS, groups + 1, &len))
        return false;
    groups[0] = p->gid;
    *gids = groups;
    *num = forget_unknown(groups, 1 + len / sizeof *groups);
    return true;
}

const struct policy_rule *peer_rule(const struct peer *p)
{
    const uint32_t *gids;
    size_t num;
    return groups_of(p, &gids, &num) ? policy_find(&service.policy, p->uid, gids, num) : NULL;
}

bool peer_is_one_of(const struct peer *p, const struct who *who)
{
    const uint32_t *gids;
    size_t num;
    return groups_of(p, &gids, &num) && lines_who_has(who, p->uid, gids, num);
}

bool peer_is_admin(const struct peer *p)
{
    const struct policy_rule *rule = peer_rule(p);
    return peer_is_trusted(p) || (rule && rule->admin);
}
