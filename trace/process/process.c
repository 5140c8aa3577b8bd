/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads what /proc says about a process. The process can choose all of this text.
 */
#define _GNU_SOURCE
#include "process.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads a small file of /proc and puts a NUL behind it. Returns the length, or -1. */
static ssize_t read_text(char *out, size_t max, pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t len = 0, got = 0;
    while ((size_t)len + 1 < max && (got = read(fd, out + len, max - 1 - (size_t)len)) > 0)
        len += got;
    const int error = errno;
    close(fd);
    out[len] = '\0';
    errno = error;
    return got < 0 ? -1 : len;
}

/* Reads memory through /proc/PID/mem, in case process_vm_readv is filtered (seccomp). */
static ssize_t read_mem_file(pid_t pid, uint64_t address, void *out, size_t len)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t got = address > INT64_MAX ? -1 : pread(fd, out, len, (off_t)address);
    close(fd);
    return got;
}

ssize_t process_read(pid_t pid, uint64_t address, void *out, size_t len)
{
    const struct iovec local = { out, len };
    const struct iovec remote = { (void *)(uintptr_t)address, len };
    const ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    return got >= 0 ? got : read_mem_file(pid, address, out, len);
}

void process_name(char *out, size_t max, pid_t pid)
{
    const ssize_t len = read_text(out, max, pid, "comm");
    if (len <= 0)
        snprintf(out, max, "?");
    else
        out[strcspn(out, "\n")] = '\0';
}

bool process_is_setuid(pid_t pid)
{
    char text[4096];
    unsigned real, effective;
    if (read_text(text, sizeof text, pid, "status") <= 0)
        return false;
    static const char *const keys[] = { "\nUid:", "\nGid:" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *at = strstr(text, keys[i]);
        if (at && sscanf(at + 5, "%u %u", &real, &effective) == 2 && real != effective)
            return true;
    }
    return false;
}

ssize_t process_threads(pid_t **tids, pid_t pid)
{
    char path[64];
    size_t num = 0, room = 0;
    *tids = NULL;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    for (const struct dirent *e; (e = readdir(dir));) {
        const long tid = strtol(e->d_name, NULL, 10);
        if (tid <= 0 || tid > INT_MAX)
            continue;
        if (num == room) {
            room = room ? 2 * room : 16;
            pid_t *more = reallocarray(*tids, room, sizeof *more);
            if (!more) {
                free(*tids);
                *tids = NULL;
                closedir(dir);
                return -1;
            }
            *tids = more;
        }
        (*tids)[num++] = (pid_t)tid;
    }
    closedir(dir);
    errno = ESRCH;
    return num ? (ssize_t)num : -1;
}
