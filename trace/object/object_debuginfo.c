/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files into memory: the object itself, and its debuginfo, which distributions install in a
 * separate file named by the build-id.
 */
#include "object_build.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint8_t *debuginfo_image_read(int fd, size_t *len, const char **why)
{
    struct stat st;
    uint8_t magic[SELFMAG];
    *why = "not a regular file";
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return NULL;
    *why = "not ELF";
    if (pread(fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, ELFMAG, SELFMAG))
        return NULL;
    *why = "larger than 1 GiB";
    if ((uint64_t)st.st_size > MAX_IMAGE)
        return NULL;
    *why = "no memory";
    uint8_t *bytes = malloc((size_t)st.st_size);
    if (!bytes)
        return NULL;
    size_t done = 0;
    while (done < (size_t)st.st_size) {
        const ssize_t n = pread(fd, bytes + done, (size_t)st.st_size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    *why = "cannot be read";
    if (done != (size_t)st.st_size) {
        free(bytes);
        return NULL;
    }
    *len = done;
    *why = NULL;
    return bytes;
}

uint8_t *debuginfo_read(const char *build_id, size_t *len)
{
    char path[128];
    const char *why;
    if (strlen(build_id) < 8)
        return NULL;
    snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    uint8_t *bytes = debuginfo_image_read(fd, len, &why);
    close(fd);
    return bytes;
}
