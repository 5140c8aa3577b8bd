/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "harness.h"
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds, for calls that should take microseconds */

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- control ---- */

int raw_connect(const struct service *s)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%s", s->socket);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int raw_ask(int socket, const void *bytes, size_t len, struct control_reply *reply, int *fds,
            size_t num_fds)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(3 * sizeof(int))];
    } control = { .space = { 0 } };
    struct iovec part = { reply, sizeof *reply };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.space,
                              .msg_controllen = sizeof control.space };
    const struct timeval patience = { PATIENCE, 0 };
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (send(socket, bytes, len, MSG_NOSIGNAL) != (ssize_t)len ||
        recvmsg(socket, &message, MSG_CMSG_CLOEXEC) < (ssize_t)sizeof *reply ||
        reply->magic != CONTROL_MAGIC)
        return -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!reply->result && header && header->cmsg_len == CMSG_LEN(num_fds * sizeof *fds))
        memcpy(fds, CMSG_DATA(header), num_fds * sizeof *fds);
    else if (num_fds && !reply->result)
        return -1;
    return 0;
}

/* attach asks for a ring, and maps it. */
static int attach(struct raw *c, int socket, uint32_t type)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = type };
    struct control_reply reply;
    int fds[3];
    const int hung_up = raw_ask(socket, &request, sizeof request, &reply, fds, 3);
    if (hung_up || reply.result)
        return hung_up ? -1 : reply.result;
    c->geometry = reply.geometry;
    c->fds[0] = fds[0];
    c->fds[1] = fds[1];
    c->doorbell = fds[2];
    c->requests =
        mmap(NULL, ring_requests_len(&c->geometry), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
    c->completions =
        mmap(NULL, ring_completions_len(&c->geometry), PROT_READ, MAP_SHARED, fds[1], 0);
    if (c->requests == MAP_FAILED || c->completions == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return 0;
}

int raw_attach(struct raw *c, const struct service *s)
{
    memset(c, 0, sizeof *c);
    c->socket = raw_connect(s);
    if (c->socket < 0)
        return -1;
    const int error = attach(c, c->socket, CONTROL_ATTACH);
    if (error)
        close(c->socket);
    return error;
}

int raw_attach_unit(struct raw *unit, const struct raw *c)
{
    memset(unit, 0, sizeof *unit);
    unit->socket = dup(c->socket);
    const int error = attach(unit, c->socket, CONTROL_UNIT);
    if (error)
        close(unit->socket);
    return error;
}

int raw_lend(const struct raw *c, uint64_t *handle, hr_alg alg, const struct hr_number *parts,
             size_t num)
{
    struct {
        struct control_request head;
        uint8_t bytes[CONTROL_LENT];
    } message = { .head = {
                      .magic = CONTROL_MAGIC, .type = CONTROL_KEY_LEND, .alg = (uint16_t)alg } };
    struct control_reply reply;
    size_t at = 0;
    for (size_t i = 0; i < num && at + 2 + parts[i].len <= CONTROL_LENT; i++) {
        message.bytes[at++] = (uint8_t)parts[i].len;
        message.bytes[at++] = (uint8_t)(parts[i].len >> 8);
        if (parts[i].len)
            memcpy(message.bytes + at, parts[i].bytes, parts[i].len);
        at += parts[i].len;
    }
    message.head.key_len = (uint16_t)at;
    if (raw_ask(c->socket, &message, sizeof message.head + at, &reply, NULL, 0))
        return -1;
    *handle = reply.handle;
    return reply.result;
}

void raw_detach(struct raw *c)
{
    munmap(c->requests, ring_requests_len(&c->geometry));
    munmap(c->completions, ring_completions_len(&c->geometry));
    close(c->fds[0]);
    close(c->fds[1]);
    close(c->doorbell);
    close(c->socket);
}

/* ---- the ring ---- */

struct ring_request *raw_slot(struct raw *c, uint32_t ring, uint32_t n)
{
    return &ring_requests(c->requests, ring)[n % RING_DEPTH];
}

uint8_t *raw_window(struct raw *c, uint32_t ring)
{
    return ring_window(c->requests, &c->geometry, ring);
}

void raw_ring(struct raw *c)
{
    const uint64_t one = 1;
    if (write(c->doorbell, &one, sizeof one) < 0)
        return; /* full: the doorbell was rung already */
}

void raw_put(struct raw *c, uint32_t ring, const struct ring_request *r)
{
    struct ring_client_words *ours = c->requests;
    struct ring_service_words *theirs = (void *)c->completions;
    struct ring_request *slot = raw_slot(c, ring, c->next[ring]);
    atomic_fetch_or(&ours->claimed, UINT64_C(1) << ring);
    memcpy(slot, r, offsetof(struct ring_request, seq));
    memcpy(&slot->u, &r->u, sizeof slot->u);
    ring_publish(&slot->seq, ++c->next[ring]);
    ring_fence(); /* orders the request before the read of `asleep` */
    if (atomic_load(&theirs->asleep))
        raw_ring(c);
}

static void judge(const struct ring_completion *done)
{
    if (done->len > RING_INLINE ||
        !is_zero(done->bytes + (done->len <= RING_INLINE ? done->len : 0),
                 done->len <= RING_INLINE ? RING_INLINE - done->len : 0))
        complain("a completion has %u bytes, and others that are not zero", done->len);
    if (done->result && (done->len || !is_zero(done->bytes, RING_INLINE)))
        complain("a completion of result %d has bytes", done->result);
}

int raw_take(struct raw *c, uint32_t ring, struct ring_completion *out)
{
    const struct ring_completion *all = ring_completions(c->completions, ring);
    struct ring_completion *slot = (void *)&all[c->completed[ring] % RING_DEPTH];
    const time_t start = now();
    for (unsigned tries = 0; ring_look(&slot->seq) != c->completed[ring] + 1; tries++) {
        if (tries > 200)
            usleep(50);
        else
            sched_yield();
        if (tries % 1024 == 1023 && now() - start > PATIENCE)
            return -1;
    }
    memcpy(out, slot, sizeof *out);
    c->completed[ring]++;
    judge(out);
    return 0;
}

int raw_run(struct raw *c, uint32_t ring, const struct ring_request *r, struct ring_completion *out)
{
    raw_put(c, ring, r);
    return raw_take(c, ring, out) ? HR_EGONE : out->result;
}

struct ring_request far_request(hr_alg alg, int op, uint32_t in, uint32_t len, uint32_t out,
                                uint32_t key, uint8_t key_len)
{
    return (struct ring_request){ .alg = (uint16_t)alg,
                                  .op = (uint8_t)op,
                                  .flags = RING_FAR,
                                  .key_len = key_len,
                                  .len = len,
                                  .u.far = { .in = in, .out = out, .key = key } };
}

struct ring_request pk_request(hr_alg alg, int op, uint64_t handle, uint32_t in, uint32_t len,
                               uint32_t out, const struct ring_options *options)
{
    struct ring_request r = { .alg = (uint16_t)alg,
                              .op = (uint8_t)op,
                              .flags = RING_FAR | RING_HANDLE,
                              .iv_len = sizeof *options,
                              .len = len,
                              .u.far = { .in = in, .out = out, .handle = handle } };
    memcpy(r.u.far.iv, options, sizeof *options);
    return r;
}
