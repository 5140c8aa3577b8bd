/* SPDX-License-Identifier: Apache-2.0
 *
 * A process keeps the configuration that it read when it first used libcrypto. Its memory maps
 * (proc(5)) show whether that one loaded headrace.so.
 */
#define _GNU_SOURCE
#include "running.h"
#include "../../cli/providers.h"
#include "../../cli/tool.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *open_proc(const char *pid, const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.16s/%s", pid, file);
    return fopen(path, "re");
}

/* The files that a process has mapped: -1 if that cannot be read, else bits. */
enum { HAS_LIBCRYPTO = 1, HAS_HEADRACE = 2 };

/* A line of the maps ends with a file's name, and " (deleted)" if the file was replaced. */
static int file_of(const char *line)
{
    const char *slash = strrchr(line, '/');
    if (!slash)
        return 0;
    if (has_providers(slash + 1))
        return HAS_LIBCRYPTO;
    return strncmp(slash + 1, "headrace.so", strlen("headrace.so")) ? 0 : HAS_HEADRACE;
}

static int mapped(const char *pid)
{
    int has = 0;
    char *line = NULL;
    size_t size = 0;
    FILE *maps = open_proc(pid, "maps");
    if (!maps)
        return -1;
    while (getline(&line, &size, maps) > 0)
        has |= file_of(line);
    free(line);
    fclose(maps);
    return has;
}

/* Whether a control group is a unit of this system's systemd: only slices are above it, where that
 * of a container or a user has a scope or a service. Other names than systemd's could be commands
 * when the line is pasted into a shell. */
static bool is_unit_path(const char *path, const char *name, size_t len)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789:_.@-";
    static const char slice[] = ".slice/";
    for (const char *end; path < name; path = end + 1) {
        end = strchr(path, '/');
        if (end > path && ((size_t)(end - path) < sizeof slice - 2 ||
                           strncmp(end - (sizeof slice - 2), slice, sizeof slice - 1)))
            return false;
    }
    return *name != '-' && strspn(name, letters) >= len;
}

/* Gets the name of the systemd service in which a process is: the last part of its control group
 * that ends with .service (cgroups(7)). */
static bool unit_of(char out[RUNNING_NAME], const char *pid)
{
    static const char suffix[] = ".service";
    char line[512];
    bool found = false;
    FILE *groups = open_proc(pid, "cgroup");
    while (groups && !found && fgets(line, sizeof line, groups)) {
        line[strcspn(line, "\n")] = '\0';
        const char *slash = strrchr(line, '/');
        const size_t len = slash ? strlen(slash + 1) : 0, end = sizeof suffix - 1;
        found = len > end && len - end < RUNNING_NAME && !strcmp(slash + 1 + len - end, suffix) &&
                is_unit_path(strchr(line, '/'), slash + 1, len);
        if (found)
            snprintf(out, RUNNING_NAME, "%.*s", (int)(len - end), slash + 1);
    }
    if (groups)
        fclose(groups);
    return found;
}

static void program_of(char out[RUNNING_NAME], const char *pid)
{
    FILE *name = open_proc(pid, "comm");
    if (!name || !fgets(out, RUNNING_NAME, name))
        *out = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (name)
        fclose(name);
}

static void add(struct running *r, const char *name, bool is_unit)
{
    size_t i = 0;
    while (i < r->num && (r->all[i].is_unit != is_unit || strcmp(r->all[i].name, name)))
        i++;
    if (i == RUNNING_MAX)
        return;
    if (i == r->num) {
        snprintf(r->all[i].name, RUNNING_NAME, "%s", name);
        r->all[i].is_unit = is_unit;
        r->num++;
    }
    r->all[i].num++;
}

static void look_at(struct running *r, const char *pid, bool served)
{
    char name[RUNNING_NAME];
    const int has = mapped(pid);
    if (has < 0)
        r->unread++;
    if (has < 0 || !(has & HAS_LIBCRYPTO) || !!(has & HAS_HEADRACE) != served)
        return;
    const bool is_unit = unit_of(name, pid);
    if (!is_unit)
        program_of(name, pid);
    if (*name)
        add(r, name, is_unit);
}

void running_find(struct running *out, bool served)
{
    memset(out, 0, sizeof *out);
    DIR *proc = opendir("/proc");
    for (const struct dirent *entry; proc && (entry = readdir(proc));)
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
            atol(entry->d_name) != (long)getpid())
            look_at(out, entry->d_name, served);
    if (proc)
        closedir(proc);
}

/* Prints the units, or the programs outside of units, after `words`. */
static void print_names(const struct running *r, bool units, const char *words, bool counts)
{
    bool any = false;
    for (size_t i = 0; i < r->num; i++) {
        if (r->all[i].is_unit != units)
            continue;
        tool_say("%s %s", any ? "" : words, r->all[i].name);
        if (counts && r->all[i].num > 1)
            printf(" (%u)", r->all[i].num);
        any = true;
    }
    if (any)
        putchar('\n');
}

void running_print(const struct running *r, const char *state)
{
    if (r->num)
        tool_say("Running already, so that they %s until they are started again:\n", state);
    print_names(r, true, "  systemctl restart", false);
    print_names(r, false, "  other programs:", true);
    if (r->unread && geteuid())
        puts("Other users' processes were not looked at; root may.");
}
