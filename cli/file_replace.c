/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces a file by rename(), so that readers see the old text or the new one.
 *
 * The new file has no name (O_TMPFILE) until it is complete, and then for a moment the name
 * PATH.headrace-new. If the file system has no files without names, it has this name from the
 * beginning. SIGKILL may leave a file of this name: the next writer of PATH takes it away. A writer
 * holds a lock (flock) on its file, which distinguishes a file in use from one that was left.
 */
#define _GNU_SOURCE
#include "file.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 100,    /* each loses against another writer */
    WAIT_MS = 1000, /* for another writer's lock: anybody who may read the file can lock it */
    PAUSE_MS = 20,
};

struct replacement {
    char target[PATH_MAX], temporary[PATH_MAX + 16];
    const char *text;
    size_t len;
    const struct stat *like; /* the file whose mode and owner the new one gets, or NULL */
};

static void set_names(struct replacement *r, const char *path)
{
    if (!realpath(path, r->target))
        snprintf(r->target, sizeof r->target, "%s", path);
    snprintf(r->temporary, sizeof r->temporary, "%s.headrace-new", r->target);
}

/* The directory of a file; with `above`, the nearest existing directory above it. */
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

/* ---- a file that was left ---- */

static bool is_named(int fd, const char *name)
{
    struct stat file, named;
    return !fstat(fd, &file) && !lstat(name, &named) && file.st_dev == named.st_dev &&
           file.st_ino == named.st_ino;
}

/* Whether a file may have been left by a run of this program: a regular file of this user, or of
 * the user to whom the program would have given it. */
static bool may_be_left(int fd, const struct replacement *r)
{
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
           (st.st_uid == geteuid() || (r->like && st.st_uid == r->like->st_uid));
}

/* Locks a file that another writer may hold; fails with EWOULDBLOCK after WAIT_MS. Succeeds without
 * protection on a file system that has no locks. */
static int lock_within_limit(int fd)
{
    const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
    for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; waited += PAUSE_MS) {
        if (waited >= WAIT_MS)
            return -1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* Removes a file with the temporary name that nobody writes any more; waits for its writer. */
static int remove_left(int fd, const struct replacement *r)
{
    if (lock_within_limit(fd))
        return -1;
    if (!is_named(fd, r->temporary)) /* its writer has renamed it */
        return 0;
    return unlink(r->temporary);
}

/* Makes the temporary name free. Returns 0, or -1 with errno: EEXIST if somebody else's file has
 * it. */
static int clear_name(const struct replacement *r)
{
    int result = -1;
    const int fd = open(r->temporary, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO))
        errno = EEXIST;
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (may_be_left(fd, r))
        result = remove_left(fd, r);
    else
        errno = EEXIST;
    const int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

/* ---- the new file ---- */

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

static int fill(int fd, const struct replacement *r)
{
    if (r->like && fchown(fd, r->like->st_uid, r->like->st_gid) && geteuid() == 0)
        return -1;
    if (fchmod(fd, r->like ? r->like->st_mode & 07777 : 0644))
        return -1;
    return write_all(fd, r->text, r->len) || fsync(fd) ? -1 : 0;
}

/* Opens a file without a name; -1 if the file system has none, or if it could not get one. */
static int open_nameless(const struct replacement *r, char link[40])
{
    char directory[PATH_MAX];
    directory_of(directory, r->target, false);
    const int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    snprintf(link, 40, "/proc/self/fd/%d", fd);
    if (!access(link, F_OK)) {
        flock(fd, LOCK_EX | LOCK_NB);
        return fd;
    }
    close(fd);
    return -1;
}

/* Opens a new file with the temporary name; fails with EEXIST also if another writer takes it for
 * a file that was left, before it is locked. */
static int open_named(const struct replacement *r)
{
    const int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC;
    const int fd = open(r->temporary, flags, 0600);
    if (fd < 0)
        return -1;
    if ((!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && is_named(fd, r->temporary))
        return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

/* Renames the new file; removes it if that fails, or if it is not whole. Closes it. */
static int finish(int fd, const struct replacement *r, bool whole)
{
    const int result = whole ? rename(r->temporary, r->target) : -1;
    const int saved = errno;
    if (result)
        unlink(r->temporary);
    close(fd);
    errno = saved;
    return result;
}

/* Writes and renames the file. Returns 0, or -1 with errno: EEXIST if the temporary name exists. */
static int write_new(const struct replacement *r)
{
    char link[40];
    int fd = open_nameless(r, link);
    if (fd < 0) {
        fd = open_named(r);
        return fd < 0 ? -1 : finish(fd, r, !fill(fd, r));
    }
    if (!fill(fd, r) && !linkat(AT_FDCWD, link, AT_FDCWD, r->temporary, AT_SYMLINK_FOLLOW))
        return finish(fd, r, true);
    const int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* Calls write_new while no signal can end the program and leave the temporary file behind. */
static int write_undisturbed(const struct replacement *r)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    const int result = write_new(r);
    const int saved = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return result;
}

/* Writes the entries of the file's directory to the disk. It is no failure if the file system
 * cannot do that. */
static void sync_directory(const char *path)
{
    char directory[PATH_MAX];
    directory_of(directory, path, false);
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

int file_replace(const char *path, const char *text, size_t len, const char *like)
{
    struct replacement r = { .text = text, .len = len };
    struct stat st;
    int failed = -1;
    const int kind = file_may_replace(path, false);
    if (kind)
        return kind;
    set_names(&r, path);
    if (!stat(r.target, &st) || (like && !stat(like, &st)))
        r.like = &st;
    errno = EEXIST;
    for (int i = 0; i < TRIES && failed && errno == EEXIST; i++) {
        if (clear_name(&r))
            return tool_error("cannot write %s: %s is in the way: %s", path, r.temporary,
                              strerror(errno));
        failed = write_undisturbed(&r);
    }
    if (failed)
        return tool_error("cannot write %s: %s", path, strerror(errno));
    sync_directory(r.target);
    return EXIT_SUCCESS;
}

void file_remove_left(const char *path)
{
    struct replacement r = { .len = 0 };
    struct stat st;
    set_names(&r, path);
    if (!stat(r.target, &st))
        r.like = &st;
    (void)clear_name(&r);
}
