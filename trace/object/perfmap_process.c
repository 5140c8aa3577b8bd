/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a process's perf map, or asks a JVM for one.
 *
 * The request is made by jcmd, which sends SIGQUIT. That signal ends a process that does not catch
 * it, so the process must map libjvm.so and catch the signal.
 */
#define _GNU_SOURCE /* O_PATH */
#include "../budget.h"
#include "jcmd.h"
#include "perfmap.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_MAP = 64 << 20 };

struct target {
    pid_t pid, inner_pid; /* inner_pid: in its own pid namespace */
    uid_t uid;            /* effective user id */
    gid_t gid;
    uint64_t caught; /* set of caught signals */
};

static bool read_status(struct target *t, pid_t pid)
{
    char path[64], line[512];
    unsigned long uid = 0, gid = 0;
    bool found = false;
    *t = (struct target){ .pid = pid, .inner_pid = pid };
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    while (fgets(line, sizeof line, f)) {
        const char *last = strrchr(line, '\t');
        if (!strncmp(line, "NSpid:", 6) && last)
            t->inner_pid = (pid_t)strtol(last, NULL, 10);
        else if (sscanf(line, "Uid: %*u %lu", &uid) == 1)
            found = true;
        else if (sscanf(line, "Gid: %*u %lu", &gid) != 1 && !strncmp(line, "SigCgt:", 7) && last)
            t->caught = strtoull(last, NULL, 16);
    }
    fclose(f);
    t->uid = (uid_t)uid;
    t->gid = (gid_t)gid;
    return found;
}

/* Opens the process's /tmp and sets the name of the map there. No component but those in /proc
 * may be a symbolic link, because a link of another root would lead elsewhere in ours. */
static int open_tmp(const struct target *t, char *name, size_t max)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/root", (long)t->pid);
    snprintf(name, max, "perf-%ld.map", (long)t->inner_pid);
    const int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int tmp =
        root < 0 ? -1 : openat(root, "tmp", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (root >= 0)
        close(root);
    return tmp;
}

/* Reads a map, which must be a regular file of the process's user or of root. */
static int read_map(struct perfmap *map, int tmp, const char *name, const struct target *t)
{
    struct stat st;
    int result = -1;
    const int fd = openat(tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    char *text = NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_uid == t->uid || st.st_uid == 0) &&
        st.st_size <= MAX_MAP && budget_take((size_t)st.st_size + 1)) {
        size_t len = 0;
        text = malloc((size_t)st.st_size + 1);
        for (ssize_t n; text && len < (size_t)st.st_size; len += (size_t)n)
            if ((n = read(fd, text + len, (size_t)st.st_size - len)) <= 0)
                break;
        result = text ? perfmap_parse(map, text, len) : -1;
        budget_give((size_t)st.st_size + 1);
    }
    free(text);
    close(fd);
    return result;
}

int perfmap_read(struct perfmap *map, pid_t pid)
{
    struct target t;
    char name[64];
    *map = (struct perfmap){ 0 };
    const int tmp = read_status(&t, pid) ? open_tmp(&t, name, sizeof name) : -1;
    if (tmp < 0)
        return -1;
    const int result = read_map(map, tmp, name, &t);
    close(tmp);
    return result;
}

/* ---- a JVM ---- */

static bool maps_jvm(pid_t pid)
{
    char path[64], line[4352];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, "/libjvm.so\n") || strstr(line, "/libjvm.so (deleted)\n");
    if (f)
        fclose(f);
    return found;
}

/* Removes the map that a JVM has written. Another mount or pid namespace may have given it the name
 * of another process's map, which stays. */
static void remove_map(int tmp, const char *name, const struct target *t)
{
    struct stat st;
    if (!fstatat(tmp, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && st.st_uid == t->uid)
        unlinkat(tmp, name, 0);
}

int perfmap_ask_jvm(struct perfmap *map, pid_t pid)
{
    struct target t;
    char name[64];
    int result = -1;
    *map = (struct perfmap){ 0 };
    if (!read_status(&t, pid) || !maps_jvm(pid) || !(t.caught & (uint64_t)1 << (SIGQUIT - 1)) ||
        (geteuid() != 0 && geteuid() != t.uid))
        return -1;
    const int tmp = open_tmp(&t, name, sizeof name);
    if (tmp < 0)
        return -1;
    /* A map that the program wrote itself must not be overwritten. */
    struct stat st;
    if (fstatat(tmp, name, &st, AT_SYMLINK_NOFOLLOW)) {
        const int asked = jcmd_run(pid, t.uid, t.gid);
        if (asked > 0)
            result = read_map(map, tmp, name, &t);
        if (asked >= 0)
            remove_map(tmp, name, &t);
    } else {
        result = read_map(map, tmp, name, &t);
    }
    close(tmp);
    return result;
}
