/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "beside.h"
#include "../../cli/temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t mode_by_umask(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* The temporary name: PATH's folder, a dot, PATH's name and six random letters. Collectors do
 * not read such names. */
static char *name_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash + 1 - path) : 0;
    char *name = NULL;
    return asprintf(&name, "%.*s.%s.XXXXXX", folder, path, path + folder) < 0 ? NULL : name;
}

static int open_temporary(struct beside *b, mode_t mode)
{
    b->temporary = name_beside(b->path);
    const int fd = b->temporary ? temporary_open(b->temporary) : -1;
    if (fd < 0) {
        free(b->temporary);
        b->temporary = NULL;
        return -1;
    }
    if (!fchmod(fd, mode ? mode : mode_by_umask()) && (b->f = fdopen(fd, "w")))
        return 0;
    const int error = errno;
    close(fd);
    temporary_remove();
    free(b->temporary);
    errno = error;
    return -1;
}

/* Opens for writing what is at the path, if it is no regular file: by a descriptor, because another
 * file may come to the path meanwhile. Returns false if there is nothing of the kind. */
static bool open_special(struct beside *b)
{
    char link[40];
    struct stat status;
    const int fd = open(b->path, O_PATH | O_CLOEXEC);
    const bool is_special = fd >= 0 && !fstat(fd, &status) && !S_ISREG(status.st_mode);
    if (is_special) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        b->f = fopen(link, "we");
    }
    if (fd >= 0)
        close(fd);
    return is_special;
}

int beside_open(struct beside *b, const char *path, mode_t mode)
{
    *b = (struct beside){ .path = strdup(path) };
    if (!b->path)
        return -1;
    if (!open_special(b))
        open_temporary(b, mode);
    if (b->f)
        return 0;
    free(b->path);
    return -1;
}

int beside_close(struct beside *b, int failed)
{
    failed |= fflush(b->f) || ferror(b->f);
    /* The bytes must be on the disk before the name is changed, in case the machine stops. */
    failed |= b->temporary && fsync(fileno(b->f));
    failed |= fclose(b->f) != 0;
    failed = failed || (b->temporary && rename(b->temporary, b->path));
    const int error = errno;
    if (b->temporary)
        (failed ? temporary_remove : temporary_forget)();
    free(b->temporary);
    free(b->path);
    errno = error;
    return failed ? -1 : 0;
}
