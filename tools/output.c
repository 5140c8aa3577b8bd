/* SPDX-License-Identifier: Apache-2.0
 *
 * An output file that appears whole or not at all.
 *
 * A file without a name (O_TMPFILE) disappears with the process, however that ends, and linkat()
 * gives it a name that did not exist. If the file system has no such files, the file has a
 * temporary name beside the final one, which signals remove (temporary.h).
 */
#define _GNU_SOURCE
#include "output.h"
#include "../cli/temporary.h"
#include "../cli/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a path, with a slash at its end, or "./"; false if it is too long. */
static bool folder_of(char out[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/');
    const int n = slash ? snprintf(out, PATH_MAX, "%.*s", (int)(slash - path + 1), path)
                        : snprintf(out, PATH_MAX, "./");
    return n < PATH_MAX;
}

/* Makes the template of a temporary name in the folder of `path`. */
static bool temporary_beside(char out[PATH_MAX], const char *path)
{
    char folder[PATH_MAX];
    return folder_of(folder, path) &&
           snprintf(out, PATH_MAX, "%s.headrace-XXXXXX", folder) < PATH_MAX;
}

static int open_named(const char *path, mode_t mode)
{
    char name[PATH_MAX];
    if (!temporary_beside(name, path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = temporary_open(name);
    if (fd >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, mode & ~mask);
    }
    return fd;
}

/* The path by which linkat() reaches the file without a name. */
static void path_of(char out[40], int fd)
{
    snprintf(out, 40, "/proc/self/fd/%d", fd);
}

static int open_nameless(const char *path, mode_t mode)
{
    char folder[PATH_MAX], link[40];
    if (!folder_of(folder, path))
        return -1;
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd < 0)
        return -1;
    path_of(link, fd);
    if (!access(link, F_OK))
        return fd;
    close(fd); /* without /proc the file could not get a name */
    return -1;
}

/* Opens what is written directly, or prints an error. It must still be the file whose kind was
 * looked at: a regular file that took its place would be overwritten. */
static int open_same(const char *path, const struct stat *seen)
{
    struct stat now;
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 && !fstat(fd, &now) && now.st_dev == seen->st_dev && now.st_ino == seen->st_ino)
        return fd;
    if (fd < 0)
        tool_error("%s: %s", path, strerror(errno));
    else
        tool_error("%s: was replaced while it was opened", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Whether the path leads to something that is no regular file; if so, opens it. Meanwhile `at`
 * holds the file, so that no other file gets its number. */
static bool open_direct(struct output *o)
{
    struct stat seen;
    const int at = open(o->path, O_PATH | O_CLOEXEC);
    o->direct = at >= 0 && !fstat(at, &seen) && !S_ISREG(seen.st_mode);
    if (o->direct)
        o->fd = open_same(o->path, &seen);
    if (at >= 0)
        close(at);
    return o->direct;
}

int output_open(struct output *o, const char *path, mode_t mode, bool force)
{
    struct stat info;
    *o = (struct output){ .fd = -1, .path = path, .force = force };
    signal(SIGXFSZ, SIG_IGN); /* exceeding the limit of file sizes is an error of write() */
    if (!strcmp(path, "-")) {
        o->fd = STDOUT_FILENO;
        o->direct = true;
        return 0;
    }
    if (open_direct(o))
        return o->fd < 0 ? -1 : 0;
    if (!force && !lstat(path, &info)) {
        tool_error("%s: exists already; --force replaces it", path);
        return -1;
    }
    o->fd = open_nameless(path, mode);
    if (o->fd < 0)
        o->fd = open_named(path, mode);
    if (o->fd < 0)
        tool_error("%s: %s", path, strerror(errno));
    return o->fd < 0 ? -1 : 0;
}

/* ---- the end ---- */

/* Gives the nameless file its name. linkat() replaces no file: with --force it gets a temporary
 * name first, which is then renamed. */
static int name_nameless(struct output *o)
{
    char link[40], name[PATH_MAX];
    path_of(link, o->fd);
    if (!o->force)
        return linkat(AT_FDCWD, link, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW);
    for (int tries = 0; tries < 100; tries++) {
        if (!temporary_beside(name, o->path))
            return -1;
        const int fd = mkostemp(name, O_CLOEXEC); /* finds a free name */
        if (fd < 0 || close(fd) || unlink(name))
            return -1;
        if (!linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
            const int result = rename(name, o->path);
            const int saved = errno;
            if (result)
                unlink(name);
            errno = saved;
            return result;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int name_temporary(struct output *o, const char *name)
{
    int result = o->force ? rename(name, o->path)
                          : renameat2(AT_FDCWD, name, AT_FDCWD, o->path, RENAME_NOREPLACE);
    if (result && !o->force && errno == EINVAL) { /* the file system does not support the flag */
        result = link(name, o->path);
        if (!result)
            unlink(name);
    }
    if (!result)
        temporary_forget();
    return result;
}

static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const int fd = folder_of(folder, path) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    (void)!fsync(fd); /* some file systems refuse it */
    close(fd);
}

int output_commit(struct output *o)
{
    sigset_t all, before;
    int result = 0;
    if (!o->direct && fsync(o->fd))
        result = -1;
    /* No signal may come between the temporary name and the final one. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    if (!o->direct && !result)
        result = temporary_name() ? name_temporary(o, temporary_name()) : name_nameless(o);
    const int saved = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    if (!result && o->direct && o->fd != STDOUT_FILENO)
        /* close may return an error; a file that has a name is already on the disk. */
        result = close(o->fd);
    if (result) {
        tool_error("%s: %s", o->path, strerror(errno));
        output_discard(o);
        return -1;
    }
    if (!o->direct) {
        close(o->fd);
        sync_folder(o->path);
    }
    o->fd = -1;
    return 0;
}

void output_discard(struct output *o)
{
    temporary_remove();
    if (o->fd >= 0 && o->fd != STDOUT_FILENO)
        close(o->fd);
    o->fd = -1;
}
