/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on the shared memories: neither can be cut, grown or unsealed, and only the service can
 * write completions, whichever way a client tries. */
#define _GNU_SOURCE
#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

static void sealed(const char *name, int fd, size_t len, int completions)
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const int seals = fcntl(fd, F_GET_SEALS);
    if ((seals & all) != all || (completions && !(seals & F_SEAL_FUTURE_WRITE)))
        complain("%s: seals %#x", name, seals);
    for (int seal = F_SEAL_SEAL; seal <= F_SEAL_FUTURE_WRITE; seal <<= 1)
        if (!fcntl(fd, F_ADD_SEALS, seal))
            complain("%s: seal %#x can be added", name, seal);
    if (!ftruncate(fd, 0) || !ftruncate(fd, (off_t)len - 4096) || !ftruncate(fd, (off_t)len + 4096))
        complain("%s: can be truncated or grown", name);
    if (!fallocate(fd, 0, (off_t)len, 4096))
        complain("%s: fallocate makes it grow", name);
}

static void unwritable(int fd, void *map, size_t len, const char *how)
{
    static const int protections[] = { PROT_WRITE, PROT_READ | PROT_WRITE };
    for (size_t i = 0; i < COUNT_OF(protections); i++)
        if (mmap(NULL, len, protections[i], MAP_SHARED, fd, 0) != MAP_FAILED)
            complain("completions: mapped writable by %s", how);
    if (map && !mprotect(map, 4096, PROT_READ | PROT_WRITE))
        complain("completions: made writable by mprotect");
    if (pwrite(fd, "x", 1, 0) >= 0)
        complain("completions: written by write, by %s", how);
    if (!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096))
        complain("completions: a hole punched by %s", how);
    if (map && !madvise(map, 4096, MADV_REMOVE))
        complain("completions: removed by madvise");
}

static void reopened(const struct raw *c)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", c->fds[1]);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    unwritable(fd, NULL, ring_completions_len(&c->geometry), "opening it again");
    close(fd);
}

/* holes punches holes into the client's own memory, which read as zeros, while the service works on
 * it. */
static void holes(struct raw *c)
{
    struct ring_completion done;
    const size_t len = ring_requests_len(&c->geometry);
    for (int i = 0; i < 50; i++) {
        const struct ring_request r = far_request(HR_SHA512, 0, 0, 8192, 16384, 0, 0);
        for (int n = 0; n < 8; n++)
            raw_put(c, 0, &r);
        if (fallocate(c->fds[0], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)len))
            break;
        while (c->completed[0] != c->next[0]) {
            /* writes again the requests that the hole removed */
            const uint32_t first = c->completed[0];
            struct ring_client_words *words = c->requests;
            atomic_store(&words->claimed, 1);
            for (uint32_t n = first; n != c->next[0]; n++) {
                struct ring_request *slot = raw_slot(c, 0, n);
                memcpy(slot, &r, offsetof(struct ring_request, seq));
                memcpy(&slot->u, &r.u, sizeof slot->u);
                ring_publish(&slot->seq, n + 1);
            }
            raw_ring(c);
            if (raw_take(c, 0, &done)) {
                complain("no answer after a hole");
                return;
            }
        }
    }
}

void hostile_memory(void)
{
    struct raw c;
    if (raw_attach(&c, &service)) {
        tap(0, "a client attaches");
        return;
    }
    sealed("requests", c.fds[0], ring_requests_len(&c.geometry), 0);
    sealed("completions", c.fds[1], ring_completions_len(&c.geometry), 1);
    unharmed("no memory can be cut, grown or unsealed");
    unwritable(c.fds[1], c.completions, ring_completions_len(&c.geometry), "its descriptor");
    reopened(&c);
    unharmed("completions cannot be written");
    holes(&c);
    unharmed("holes in the requests");
    fcntl(c.doorbell, F_SETFL, 0); /* the doorbell blocks now, on both sides */
    raw_ring(&c);
    unharmed("a doorbell that blocks");
    raw_detach(&c);
}
