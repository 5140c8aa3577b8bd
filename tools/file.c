/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "file.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 << 20 }; /* of bytes: no configuration is longer, and /dev/zero has no end */

static int copy_stream(FILE *in, FILE *out)
{
    char part[4096];
    size_t n, total = 0;
    while ((n = fread(part, 1, sizeof part, in)) > 0 && (total += n) <= MOST)
        fwrite(part, 1, n, out);
    if (total > MOST)
        errno = EFBIG;
    return ferror(in) || total > MOST ? -1 : 0;
}

/* A FIFO would have us wait for its writer.  A device may be /dev/null: no configuration. */
static FILE *open_to_read(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) || S_ISFIFO(st.st_mode)) {
        close(fd);
        errno = ENOTSUP;
        return NULL;
    }
    return fdopen(fd, "r");
}

char *file_read(const char *path, size_t *len)
{
    char *text = NULL;
    int failed = -1;
    FILE *in = open_to_read(path);
    FILE *out = in ? open_memstream(&text, len) : NULL;
    if (out)
        failed = copy_stream(in, out);
    if (failed)
        tool_error("cannot read %s: %s", path, strerror(errno));
    if (out && fclose(out))
        failed = tool_error("cannot read %s: %s", path, strerror(errno));
    if (in)
        fclose(in);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len) {
        const ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* Directory entries must reach the disk, too; a file system that cannot sync one is no failure. */
static void sync_directory(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = '\0';
    const int fd = open(*directory ? directory : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static int fill_and_rename(int fd, const char *temporary, const char *path, const char *text,
                           size_t len, const struct stat *like)
{
    if (like && fchown(fd, like->st_uid, like->st_gid) && geteuid() == 0)
        return -1;
    if (fchmod(fd, like ? like->st_mode & 07777 : 0644) || write_all(fd, text, len) || fsync(fd))
        return -1;
    return rename(temporary, path);
}

/* The directory that holds the file; with `above` the nearest one upwards that is there. */
static void directory_of(char directory[PATH_MAX], const char *path, bool above)
{
    char *slash;
    snprintf(directory, PATH_MAX, "%s", path);
    do {
        slash = strrchr(directory, '/');
        if (!slash)
            strcpy(directory, ".");
        else if (slash == directory)
            slash[1] = '\0';
        else
            *slash = '\0';
    } while (above && slash && slash != directory && access(directory, F_OK));
}

int file_may_replace(const char *path, bool with_parents)
{
    char target[PATH_MAX], directory[PATH_MAX];
    struct stat st;
    if (!realpath(path, target))
        snprintf(target, sizeof target, "%s", path);
    if (!stat(target, &st) && !S_ISREG(st.st_mode))
        return tool_error("cannot write %s: not a regular file", path);
    directory_of(directory, target, with_parents);
    if (access(directory, W_OK))
        return tool_error("cannot write %s: %s", path, strerror(errno));
    return EXIT_SUCCESS;
}

int file_replace(const char *path, const char *text, size_t len, const char *like)
{
    char target[PATH_MAX], temporary[PATH_MAX + 16];
    struct stat st;
    sigset_t all, before;
    int code = EXIT_SUCCESS;
    if (!realpath(path, target))
        snprintf(target, sizeof target, "%s", path);
    const int kind = file_may_replace(path, false);
    if (kind)
        return kind;
    const bool have = !stat(target, &st) || (like && !stat(like, &st));
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
    sigfillset(&all); /* no signal may leave the temporary file behind */
    sigprocmask(SIG_BLOCK, &all, &before);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0 || fill_and_rename(fd, temporary, target, text, len, have ? &st : NULL)) {
        code = tool_error("cannot write %s: %s", path, strerror(errno));
        if (fd >= 0)
            unlink(temporary);
    }
    if (fd >= 0)
        close(fd);
    if (code == EXIT_SUCCESS && strchr(target, '/'))
        sync_directory(target);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

int file_make_parents(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    for (char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(directory, 0755) && errno != EEXIST)
            return tool_error("cannot make %s: %s", directory, strerror(errno));
        *slash = '/';
    }
    return EXIT_SUCCESS;
}
