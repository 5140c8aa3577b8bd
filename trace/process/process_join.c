/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves this process into the control groups of another one, so that what it uses is charged there.
 * A line of /proc/PID/cgroup is "number:controllers:path"; hierarchies are mounted where systemd
 * mounts them: version 2 at /sys/fs/cgroup or /sys/fs/cgroup/unified, version 1 in a folder named
 * by its controllers.
 */
#define _GNU_SOURCE
#include "process.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char root[] = "/sys/fs/cgroup";

/* Whether a file of /proc has this line. */
static bool has_line(const char *file, const char *line)
{
    char *other = NULL;
    size_t room = 0;
    bool found = false;
    FILE *f = fopen(file, "re");
    while (f && !found && getline(&other, &room, f) > 0)
        found = !strcmp(other, line);
    free(other);
    if (f)
        fclose(f);
    return found;
}

static bool enter(const char *folder, const char *path)
{
    char procs[PATH_MAX];
    const int n = snprintf(procs, sizeof procs, "%s%s%s%s/cgroup.procs", root, *folder ? "/" : "",
                           folder, path);
    if (n < 0 || (size_t)n >= sizeof procs)
        return false;
    const int fd = open(procs, O_WRONLY | O_CLOEXEC);
    const bool ok = fd >= 0 && write(fd, "0", 1) == 1;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Enters the group of one line, which it takes apart. */
static bool enter_line(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return false;
    *path++ = '\0';
    controllers++;
    if (*path != '/' || strstr(path, "/.."))
        return false; /* a group outside of our namespace */
    if (!*controllers)
        return enter("", path) || enter("unified", path);
    return enter(!strncmp(controllers, "name=", 5) ? controllers + 5 : controllers, path);
}

bool process_join_cgroups(pid_t pid)
{
    char file[64], *line = NULL;
    size_t room = 0;
    snprintf(file, sizeof file, "/proc/%d/cgroup", (int)pid);
    FILE *f = fopen(file, "re");
    bool ok = f != NULL;
    while (ok && getline(&line, &room, f) > 0)
        ok = has_line("/proc/self/cgroup", line) || enter_line(line);
    free(line);
    if (f)
        fclose(f);
    return ok;
}
