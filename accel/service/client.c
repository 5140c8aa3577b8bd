/* SPDX-License-Identifier: Apache-2.0 */
/* A client's two memories.  The order of maps and seals matters: F_SEAL_FUTURE_WRITE covers a whole
 * memfd and spares only the maps that are there already. */
#define _GNU_SOURCE
#include "client.h"
#include "secrets.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

struct client_secrets {
    struct keycache cache;
    struct slices slices;
};

/* make_memory makes and maps a memfd of len bytes, with these seals besides those against
 * shrinking, growing and sealing.  It returns the descriptor, or -1 with errno. */
static int make_memory(const char *name, size_t len, int seals, void **map)
{
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    *map = MAP_FAILED;
    if (!ftruncate(fd, (off_t)len))
        *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*map != MAP_FAILED && !madvise(*map, len, MADV_DONTFORK) &&
        !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | seals))
        return fd;
    const int error = errno;
    if (*map != MAP_FAILED)
        munmap(*map, len);
    close(fd);
    errno = error;
    return -1;
}

int client_make(struct client *c, const struct ring_geometry *geometry, int fds[3])
{
    c->geometry = *geometry;
    struct client_secrets *secrets = secrets_alloc(sizeof *secrets);
    if (!secrets)
        return HR_ESYSTEM;
    c->cache = &secrets->cache;
    c->slices = &secrets->slices;
    fds[0] = make_memory("headrace-requests", ring_requests_len(geometry), 0, &c->requests);
    if (fds[0] < 0) {
        secrets_free(c->cache, sizeof(struct client_secrets));
        return HR_ESYSTEM;
    }
    fds[1] = make_memory("headrace-completions", ring_completions_len(geometry),
                         F_SEAL_FUTURE_WRITE, &c->completions);
    if (fds[1] >= 0) {
        fds[2] = c->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (c->doorbell >= 0) {
            struct ring_service_words *words = c->completions;
            atomic_store(&words->state, RING_LIVE);
            return 0;
        }
        munmap(c->completions, ring_completions_len(geometry));
        close(fds[1]);
    }
    munmap(c->requests, ring_requests_len(geometry));
    close(fds[0]);
    secrets_free(c->cache, sizeof(struct client_secrets));
    return HR_ESYSTEM;
}

/* wipe_present wipes a memory except the parts that were never touched.  A part counts as touched
 * if any of its pages is present.  The array has room for pages of the smallest size, because under
 * an emulator mincore(2) reports the machine's pages, which may be smaller than the program's. */
static void wipe_present(uint8_t *map, size_t len)
{
    enum { PART = 64 << 10, SMALLEST_PAGE = 4 << 10, MOST_PAGES = PART / SMALLEST_PAGE };
    static const unsigned char none[MOST_PAGES];
    for (size_t at = 0; at < len; at += PART) {
        const size_t part = len - at < PART ? len - at : PART;
        unsigned char present[MOST_PAGES] = { 0 };
        if (mincore(map + at, part, present) || memcmp(present, none, sizeof none))
            explicit_bzero(map + at, part);
    }
}

void client_wipe(struct client *c)
{
    wipe_present(c->requests, ring_requests_len(&c->geometry));
    wipe_present(c->completions, ring_completions_len(&c->geometry));
}

void client_free(struct client *c)
{
    munmap(c->completions, ring_completions_len(&c->geometry));
    munmap(c->requests, ring_requests_len(&c->geometry));
    close(c->doorbell);
    secrets_free(c->cache, sizeof(struct client_secrets));
    keytable_free(atomic_load(&c->keys));
}
