/* SPDX-License-Identifier: Apache-2.0 */
/* Files are opened relative to the folder, never through a link, and looked at by their descriptor.
 * Locks are those of open file descriptions: they end with the process, and not when another part
 * of the program opens and closes the same file. */
#define _GNU_SOURCE
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHANGES "changes" /* empty: its lock is the folder's, its time of change counts changes */
#define NEW "new"         /* a file before it is renamed */
enum { RETRIES = 8, LOCK_SECONDS = 60 };

static int of_errno(void)
{
    return errno == ENOENT ? STORE_NO_TOKEN
           : errno == ELOOP || errno == ENOTDIR || errno == EISDIR || errno == ENXIO ? STORE_REFUSED
                                                                                     : STORE_SYSTEM;
}

/* keep_errno closes a descriptor without a change of errno. */
static int close_with(int fd, int error)
{
    const int saved = errno;
    close(fd);
    errno = saved;
    return error;
}

/* is_mine tells whether only the effective user may write; of a file also that it has one name. */
static bool is_mine(const struct stat *info, mode_t type)
{
    return (info->st_mode & S_IFMT) == type && info->st_uid == geteuid() &&
           !(info->st_mode & (S_IWGRP | S_IWOTH)) && (type == S_IFDIR || info->st_nlink == 1);
}

/* open_mine opens and looks; O_NONBLOCK keeps it from waiting at a pipe. */
static int open_mine(int *out, int folder, const char *name, int flags, mode_t type)
{
    struct stat info;
    const int fd = openat(folder, name,
                          flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                              (type == S_IFDIR ? O_DIRECTORY : 0),
                          0600);
    if (fd < 0)
        return of_errno();
    if (fstat(fd, &info))
        return close_with(fd, STORE_SYSTEM);
    if (!is_mine(&info, type))
        return close_with(fd, STORE_REFUSED);
    if (flags & O_CREAT && fchmod(fd, 0600)) /* whatever the umask */
        return close_with(fd, STORE_SYSTEM);
    *out = fd;
    return 0;
}

/* ---- the folder ---- */

int files_create(const char *path)
{
    char part[STORE_MAX_PATH];
    const size_t len = strlen(path);
    if (len >= sizeof part)
        return STORE_TOO_LONG;
    for (size_t i = 1; i <= len; i++)
        if (path[i] == '/' || (i == len && path[i - 1] != '/')) {
            memcpy(part, path, i);
            part[i] = '\0';
            /* Root's folder above it has files that others read, too. */
            if (mkdir(part, i == len ? 0700 : 0755) && errno != EEXIST)
                return STORE_SYSTEM;
        }
    return 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* is_still_there tells whether path and names still lead to what was opened: it may have been
 * removed and made again before the lock was got. */
static bool is_still_there(const struct files *f, const char *path)
{
    struct stat folder, lock, found;
    return !fstat(f->folder, &folder) && !fstat(f->lock, &lock) && !lstat(path, &found) &&
           is_same_file(&folder, &found) &&
           !fstatat(f->folder, CHANGES, &found, AT_SYMLINK_NOFOLLOW) && is_same_file(&lock, &found);
}

/* wait_lock asks again and again instead of waiting without end for a process that is stopped. */
static int wait_lock(int fd, short type)
{
    struct timespec end, now, pause = { .tv_nsec = 200000 };
    struct flock lock = { .l_type = type, .l_whence = SEEK_SET };
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += LOCK_SECONDS;
    while (fcntl(fd, F_OFD_SETLK, &lock)) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return STORE_SYSTEM;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end.tv_sec)
            return STORE_BUSY;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000)
            pause.tv_nsec *= 2;
    }
    return 0;
}

/* unlock does not leave it to close: a child may have inherited the description. */
static void unlock(int fd)
{
    const int saved = errno;
    struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
    (void)!fcntl(fd, F_OFD_SETLK, &lock);
    close(fd);
    errno = saved;
}

void files_end(struct files *f)
{
    unlock(f->lock);
    close_with(f->folder, 0);
}

static int try_begin(struct files *f, const char *path, enum files_lock how, bool create)
{
    int error = open_mine(&f->folder, AT_FDCWD, path, O_RDONLY, S_IFDIR);
    if (error)
        return error;
    error = open_mine(&f->lock, f->folder, CHANGES, O_RDWR | (create ? O_CREAT : 0), S_IFREG);
    if (error == STORE_SYSTEM && how == FILES_READ && (errno == EROFS || errno == EACCES))
        error = open_mine(&f->lock, f->folder, CHANGES, O_RDONLY, S_IFREG);
    if (error)
        return close_with(f->folder, error);
    error = wait_lock(f->lock, how == FILES_WRITE ? F_WRLCK : F_RDLCK);
    if (error)
        files_end(f);
    return error;
}

int files_begin(struct files *f, const char *path, enum files_lock how, bool create)
{
    for (int i = 0; i < RETRIES; i++) {
        const int error = try_begin(f, path, how, create);
        if (error || is_still_there(f, path))
            return error;
        files_end(f);
    }
    return STORE_BUSY;
}

/* ---- its state ---- */

/* The time of change in seconds, which is set and not left to a clock: even numbers are states, and
 * odd ones are times of change.  A clock's ticks are so long that two changes may fall into one. */
enum { LAST = INT_MAX - 3 }; /* some file systems end there */

static struct store_state state_of(const struct stat *info)
{
    return (struct store_state){ info->st_dev, info->st_ino, info->st_mtim.tv_sec };
}

