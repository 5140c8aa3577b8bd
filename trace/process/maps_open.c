/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the file behind a mapping.
 *
 * /proc/PID/map_files is the mapped file itself, even if it was deleted or replaced; it needs
 * CAP_CHECKPOINT_RESTORE (before Linux 5.9 CAP_SYS_ADMIN). Without that, the path is only a hint:
 * the file found there is accepted if its device and inode are those of the mapping. On overlayfs
 * and btrfs the devices differ: a mapping has the number of the superblock, stat(2) gives one of a
 * layer or of a subvolume. There the inode must agree, and also the mapped memory must be what the
 * file contains at that offset. If the process's memory cannot be read (it has ended, or belongs to
 * another user), the inode alone decides; these filesystems do not use one twice in a superblock.
 *
 * A file is opened for reading only once it is known to be a regular file, because a path may lead
 * to a device or a FIFO.
 */
#define _GNU_SOURCE
#include "../budget.h"
#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char deleted[] = " (deleted)";

static const char *const reasons[] = {
    "no file at its path", "device or inode differs", "its file was deleted: root can open it",
    "not a regular file",  "may not be read",         "no file is mapped",
};
enum reason { NOT_THERE, DIFFERS, DELETED, NOT_REGULAR, REFUSED, NO_FILE };

/* Opens the file of an O_PATH descriptor for reading. */
static int reopen(int path_fd, const char **why)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", path_fd);
    const int fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        *why = reasons[REFUSED];
    return fd;
}

static bool has_two_devices(int fd)
{
    struct statfs fs;
    return !fstatfs(fd, &fs) &&
           (fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC);
}

/* Whether the beginning of the mapping is what the file contains there; true if the process's
 * memory cannot be read. A debugger's breakpoint makes a page differ, so one equal page among the
 * first four suffices. */
static bool same_content(pid_t pid, const struct mapping *m, int path_fd)
{
    enum { PAGE = 4096, TRIES = 4 };
    unsigned char mapped[PAGE], held[PAGE];
    const char *why;
    const int fd = reopen(path_fd, &why);
    if (fd < 0)
        return false;
    bool same = false;
    for (unsigned i = 0; i < TRIES && !same && m->start + i * PAGE < m->end; i++) {
        const ssize_t got = process_read(pid, m->start + i * PAGE, mapped, PAGE);
        const ssize_t want = pread(fd, held, PAGE, (off_t)(m->offset + i * PAGE));
        same = got <= 0 || (want > 0 && want <= got && !memcmp(mapped, held, (size_t)want));
    }
    close(fd);
    explicit_bzero(mapped, sizeof mapped);
    return same;
}

static bool is_the_file(pid_t pid, const struct mapping *m, int path_fd, const struct stat *st)
{
    if (st->st_ino != m->inode)
        return false;
    if (major(st->st_dev) == m->major && minor(st->st_dev) == m->minor)
        return true;
    return has_two_devices(path_fd) && same_content(pid, m, path_fd);
}

/* How a file is checked. map_files leads to the file that is mapped now, which may be another
 * one: INODE, or NOTHING if the mapping was read just before. A path can lead anywhere:
 * IDENTITY. */
enum check { NOTHING, INODE, IDENTITY };

static bool passes(enum check check, pid_t pid, const struct mapping *m, int fd,
                   const struct stat *st)
{
    return check == NOTHING || (check == INODE && st->st_ino == m->inode) ||
           (check == IDENTITY && is_the_file(pid, m, fd, st));
}

static int open_path(pid_t pid, const struct mapping *m, const char *path, enum check check,
                     const char **why)
{
    struct stat st;
    int fd = -1;
    const int path_fd = open(path, O_PATH | O_CLOEXEC | (check == IDENTITY ? O_NOFOLLOW : 0));
    if (path_fd < 0) {
        *why = reasons[errno == EACCES || errno == EPERM ? REFUSED : NOT_THERE];
        return -1;
    }
    if (fstat(path_fd, &st) || !S_ISREG(st.st_mode))
        *why = reasons[NOT_REGULAR];
    else if (!passes(check, pid, m, path_fd, &st))
        *why = reasons[DIFFERS];
    else
        fd = reopen(path_fd, why);
    close(path_fd);
    return fd;
}

static int open_map_file(pid_t pid, const struct mapping *m, enum check check, const char **why)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, m->start,
             m->end);
    return open_path(pid, m, path, check, why);
}

/* Opens the file by the mapping that is there now, because a mapping may be split or joined
 * after it was reported. */
static int open_map_file_now(pid_t pid, const struct mapping *m, const char **why)
{
    struct maps maps;
    if (budget_cut || maps_read(&maps, pid)) /* a process may have thousands of mappings */
        return -1;
    const struct mapping *is = maps_find(&maps, m->start);
    const bool same = is && is->inode == m->inode && is->major == m->major && is->minor == m->minor;
    const int fd = same ? open_map_file(pid, is, NOTHING, why) : -1;
    maps_free(&maps);
    return fd;
}

/* Opens the file by its path, below /proc/PID/root with the process's own mounts, or in our own
 * root. */
static int open_by_path(pid_t pid, const struct mapping *m, const char *root, const char **why)
{
    char path[PATH_MAX];
    const size_t len = strlen(m->path), tail = sizeof deleted - 1;
    if ((size_t)snprintf(path, sizeof path, "%s%s", root, m->path) >= sizeof path) {
        *why = reasons[NOT_THERE];
        return -1;
    }
    int fd = open_path(pid, m, path, IDENTITY, why);
    if (fd >= 0 || len <= tail || strcmp(m->path + len - tail, deleted) != 0)
        return fd;
    path[strlen(path) - tail] = '\0'; /* another link to the same file may still be there */
    fd = open_path(pid, m, path, IDENTITY, why);
    if (fd < 0)
        *why = reasons[DELETED];
    return fd;
}

int mapping_open(pid_t pid, const struct mapping *m, const char **why)
{
    char root[64];
    *why = reasons[NO_FILE];
    if (!m->inode || *m->path != '/')
        return -1;
    int fd = open_map_file(pid, m, INODE, why);
    if (fd < 0)
        fd = open_map_file_now(pid, m, why);
    if (fd >= 0)
        return fd;
    snprintf(root, sizeof root, "/proc/%d/root", (int)pid);
    fd = open_by_path(pid, m, root, why);
    if (fd >= 0)
        return fd;
    const char *here = reasons[NO_FILE];
    fd = open_by_path(pid, m, "", &here);
    if (*why == reasons[NOT_THERE]) /* the process has ended: report the result for our own root */
        *why = here;
    return fd;
}
