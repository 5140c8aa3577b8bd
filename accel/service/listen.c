/* SPDX-License-Identifier: Apache-2.0 */
/* The socket to which clients connect.  The service does not remove it when it ends: a service that
 * was killed could not, so each start removes the one that is left over. */
#define _GNU_SOURCE
#include "headraced.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { ACTIVATED = 3, BACKLOG = 128 };

static int option(int fd, int name)
{
    int value = -1;
    socklen_t len = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

/* activated returns the descriptor of socket activation (sd_listen_fds(3)), -2 if there is none, or
 * -1 after a message. */
static int activated(void)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    if (!pid || !fds || strtol(pid, NULL, 10) != getpid())
        return -2;
    if (strcmp(fds, "1") || option(ACTIVATED, SO_DOMAIN) != AF_UNIX ||
        option(ACTIVATED, SO_TYPE) != SOCK_SEQPACKET || option(ACTIVATED, SO_ACCEPTCONN) != 1) {
        log_error("systemd must pass exactly one listening socket of type SOCK_SEQPACKET");
        return -1;
    }
    return ACTIVATED;
}

static int address_of(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

/* is_left_over recognises the socket of a service that has ended: no process listens at it.  At a
 * file of another kind no process listens either, but such a file is not removed. */
static bool is_left_over(const struct sockaddr_un *address)
{
    struct stat s;
    if (lstat(address->sun_path, &s) || !S_ISSOCK(s.st_mode))
        return false;
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool answered = !connect(fd, (const struct sockaddr *)address, sizeof *address);
    const int error = errno;
    close(fd);
    return !answered && error == ECONNREFUSED;
}

static int bind_at(int fd, const struct sockaddr_un *address)
{
    if (!bind(fd, (const struct sockaddr *)address, sizeof *address))
        return 0;
    if (errno != EADDRINUSE)
        return -1;
    if (!is_left_over(address)) {
        errno = EADDRINUSE;
        return -1;
    }
    return unlink(address->sun_path) || bind(fd, (const struct sockaddr *)address, sizeof *address)
               ? -1
               : 0;
}

int listen_open(const char *path)
{
    struct sockaddr_un address;
    int fd = activated();
    if (fd != -2)
        return fd;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    /* Every user may connect; the policy says who may attach. */
    if (fd < 0 || address_of(&address, path) || bind_at(fd, &address) || chmod(path, 0666) ||
        listen(fd, BACKLOG)) {
        log_error("%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

void listen_notify(const char *state)
{
    static int fd = -1;
    const char *path = getenv("NOTIFY_SOCKET");
    if (!path)
        return;
    if (fd < 0) {
        struct sockaddr_un address;
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (address_of(&address, path))
            return;
        const socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
        if (address.sun_path[0] == '@')
            address.sun_path[0] = '\0';
        if (connect(fd, (struct sockaddr *)&address, len))
            return;
    }
    if (send(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_verbose("cannot notify systemd: %s", strerror(errno));
}