int files_state(struct store_state *out, const char *path)
{
    char name[STORE_MAX_PATH + sizeof CHANGES + 1];
    struct stat info;
    const int len = snprintf(name, sizeof name, "%s/" CHANGES, path);
    if (len < 0 || (size_t)len >= sizeof name)
        return STORE_TOO_LONG;
    if (lstat(name, &info))
        return of_errno();
    *out = state_of(&info);
    return 0;
}

bool files_is_same(const struct store_state *a, const struct store_state *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->generation == b->generation &&
           !(a->generation & 1);
}

static int set_generation(const struct files *f, int64_t generation)
{
    const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
                                      { .tv_sec = generation > LAST ? 2 : generation } };
    return futimens(f->lock, times) ? STORE_SYSTEM : 0;
}

static int get_generation(int64_t *out, const struct files *f)
{
    struct stat info;
    if (fstat(f->lock, &info))
        return STORE_SYSTEM;
    *out = info.st_mtim.tv_sec;
    return 0;
}

int files_changing(const struct files *f)
{
    int64_t generation = 0;
    const int error = get_generation(&generation, f);
    return error ? error : set_generation(f, generation | 1);
}

int files_changed(const struct files *f)
{
    int64_t generation = 0;
    const int saved = errno, error = get_generation(&generation, f);
    const int result = error ? error : set_generation(f, (generation | 1) + 1);
    errno = result ? errno : saved;
    return result;
}

int files_settled(struct store_state *out, const struct files *f)
{
    struct stat info;
    if (fstat(f->lock, &info))
        return STORE_SYSTEM;
    *out = state_of(&info);
    if (!(out->generation & 1))
        return 0;
    /* Whoever was changing files is dead.  Several readers may get here, and set the same.  On a
     * medium that cannot be written the state stays equal to none. */
    if (!set_generation(f, out->generation + 1))
        out->generation++;
    return 0;
}

/* ---- files ---- */

static int read_all(uint8_t *out, size_t *out_len, size_t max, int fd)
{
    struct stat info;
    size_t n = 0;
    ssize_t got = 1;
    if (fstat(fd, &info))
        return STORE_SYSTEM;
    if (info.st_size < 0 || (uintmax_t)info.st_size > max)
        return STORE_TOO_LONG;
    while (n < max && got > 0) {
        got = read(fd, out + n, max - n);
        if (got > 0)
            n += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    *out_len = n;
    return got < 0 ? STORE_SYSTEM : 0;
}

int files_read(uint8_t *out, size_t *out_len, size_t max, int folder, const char *name)
{
    int fd = -1, error = open_mine(&fd, folder, name, O_RDONLY, S_IFREG);
    if (error)
        return error == STORE_NO_TOKEN ? STORE_GONE : error;
    error = read_all(out, out_len, max, fd);
    return close_with(fd, error);
}

static int write_all(int fd, const uint8_t *in, size_t len)
{
    while (len) {
        const ssize_t n = write(fd, in, len);
        if (n < 0 && errno != EINTR)
            return STORE_SYSTEM;
        if (n > 0) {
            in += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static int write_new(int folder, const uint8_t *in, size_t len)
{
    unlinkat(folder, NEW, 0); /* of a process that was killed: the lock is ours */
    const int fd = openat(folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return STORE_SYSTEM;
    int error = fchmod(fd, 0600) ? STORE_SYSTEM : 0; /* whatever the umask */
    if (!error)
        error = write_all(fd, in, len);
    if (!error && fsync(fd))
        error = STORE_SYSTEM;
    return close_with(fd, error);
}

int files_replace(int folder, const char *name, const uint8_t *in, size_t len)
{
    int error = write_new(folder, in, len);
    if (!error && renameat(folder, NEW, folder, name))
        error = STORE_SYSTEM;
    const int saved = errno;
    if (error)
        unlinkat(folder, NEW, 0);
    else if (fsync(folder))
        return STORE_SYSTEM;
    errno = saved;
    return error;
}

/* ---- tries ---- */

static int open_tries(int *fd, const char *path)
{
    int folder = -1, error = open_mine(&folder, AT_FDCWD, path, O_RDONLY, S_IFDIR);
    if (error)
        return error;
    error = open_mine(fd, folder, FILES_TRIES, O_RDWR, S_IFREG);
    if (error == STORE_NO_TOKEN) {
        error = open_mine(fd, folder, FILES_TRIES, O_RDWR | O_CREAT, S_IFREG);
        if (!error && fsync(folder))
            error = close_with(*fd, STORE_SYSTEM);
    }
    return close_with(folder, error);
}

int files_tries_begin(struct files_tries *t, const char *path)
{
    memset(t, 0, sizeof *t);
    int error = open_tries(&t->fd, path);
    if (error)
        return error;
    error = wait_lock(t->fd, F_WRLCK);
    if (!error && pread(t->fd, t->num, sizeof t->num, 0) < 0)
        error = STORE_SYSTEM;
    if (error)
        unlock(t->fd);
    return error;
}

int files_tries_write(const struct files_tries *t)
{
    const ssize_t n = pwrite(t->fd, t->num, sizeof t->num, 0);
    if (n == (ssize_t)sizeof t->num && !fdatasync(t->fd))
        return 0;
    errno = n >= 0 && n < (ssize_t)sizeof t->num ? ENOSPC : errno;
    return STORE_SYSTEM;
}

void files_tries_end(struct files_tries *t)
{
    unlock(t->fd);
}
