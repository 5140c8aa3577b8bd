/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end for kernels before 6.6: each probe is a perf_event of the type "uprobe" (4.17). With
 * a BPF program it counts calls and bytes of the process tree; where bpf(2) is refused, the event
 * itself counts calls, of each thread and of all that the thread starts.
 *
 * Closing one such event takes the kernel tens of milliseconds (a grace period each), 122 of them
 * several seconds.  So a process of its own holds them last and ends: we do not wait for it.
 */
#define _GNU_SOURCE /* close_range */
#include "bpf.h"
#include "probes_program.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct uprobe {
    struct counters counters;
    bool plain; /* events count by themselves, without BPF */
    struct event {
        int fd;
        size_t point;
    } * events;
    size_t num_events;
};

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static bool is_selected(const struct event *e, const struct point *points, bool all)
{
    return all || points[e->point].hot;
}

/* Closes all descriptors but the pipe and the events that are to go, so that neither a reader of
 * our output nor the process that holds COMMAND waits for this process.  Returns 0, or -1 without
 * memory. */
static int keep_only(int pipe, const struct uprobe *u, const struct point *points, bool all)
{
    int *kept = calloc(u->num_events + 1, sizeof *kept);
    size_t num = 0;
    if (!kept)
        return -1;
    kept[num++] = pipe;
    for (size_t i = 0; i < u->num_events; i++)
        if (is_selected(&u->events[i], points, all))
            kept[num++] = u->events[i].fd;
    qsort(kept, num, sizeof *kept, ascending);
    int from = 0;
    for (size_t i = 0; i < num; from = kept[i++] + 1)
        if (kept[i] > from)
            close_range((unsigned)from, (unsigned)kept[i] - 1, 0);
    close_range((unsigned)from, ~0u, 0);
    free(kept);
    return 0;
}

/* Waits until the parent closes the pipe, and ends; by then no other process has the events. */
static _Noreturn void keep_until(int pipe)
{
    char byte;
    while (read(pipe, &byte, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* Closes the events of hot points, or all events, without waiting for the kernel. */
static void close_events(struct uprobe *u, const struct point *points, bool all)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t child = fork();
    if (!child) {
        close(ends[1]);
        if (!keep_only(ends[0], u, points, all) && fork() == 0)
            keep_until(ends[0]);
        _exit(0); /* the parent waits for this child, which has closed our output by then */
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    size_t kept = 0;
    for (size_t i = 0; i < u->num_events; i++)
        if (is_selected(&u->events[i], points, all))
            close(u->events[i].fd);
        else
            u->events[kept++] = u->events[i];
    u->num_events = kept;
    close(ends[0]);
    close(ends[1]);
}

static void uprobe_close(struct probes *p)
{
    struct uprobe *u = p->state;
    if (!u)
        return;
    if (u->num_events)
        close_events(u, p->points, true);
    program_counters_close(&u->counters);
    free(u->events);
    free(u);
    p->state = NULL;
    tree_close(p->tree);
    p->tree = NULL;
}

/* Whether the kernel has uprobes and allows them: tries one at the ELF header of our own file,
 * which nobody executes. */
static bool is_allowed(char *why, size_t max)
{
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int event = self >= 0 ? bpf_uprobe(-1, self, 0, getpid()) : -1;
    if (event < 0)
        snprintf(why, max,
                 errno == EACCES ? "perf_event's uprobes need CAP_SYS_ADMIN" : "uprobes: %m");
    else
        close(event);
    if (self >= 0)
        close(self);
    return event >= 0;
}

static int uprobe_open(struct probes *p, char *why, size_t max)
{
    struct uprobe *u = calloc(1, sizeof *u);
    if (!u)
        return -1;
    if (!is_allowed(why, max)) {
        free(u);
        return -1;
    }
    p->state = u;
    u->counters.map = -1;
    p->tree = tree_open(&p->target, why, max);
    u->plain = !p->tree || program_counters_open(&u->counters);
    p->counts_bytes = !u->plain;
    if (u->plain && !p->target.pid) {
        snprintf(why, max, "uprobes of the whole system need CAP_BPF and CAP_PERFMON");
        uprobe_close(p);
        return -1;
    }
    if (!u->plain && p->target.launched && p->target.hold)
        p->holder = held_open(p->target.pid, p->tree, false, why, max);
    return 0;
}

static int keep(struct uprobe *u, int fd, size_t point)
{
    struct event *events = fd < 0 ? NULL : realloc(u->events, (u->num_events + 1) * sizeof *events);
    if (!events && fd >= 0)
        close(fd);
    if (!events)
        return -1;
    u->events = events;
    u->events[u->num_events++] = (struct event){ .fd = fd, .point = point };
    return 0;
}

/* Adds an event for each thread of the target; what a thread starts inherits its event. */
static int add_plain(struct probes *p, size_t i)
{
    struct uprobe *u = p->state;
    pid_t *tids = NULL;
    ssize_t num = process_threads(&tids, p->target.pid);
    int result = num > 0 ? 0 : -1;
    for (ssize_t k = 0; k < num && !result; k++)
        result = keep(u, bpf_uprobe(-1, p->points[i].file, p->points[i].offset, tids[k]), i);
    free(tids);
    return result;
}

static int add_program(struct probes *p, size_t i)
{
    struct uprobe *u = p->state;
    const struct point *at = &p->points[i];
    struct program program = { .tree = p->tree,
                               .counters = u->counters.map,
                               .constant = true,
                               .cookie = i | (uint64_t)at->arg << ARGUMENT_SHIFT };
    int fd = program_load(&program);
    if (fd < 0)
        return -1;
    int event = bpf_uprobe(fd, at->file, at->offset, 0);
    close(fd); /* the event holds it */
    return keep(u, event, i);
}

static int uprobe_add(struct probes *p, size_t first, char *why, size_t max)
{
    struct uprobe *u = p->state;
    const size_t before = u->num_events;
    int result = p->num > MAX_SLOTS ? -1 : 0;
    errno = E2BIG;
    for (size_t i = first; i < p->num && !result; i++)
        result = u->plain ? add_plain(p, i) : add_program(p, i);
    if (!result)
        return 0;
    snprintf(why, max, "uprobe: %m");
    while (u->num_events > before) /* the slots of these points will belong to another file */
        close(u->events[--u->num_events].fd);
    return -1;
}

static int uprobe_read(struct probes *p)
{
    struct uprobe *u = p->state;
    if (!u->plain)
        return program_counters_read(&u->counters, p);
    for (size_t i = 0; i < p->num; i++)
        if (!p->points[i].hot)
            p->points[i].calls = 0;
    for (size_t i = 0; i < u->num_events; i++) {
        uint64_t count;
        if (read(u->events[i].fd, &count, sizeof count) != sizeof count)
            return -1;
        p->points[u->events[i].point].calls += count;
    }
    return 0;
}

static int uprobe_take_out(struct probes *p)
{
    close_events(p->state, p->points, false);
    return 0;
}

const struct probes_backend probes_uprobe = {
    .name = "uprobe",
    .exactness = COUNT_EXACT,
    .open = uprobe_open,
    .add = uprobe_add,
    .read = uprobe_read,
    .take_out = uprobe_take_out,
    .close = uprobe_close,
};
