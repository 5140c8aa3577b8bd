/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"
#include <stdio.h>
#include <string.h>

/* The two versions of cgroups(7): how the line of /proc/self/cgroup begins after its number, where
 * the hierarchy is mounted, and what the limit's file is called. */
static const struct version {
    const char *begin, *mount, *file;
} versions[] = {
    { "::/", "/sys/fs/cgroup", "memory.max" },
    { ":memory:/", "/sys/fs/cgroup/memory", "memory.limit_in_bytes" },
};

static uint64_t read_limit(const struct version *v, const char *group)
{
    char path[600];
    unsigned long long limit;
    snprintf(path, sizeof path, "%s%s/%s", v->mount, group, v->file);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    const int num = fscanf(file, "%llu", &limit); /* or "max" */
    fclose(file);
    return num == 1 ? limit : UINT64_MAX;
}

/* limit_of returns the smallest limit of a group such as "/a/b" and of those around it. */
static uint64_t limit_of(const struct version *v, char *group)
{
    uint64_t least = read_limit(v, group);
    for (char *slash; (slash = strrchr(group, '/'));) {
        *slash = '\0';
        const uint64_t limit = read_limit(v, group);
        least = limit < least ? limit : least;
    }
    return least;
}

uint64_t cgroup_memory_limit(void)
{
    uint64_t least = UINT64_MAX;
    char line[512];
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *at = line + strcspn(line, ":");
        for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
            const size_t len = strlen(versions[i].begin);
            if (strncmp(at, versions[i].begin, len))
                continue;
            const uint64_t limit = limit_of(&versions[i], at + len - 1);
            least = limit < least ? limit : least;
        }
    }
    if (file)
        fclose(file);
    return least;
}
