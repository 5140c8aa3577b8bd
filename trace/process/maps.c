/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads /proc/PID/maps: one line for each mapping, "start-end perms offset major:minor inode
 * path" (proc_pid_maps(5)). The process chooses the path. The kernel escapes only a newline in it,
 * as \012, and appends " (deleted)" if the file was deleted.
 */
#define _GNU_SOURCE
#include "process.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MAPPINGS = 1 << 20 }; /* sysctl vm.max_map_count is 65530 by default */

static void unescape(char *out, const char *in)
{
    while (*in) {
        const bool newline = !strncmp(in, "\\012", 4);
        *out++ = newline ? '\n' : *in;
        in += newline ? 4 : 1;
    }
    *out = '\0';
}

/* Returns 1 for a mapping, 0 for a line of another form, -1 without memory. */
static int parse(struct mapping *out, char *line)
{
    char perms[5];
    int at = 0;
    *out = (struct mapping){ 0 };
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &out->start,
               &out->end, perms, &out->offset, &out->major, &out->minor, &out->inode, &at) != 7 ||
        !at || strlen(perms) != 4 || out->start >= out->end)
        return 0;
    out->write = perms[1] == 'w';
    out->exec = perms[2] == 'x';
    const char *path = line + at + strspn(line + at, " ");
    out->path = malloc(strlen(path) + 1);
    if (!out->path)
        return -1;
    unescape(out->path, path);
    return 1;
}

static int add(struct maps *maps, size_t *room, char *line)
{
    if (maps->num == *room) {
        const size_t more = *room ? 2 * *room : 64;
        struct mapping *at = reallocarray(maps->at, more, sizeof *at);
        if (!at)
            return -1;
        maps->at = at;
        *room = more;
    }
    const int got = parse(&maps->at[maps->num], line);
    if (got > 0)
        maps->num++;
    return got < 0 ? -1 : 0;
}

int maps_read(struct maps *maps, pid_t pid)
{
    char path[64], *line = NULL;
    size_t room = 0, line_room = 0;
    *maps = (struct maps){ 0 };
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    int error = 0;
    errno = 0;
    while (!error && maps->num < MAX_MAPPINGS && getline(&line, &line_room, f) > 0)
        error = add(maps, &room, line) ? ENOMEM : 0;
    if (!error && ferror(f))
        error = errno ? errno : EIO;
    fclose(f);
    free(line);
    if (!error)
        return 0;
    maps_free(maps);
    errno = error;
    return -1;
}

void maps_free(struct maps *maps)
{
    for (size_t i = 0; i < maps->num; i++)
        free(maps->at[i].path);
    free(maps->at);
    *maps = (struct maps){ 0 };
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->num;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct mapping *m = &maps->at[middle];
        if (address < m->start)
            high = middle;
        else if (address >= m->end)
            low = middle + 1;
        else
            return m;
    }
    return NULL;
}
