/* SPDX-License-Identifier: Apache-2.0
 *
 * The short name of a process's control group: the name of the container or unit, taken from the
 * path in /proc/PID/cgroup. Names of systemd's units: systemd.unit(5); names of containers: as the
 * container engines' cgroup drivers write them.
 */
#define _GNU_SOURCE
#include "process.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_ID = 12 }; /* digits of a container's id that engines print */

/* Prefixes of names like "docker-<id>.scope", and the engine that uses each. An id of at least 32
 * hexadecimal digits is shortened; any other name (lxc, machine) is shown as a whole. */
static const struct {
    const char *prefix, *engine;
} engines[] = {
    { "docker-", "docker" },       { "cri-containerd-", "containerd" }, { "crio-", "crio" },
    { "libpod-", "podman" },       { "nerdctl-", "containerd" },        { "lxc.payload.", "lxc" },
    { "machine-lxc\\x2d", "lxc" }, { "machine-", "machine" },
};

static bool is_id(const char *s, size_t len)
{
    if (len < 32)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isxdigit((unsigned char)s[i]))
            return false;
    return true;
}

static bool ends_in(const char *s, size_t len, const char *end)
{
    const size_t n = strlen(end);
    return len > n && !memcmp(s + len - n, end, n);
}

/* Writes the name for one component of the path; false if it names nothing. before: the
 * component before it. */
static bool component(char *out, size_t max, const char *s, size_t len, const char *before)
{
    const size_t base = ends_in(s, len, ".scope") ? len - 6 : len;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        const size_t n = strlen(engines[i].prefix);
        if (base <= n || strncmp(s, engines[i].prefix, n))
            continue;
        const size_t rest = base - n;
        const int show = is_id(s + n, rest) ? SHORT_ID : (int)rest;
        snprintf(out, max, "%s:%.*s", engines[i].engine, show, s + n);
        return true;
    }
    if (is_id(s, len)) { /* cgroupfs drivers: /docker/<id>, /kubepods/.../<id> */
        const char *engine = !strncmp(before, "docker/", 7)  ? "docker"
                             : !strncmp(before, "libpod", 6) ? "podman"
                                                             : "container";
        snprintf(out, max, "%s:%.*s", engine, SHORT_ID, s);
        return true;
    }
    /* A login session is not shown. */
    if (!ends_in(s, len, ".service") && !(base < len && strncmp(s, "session-", 8)))
        return !strncmp(before, "lxc/", 4) ? snprintf(out, max, "lxc:%.*s", (int)len, s) > 0
                                           : false;
    snprintf(out, max, "%.*s", (int)base, s);
    return true;
}

/* Takes the last component that names something; a service within a container counts as the
 * container. */
void process_cgroup_short(char *out, size_t max, const char *path)
{
    const char *before = "";
    if (max)
        *out = '\0';
    for (const char *s = path; *s; s += *s == '/') {
        const size_t len = strcspn(s, "/\n");
        char name[256];
        if (len && len < sizeof name && component(name, sizeof name, s, len, before)) {
            snprintf(out, max, "%s", name);
            if (strchr(name, ':'))
                return;
        }
        before = s;
        s += len;
        if (*s == '\n')
            return;
    }
}

void process_cgroup(char *out, size_t max, pid_t pid)
{
    char path[64], line[4096];
    if (max)
        *out = '\0';
    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    /* "0::/path" is cgroup version 2; in version 1, systemd's own hierarchy has the same path. */
    while (fgets(line, sizeof line, f)) {
        char *at = !strncmp(line, "0::", 3) ? line + 3 : strstr(line, ":name=systemd:");
        if (at)
            process_cgroup_short(out, max, strchr(at, '/') ? strchr(at, '/') : "");
        if (at && *out)
            break;
    }
    fclose(f);
}
