/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a file descriptor is still the client library's own: a program that becomes a
 * daemon closes all descriptors, and the next file that it opens gets the same number. */
#define _GNU_SOURCE
#include "internal.h"
#include <sys/stat.h>
#include <unistd.h>

int descriptor_note(struct descriptor *d, int fd)
{
    struct stat s;
    if (fstat(fd, &s))
        return HR_ESYSTEM;
    *d = (struct descriptor){ fd, s.st_dev, s.st_ino };
    return 0;
}

/* descriptor_is_ours compares inode numbers.  Each socket has an inode number of its own, but all
 * eventfds have the same one, so callers check a doorbell together with its socket. */
int descriptor_is_ours(const struct descriptor *d)
{
    struct stat s;
    return d->fd >= 0 && !fstat(d->fd, &s) && s.st_dev == d->device && s.st_ino == d->inode;
}

void descriptor_close(struct descriptor *d)
{
    if (descriptor_is_ours(d))
        close(d->fd);
    d->fd = -1;
}
