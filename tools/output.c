/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is there whole or not at all.
 *
 * A file without a name (O_TMPFILE) vanishes with the process, however that ends, and linkat()
 * gives it a name that nobody had.  Where the file system has no such files, there is a temporary
 * name beside the final one, which every signal that ends the process takes away, except those that
 * nothing can catch.
 */
#define _GNU_SOURCE
#include "output.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGALRM };

static char temporary[PATH_MAX]; /* the name that is there, or "" */

static void remove_and_die(int number)
{
    unlink(temporary);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    struct sigaction before, action = { .sa_handler = remove_and_die };
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(fatal); i++)
        if (!sigaction(fatal[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(fatal[i], &action, NULL);
}

/* The folder of a path, with its slash, or "./"; false where it is too long. */
static bool folder_of(char out[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/');
    const int n = slash ? snprintf(out, PATH_MAX, "%.*s", (int)(slash - path + 1), path)
                        : snprintf(out, PATH_MAX, "./");
    return n < PATH_MAX;
}

/* A new name in the folder of `path`. */
static bool temporary_name(char out[PATH_MAX], const char *path)
{
    char folder[PATH_MAX];
    return folder_of(folder, path) &&
           snprintf(out, PATH_MAX, "%s.headrace-XXXXXX", folder) < PATH_MAX;
}

/* With a name; the handlers are there before it is. */
static int open_named(const char *path, mode_t mode)
{
    char name[PATH_MAX];
    sigset_t all, before;
    if (!temporary_name(name, path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    catch_signals();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        memcpy(temporary, name, sizeof name);
        fchmod(fd, mode & ~mask);
    }
    const int saved = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return fd;
}

/* How the nameless file is reached by linkat(). */
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
    close(fd); /* no /proc, and so no way to name it */
    return -1;
}

static int open_direct(struct output *o, const struct stat *info)
{
    o->direct = true;
    if (S_ISDIR(info->st_mode))
        errno = EISDIR;
    else
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return o->fd < 0 ? (tool_error("%s: %s", o->path, strerror(errno)), -1) : 0;
}

int output_open(struct output *o, const char *path, mode_t mode, bool force)
{
    struct stat info;
    *o = (struct output){ .fd = -1, .path = path, .force = force };
    signal(SIGXFSZ, SIG_IGN); /* a limit of the file's size is an error of write() */
    if (!strcmp(path, "-")) {
        o->fd = STDOUT_FILENO;
        o->direct = true;
        return 0;
    }
    if (!stat(path, &info) && !S_ISREG(info.st_mode))
        return open_direct(o, &info);
    if (!force && !lstat(path, &info)) {
        tool_error("%s: is there already; --force replaces it", path);
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

/* linkat() replaces nothing: with --force a name of its own comes between. */
static int name_nameless(struct output *o)
{
    char link[40], name[PATH_MAX];
    path_of(link, o->fd);
    if (!o->force)
        return linkat(AT_FDCWD, link, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW);
    for (int tries = 0; tries < 100; tries++) {
        if (!temporary_name(name, o->path))
            return -1;
        const int fd = mkostemp(name, O_CLOEXEC); /* a name that is free */
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

static int name_temporary(struct output *o)
{
    int result = o->force ? rename(temporary, o->path)
                          : renameat2(AT_FDCWD, temporary, AT_FDCWD, o->path, RENAME_NOREPLACE);
    if (result && !o->force && errno == EINVAL) { /* a file system that does not know the flag */
        result = link(temporary, o->path);
        if (!result)
            unlink(temporary);
    }
    if (!result)
        temporary[0] = '\0';
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
    /* No signal between a name and the other. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    if (!o->direct && !result)
        result = *temporary ? name_temporary(o) : name_nameless(o);
    const int saved = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    if (!result && o->direct && o->fd != STDOUT_FILENO)
        result = close(o->fd); /* which may tell of an error; what has a name is on the disk */
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
    if (*temporary)
        unlink(temporary);
    temporary[0] = '\0';
    if (o->fd >= 0 && o->fd != STDOUT_FILENO)
        close(o->fd);
    o->fd = -1;
}
