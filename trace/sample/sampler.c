/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the back end. If none works, says what is missing.
 */
#define _GNU_SOURCE
#include "sampler_backend.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- functions that both back ends use ---- */

int64_t sampler_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

long sampler_setting(const char *path)
{
    long value = -1;
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    if (fscanf(f, "%ld", &value) != 1)
        value = -1;
    fclose(f);
    return value;
}

void sampler_add_note(struct sampler *s, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t len = strlen(s->note);
    if (!strstr(s->note, text) && len + strlen(text) + 3 < sizeof s->note)
        stpcpy(stpcpy(s->note + len, len ? "; " : ""), text);
}

void sampler_tell_sample(struct sampler *s, const struct sample *sample)
{
    if (!idmap_get(&s->sampled, (uint64_t)sample->pid) &&
        idmap_set(&s->sampled, (uint64_t)sample->pid, 1))
        return;
    s->events.sample(s->ctx, sample);
}

/* Handles the end of a process. One that ended before its first sample is counted in
 * `unsampled`. */
void sampler_tell_exit(struct sampler *s, pid_t pid)
{
    if (!idmap_get(&s->sampled, (uint64_t)pid))
        s->unsampled++;
    else
        idmap_set(&s->sampled, (uint64_t)pid, 0);
    s->events.exit(s->ctx, pid);
}

void sampler_tell_maps(struct sampler *s, pid_t pid)
{
    struct maps maps;
    if (maps_read(&maps, pid))
        return;
    for (size_t i = 0; i < maps.num; i++)
        if (maps.at[i].exec)
            s->events.map(s->ctx, pid, &maps.at[i]);
    maps_free(&maps);
}

/* Reads a thread's CPU time from schedstat in ns (CONFIG_SCHED_INFO), or else from stat in
 * ticks. The state follows the last parenthesis, since the name before it may contain any
 * character. */
bool sampler_thread_time(pid_t pid, pid_t tid, uint64_t *ns, char *state)
{
    char path[64], text[512];
    unsigned long long user, system, exact;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    const size_t len = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[len] = '\0';
    const char *at = strrchr(text, ')');
    if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", state, &user,
                      &system) != 3)
        return false;
    *ns = (user + system) * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    f = fopen(path, "re");
    if (f && fscanf(f, "%llu", &exact) == 1)
        *ns = exact;
    if (f)
        fclose(f);
    return true;
}

/* ---- default functions for events that the caller does not use ---- */

static void no_sample(void *ctx, const struct sample *sample) {}
static void no_map(void *ctx, pid_t pid, const struct mapping *m) {}
static void no_exec(void *ctx, pid_t pid, const char *comm) {}
static void no_name(void *ctx, pid_t pid, const char *comm) {}
static void no_fork(void *ctx, pid_t parent, pid_t child) {}
static void no_exit(void *ctx, pid_t pid) {}
static void no_lost(void *ctx, uint64_t num) {}

static struct sampler_events complete(const struct sampler_events *e)
{
    return (struct sampler_events){ .sample = e->sample ? e->sample : no_sample,
                                    .map = e->map ? e->map : no_map,
                                    .exec = e->exec ? e->exec : no_exec,
                                    .name = e->name ? e->name : no_name,
                                    .fork = e->fork ? e->fork : no_fork,
                                    .exit = e->exit ? e->exit : no_exit,
                                    .lost = e->lost ? e->lost : no_lost };
}

/* ---- the interface ---- */

static const struct sampler_backend *const backends[] = { &sampler_perf, &sampler_ptrace };

static bool is_another_users(pid_t pid)
{
    char path[32];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return pid && geteuid() && !stat(path, &st) && st.st_uid != geteuid();
}

/* Joins the reasons of all back ends that were tried into one line with the remedy. */
static void explain(char *why, size_t max, const char *reasons, pid_t pid)
{
    const char *remedy = geteuid() ? ": run as root, or give the capability CAP_PERFMON" : "";
    if (pid && kill(pid, 0) && errno == ESRCH)
        snprintf(why, max, "there is no process %d", (int)pid);
    else if (is_another_users(pid))
        snprintf(why, max,
                 "process %d is another user's: run as root, or give the capabilities CAP_PERFMON "
                 "and CAP_SYS_PTRACE",
                 (int)pid);
    else
        snprintf(why, max, "%s%s", reasons, remedy);
}

struct sampler *sampler_open(const char *backend, const struct sampler_target *target,
                             const struct sampler_events *events, void *ctx, char *why, size_t max)
{
    char reasons[320] = "", reason[160];
    struct sampler *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, max, "no memory");
        return NULL;
    }
    *s = (struct sampler){ .target = *target, .events = complete(events), .ctx = ctx, .pidfd = -1 };
    if (target->pid)
        s->pidfd = (int)syscall(SYS_pidfd_open, target->pid, 0);
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        if (strcmp(backend, "auto") != 0 ? strcmp(backend, backends[i]->name) != 0
                                         : *reasons && !target->pid)
            continue;
        s->backend = backends[i];
        s->name = backends[i]->name;
        s->hz = target->hz;
        *s->note = '\0';
        snprintf(reason, sizeof reason, "no memory");
        if (!backends[i]->open(s, reason, sizeof reason))
            return s;
        const size_t len = strlen(reasons);
        snprintf(reasons + len, sizeof reasons - len, "%s%s", len ? " and " : "", reason);
    }
    if (*reasons)
        explain(why, max, reasons, target->pid);
    else
        snprintf(why, max, "no sampler %s: must be auto, perf or ptrace", backend);
    if (s->pidfd >= 0)
        close(s->pidfd);
    free(s);
    return NULL;
}

const char *sampler_backend(const struct sampler *s)
{
    return s->name;
}

unsigned sampler_hz(const struct sampler *s)
{
    return s->hz;
}

const char *sampler_note(const struct sampler *s)
{
    return *s->note ? s->note : NULL;
}

int sampler_poll(struct sampler *s, int timeout_ms, int *wait_status)
{
    if (!s->ended && s->backend->poll(s, timeout_ms < 0 ? 0 : timeout_ms))
        return -1;
    if (s->ended && s->target.launched)
        *wait_status = s->wait_status;
    return !s->ended;
}

void sampler_stop(struct sampler *s)
{
    if (!s->stopped)
        s->backend->stop(s);
    if (!s->stopped && s->unsampled && s->target.pid)
        sampler_add_note(s, "%u process%s ended before a first sample", s->unsampled,
                         s->unsampled == 1 ? "" : "es");
    s->stopped = true;
}

void sampler_close(struct sampler *s)
{
    sampler_stop(s);
    s->backend->close(s);
    if (s->pidfd >= 0)
        close(s->pidfd);
    idmap_free(&s->sampled);
    free(s);
}
