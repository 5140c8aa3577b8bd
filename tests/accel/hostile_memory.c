/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on the shared memories: neither can be cut, grown or unsealed, only the service can write
 * completions, whichever way a client of another user tries, and nothing stays in the memories of a
 * client that has gone. */
#define _GNU_SOURCE
#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void sealed(const char *name, int fd, size_t len)
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const int seals = fcntl(fd, F_GET_SEALS);
    if ((seals & all) != all)
        complain("%s: seals %#x", name, seals);
    for (int seal = F_SEAL_SEAL; seal <= F_SEAL_WRITE; seal <<= 1)
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

/* reopened tries to open the completions again for writing, which root and the service's own user
 * could do.  Root tries it as another user. */
static void reopened(const struct raw *c)
{
    enum { NOBODY = 65534 };
    char path[64];
    int status;
    if (geteuid())
        return;
    const pid_t child = fork();
    if (!child) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", c->fds[1]);
        _exit(setgid(NOBODY) || setuid(NOBODY) || open(path, O_RDWR) >= 0 ||
              open(path, O_WRONLY) >= 0 || !fchmod(c->fds[1], 0666));
    }
    if (waitpid(child, &status, 0) != child || status)
        complain("completions: another user could open them for writing");
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

/* expelled makes the service hang up, and checks that the client can still read its results. */
static void expelled(const struct raw *c)
{
    struct stat s;
    char byte;
    if (send(c->socket, "", 1, MSG_NOSIGNAL) != 1 || recv(c->socket, &byte, 1, 0) > 0)
        complain("the service does not hang up");
    usleep(20000);
    if (fstat(c->fds[0], &s) || !s.st_blocks ||
        !ring_look(&ring_completions(c->completions, 0)->seq))
        complain("the results are gone before the client has hung up");
}

/* kept checks that a client that keeps its memories when it hangs up keeps no page of them, even if
 * the service was the one to touch them; and also if the service hung up before. */
static void kept(int first)
{
    const struct ring_request r = far_request(HR_SHA512, 0, 0, 32768, 32768, 0, 0);
    struct ring_completion done;
    struct stat s[2];
    struct raw c;
    if (raw_attach(&c, &service)) {
        complain("a client cannot attach");
        return;
    }
    for (uint32_t ring = 0; ring < c.geometry.num_rings; ring++)
        if (raw_run(&c, ring, &r, &done))
            complain("the hash of a window: %d", done.result);
    if (fstat(c.fds[0], &s[0]) || !s[0].st_blocks)
        complain("the requests have no pages");
    if (!first)
        expelled(&c);
    close(c.socket);
    for (int ms = 0; ms < 10000; ms++) {
        if (fstat(c.fds[0], &s[0]) || fstat(c.fds[1], &s[1]))
            abort();
        if (!s[0].st_blocks && !s[1].st_blocks)
            break;
        usleep(1000);
    }
    if (s[0].st_blocks || s[1].st_blocks)
        complain("%ld and %ld blocks are left", (long)s[0].st_blocks, (long)s[1].st_blocks);
    c.socket = -1;
    raw_detach(&c);
}

void hostile_memory(void)
{
    struct raw c;
    if (raw_attach(&c, &service)) {
        tap(0, "a client attaches");
        return;
    }
    sealed("requests", c.fds[0], ring_requests_len(&c.geometry));
    sealed("completions", c.fds[1], ring_completions_len(&c.geometry));
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
    kept(1);
    unharmed("a client that keeps its memories leaves nothing in them");
    kept(0);
    unharmed("nor does a client on whom the service hung up");
}
