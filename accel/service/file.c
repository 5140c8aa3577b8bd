/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "headraced.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* fault returns why a file or folder cannot be trusted, or NULL. */
static const char *fault(const struct stat *s, mode_t secret)
{
    if (s->st_uid && s->st_uid != geteuid())
        return "neither root nor this service owns it";
    if (s->st_mode & (S_IWGRP | S_IWOTH))
        return "others may write to it";
    return s->st_mode & secret ? "others may read it" : NULL;
}

static ssize_t read_all(int fd, char *out, size_t max)
{
    size_t len = 0;
    for (ssize_t n; (n = read(fd, out + len, max - len)) != 0; len += (size_t)n)
        if (n < 0)
            return -1;
    return (ssize_t)len;
}

ssize_t file_read(int folder, const char *name, void *out, size_t max, mode_t secret, bool *missing)
{
    struct stat s;
    ssize_t len = -1;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    *missing = fd < 0 && errno == ENOENT;
    if (*missing)
        return -1;
    if (fd < 0 || fstat(fd, &s)) {
        log_error("%s: %s", name, strerror(errno));
    } else if (!S_ISREG(s.st_mode)) {
        log_error("%s: not a regular file", name);
    } else if (fault(&s, secret)) {
        log_error("%s: %s", name, fault(&s, secret));
    } else if ((len = read_all(fd, out, max)) < 0 || len == (ssize_t)max) {
        log_error("%s: %s", name, len < 0 ? strerror(errno) : "too long");
        len = -1;
    }
    if (fd >= 0)
        close(fd);
    return len;
}

int file_folder(int folder, const char *name)
{
    struct stat s;
    const char *why = fstat(folder, &s) ? strerror(errno) : fault(&s, 0);
    if (why)
        log_error("%s: %s", name, why);
    return why ? -1 : 0;
}
