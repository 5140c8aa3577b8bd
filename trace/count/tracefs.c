/* SPDX-License-Identifier: Apache-2.0
 *
 * New machines and most containers have no tracefs mounted.  Then it is mounted for this process
 * alone: a mount that is attached to no directory (fsmount(2), Linux 5.2) has no path, nobody else
 * sees it, and it goes with its last descriptor.
 *
 * Why not the types of the kernel (BTF), which describe tracepoints without any mount: since Linux
 * 6.2 a BPF program may follow the pointers that such a tracepoint gives it under a licence that is
 * compatible with the GPL only, and ours is not.
 */
#define _GNU_SOURCE
#include "tracefs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static int open_events(int directory, const char *path)
{
    return openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The events of a tracefs that is mounted nowhere: the descriptor alone holds it. */
static int open_detached(void)
{
    int mount = -1, events = -1;
    const int context = fsopen("tracefs", FSOPEN_CLOEXEC);
    if (context >= 0 && !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        mount =
            fsmount(context, FSMOUNT_CLOEXEC,
                    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (mount >= 0)
        events = open_events(mount, "events");
    const int error = errno;
    if (context >= 0)
        close(context);
    if (mount >= 0)
        close(mount);
    errno = error;
    return events;
}

/* Tries debugfs last, because debugfs mounts tracefs below itself when that path is looked up, and
 * keeps the mount. */
int tracefs_open(void)
{
    int events = open_events(AT_FDCWD, "/sys/kernel/tracing/events");
    if (events < 0)
        events = open_detached();
    const int error = errno;
    if (events < 0)
        events = open_events(AT_FDCWD, "/sys/kernel/debug/tracing/events");
    errno = error; /* why there is no mount of our own */
    return events;
}

static FILE *open_file(int tracefs, const char *tracepoint, const char *file)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", tracepoint, file);
    const int fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f && fd >= 0)
        close(fd);
    return f;
}

int tracefs_id(int tracefs, const char *tracepoint)
{
    FILE *f = open_file(tracefs, tracepoint, "id");
    int id;
    if (!f)
        return -1;
    const int num = fscanf(f, "%d", &id);
    fclose(f);
    return num == 1 ? id : -1;
}

int tracefs_field(int tracefs, const char *tracepoint, const char *field, unsigned *size)
{
    FILE *f = open_file(tracefs, tracepoint, "format");
    if (!f)
        return -1;
    char line[256];
    int offset = -1;
    while (offset < 0 && fgets(line, sizeof line, f)) {
        /* "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;" */
        char *end = strchr(line, ';');
        if (!strstr(line, "field:") || !end)
            continue;
        *end = 0;
        const char *name = strrchr(line, ' ');
        int at;
        if (name && !strcmp(name + 1, field) &&
            sscanf(end + 1, " offset:%d; size:%u;", &at, size) == 2)
            offset = at;
    }
    fclose(f);
    return offset;
}
