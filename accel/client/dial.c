/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the service and maps the ring.  Everything that the service sends is checked before
 * it is used. */
#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NUM_FDS = 3 };

/* ---- connecting ---- */

int dial_begin(struct descriptor *out, const char *path)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_ATTACH };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return HR_EINVAL;
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return HR_ESYSTEM;
    if (!connect(fd, (struct sockaddr *)&address, sizeof address) &&
        send(fd, &request, sizeof request, MSG_NOSIGNAL) == sizeof request &&
        !descriptor_note(out, fd))
        return 0;
    close(fd);
    return HR_EGONE;
}

/* ---- one message ---- */

static int wait_readable(int fd, int wait_ms)
{
    struct pollfd p = { fd, POLLIN, 0 };
    int n;
    do
        n = poll(&p, 1, wait_ms);
    while (n < 0 && errno == EINTR);
    return n > 0 ? 0 : n ? HR_ESYSTEM : HR_EPENDING;
}

/* take_fds stores the descriptors of a message and returns their number.  It closes those beyond
 * NUM_FDS. */
static size_t take_fds(int fds[NUM_FDS], struct msghdr *message)
{
    size_t num = 0;
    for (struct cmsghdr *h = CMSG_FIRSTHDR(message); h; h = CMSG_NXTHDR(message, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
            if (num < NUM_FDS)
                fds[num++] = fd;
            else
                close(fd);
        }
    }
    return num;
}

/* receive reads a reply, its descriptors, and the reply->more bytes after it. */
static int receive(int socket, struct control_reply *reply, void *more, size_t max,
                   int fds[NUM_FDS], size_t *num_fds, int wait_ms)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(NUM_FDS * sizeof(int))];
    } control;
    struct iovec parts[2] = { { reply, sizeof *reply }, { more, max } };
    struct msghdr message = { .msg_iov = parts,
                              .msg_iovlen = max ? 2 : 1,
                              .msg_control = control.space,
                              .msg_controllen = sizeof control.space };
    *num_fds = 0;
    int error = wait_readable(socket, wait_ms);
    if (error)
        return error;
    const ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? HR_EPENDING : HR_EGONE;
    *num_fds = take_fds(fds, &message);
    if (n < (ssize_t)sizeof *reply || reply->magic != CONTROL_MAGIC ||
        (size_t)n != sizeof *reply + reply->more || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
        return HR_EGONE;
    return 0;
}

static void close_all(const int *fds, size_t num)
{
    for (size_t i = 0; i < num; i++)
        close(fds[i]);
}

int dial_answer(int socket, struct control_reply *reply, void *more, size_t max, int wait_ms)
{
    int fds[NUM_FDS];
    size_t num_fds;
    const int error = receive(socket, reply, more, max, fds, &num_fds, wait_ms);
    close_all(fds, num_fds);
    return error;
}

/* ---- the maps ---- */

static int is_geometry(const struct ring_geometry *g)
{
    return g->num_rings && g->num_rings <= RING_MAX_RINGS && g->window_len &&
           g->window_len % 4096 == 0 && g->window_len <= UINT32_C(1) << 30;
}

/* map maps a memfd that has len bytes and cannot shrink, so that no access will fault.  It returns
 * NULL for any other file. */
static void *map(int fd, size_t len, int prot)
{
    struct stat status;
    const int seals = fcntl(fd, F_GET_SEALS);
    if (fstat(fd, &status) || status.st_size < (off_t)len || seals < 0 || !(seals & F_SEAL_SHRINK))
        return NULL;
    void *at = mmap(NULL, len, prot, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (madvise(at, len, MADV_DONTFORK)) {
        munmap(at, len);
        return NULL;
    }
    (void)madvise(at, len, MADV_DONTDUMP);
    return at;
}

static int take_maps(struct connection *c, const struct control_reply *reply, const int *fds)
{
    c->geometry = reply->geometry;
    c->spread = reply->spread;
    if (!is_geometry(&c->geometry) || c->spread > RING_MAX_SPREAD)
        return HR_EGONE;
    c->requests = map(fds[0], ring_requests_len(&c->geometry), PROT_READ | PROT_WRITE);
    c->completions = map(fds[1], ring_completions_len(&c->geometry), PROT_READ);
    if (c->requests && c->completions)
        return 0;
    dial_unmap(c);
    return HR_ESYSTEM;
}

void dial_unmap(struct connection *c)
{
    if (c->requests)
        munmap(c->requests, ring_requests_len(&c->geometry));
    if (c->completions)
        munmap((void *)c->completions, ring_completions_len(&c->geometry));
    c->requests = NULL;
    c->completions = NULL;
}

/* take_doorbell accepts only a descriptor without a file type, as an eventfd is.  A write to a pipe
 * or socket could end the process by a signal, and a write to a file would change it.  O_NONBLOCK
 * keeps a full counter from blocking the thread. */
static int take_doorbell(struct connection *c, int fd)
{
    struct stat s;
    if (fstat(fd, &s) || s.st_mode & S_IFMT)
        return HR_EGONE;
    return fcntl(fd, F_SETFL, O_NONBLOCK) ? HR_ESYSTEM : descriptor_note(&c->doorbell, fd);
}

/* finish waits for the answer to a request for a ring. */
static int finish(struct connection *c, int socket, uint32_t type, int wait_ms)
{
    struct control_reply reply;
    int fds[NUM_FDS];
    size_t num_fds;
    int error = receive(socket, &reply, NULL, 0, fds, &num_fds, wait_ms);
    if (!error && (reply.result || num_fds != NUM_FDS || reply.type != type))
        error =
            reply.result && reply.type == type && is_result(reply.result) ? reply.result : HR_EGONE;
    if (!error)
        error = take_doorbell(c, fds[2]);
    if (!error)
        error = take_maps(c, &reply, fds);
    if (error) {
        close_all(fds, num_fds);
        return error;
    }
    close(fds[0]);
    close(fds[1]);
    return 0;
}

int dial_finish(struct connection *c, const struct descriptor *socket, int wait_ms)
{
    const int error = finish(c, socket->fd, CONTROL_ATTACH, wait_ms);
    if (!error)
        c->socket = *socket;
    return error;
}

int dial_unit(struct connection *unit, const struct connection *c, int wait_ms)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_UNIT };
    if (!descriptor_is_ours(&c->socket) ||
        send(c->socket.fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
        return HR_EGONE;
    const int error = finish(unit, c->socket.fd, CONTROL_UNIT, wait_ms);
    if (!error)
        unit->socket = c->socket;
    return error;
}
