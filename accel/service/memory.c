/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int memory_make(struct memory *m, const char *name, size_t len)
{
    *m = (struct memory){ .map = MAP_FAILED, .len = len };
    m->fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (m->fd < 0)
        return -1;
    if (!ftruncate(m->fd, (off_t)len))
        m->map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    /* Not F_SEAL_FUTURE_WRITE for what clients must not write: no hole can be punched then. */
    if (m->map != MAP_FAILED && !madvise(m->map, len, MADV_DONTFORK) &&
        !fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return 0;
    const int error = errno;
    memory_free(m);
    errno = error;
    return -1;
}

int memory_share(const struct memory *m, bool writable)
{
    char path[40];
    if (writable)
        return fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", m->fd);
    return fchmod(m->fd, S_IRUSR) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
}

static void wipe(int fd, off_t at, off_t end)
{
    static const char zeros[64 << 10];
    while (at < end) {
        const size_t left = (size_t)(end - at);
        const ssize_t n = pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros, at);
        if (n <= 0)
            return; /* no memory to bring a page back from swap */
        at += n;
    }
}

void memory_empty(const struct memory *m)
{
    for (off_t at = 0; (at = lseek(m->fd, at, SEEK_DATA)) >= 0;) {
        const off_t hole = lseek(m->fd, at, SEEK_HOLE), end = hole < 0 ? (off_t)m->len : hole;
        wipe(m->fd, at, end);
        at = end;
    }
    (void)!fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)m->len);
}

void memory_free(struct memory *m)
{
    if (m->map != MAP_FAILED)
        munmap(m->map, m->len);
    close(m->fd);
}
