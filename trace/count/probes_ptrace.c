/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end without root, which can only tell whether a function was called at all. It uses
 * one-shot breakpoints in the CPU's debug registers, four at a time. They are set through
 * perf_event, which disables each at its first hit, so that even a hot leaf costs only one trap.
 * Functions that were not seen yet take turns.
 *
 * Breakpoint instructions written by ptrace would stay in the process's memory if the tracer is
 * killed, and the next thread that executes one dies. Debug registers set by ptrace would stay as
 * well. Those of perf_event belong to a descriptor: the kernel clears them when the tracer ends,
 * however it ends.
 *
 * Calls of a function outside of its turns are missed, so every count is "at least".
 */
#include "probes_internal.h"
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REGISTERS = 4, MAX_THREADS = 64 };
#define TURN 10000000u /* ns */

struct watch {
    int fd;
    size_t point;
};

struct breakpoints {
    uint64_t *addresses; /* addresses of the points in the target; 0: not mapped there */
    size_t num;
    size_t next;         /* next point to be watched */
    size_t first_thread; /* where the next turn begins, so that all of many threads get a turn */
    uint64_t turn_ends;  /* time in ns */
    struct watch watches[REGISTERS * MAX_THREADS];
    size_t num_watches;
};

static int open_breakpoint(pid_t tid, uint64_t address)
{
    struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof attr };
    attr.bp_type = HW_BREAKPOINT_X;
    attr.bp_addr = address;
    attr.bp_len = sizeof(long);
    attr.sample_period = 1;
    attr.disabled = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    int fd =
        (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_REFRESH, 1)) { /* disabled after one hit */
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Adds the hits of the watches and closes them. */
static void end_turn(struct probes *p)
{
    struct breakpoints *b = p->state;
    for (size_t i = 0; i < b->num_watches; i++) {
        uint64_t hits = 0;
        if (read(b->watches[i].fd, &hits, sizeof hits) == sizeof hits)
            p->points[b->watches[i].point].calls += hits;
        close(b->watches[i].fd);
    }
    b->num_watches = 0;
}

static void watch_point(struct breakpoints *b, size_t point, const pid_t *tids, size_t num_tids)
{
    for (size_t i = 0; i < num_tids && i < MAX_THREADS; i++) {
        pid_t tid = tids[(b->first_thread + i) % num_tids];
        int fd = open_breakpoint(tid, b->addresses[point]);
        if (fd >= 0)
            b->watches[b->num_watches++] = (struct watch){ .fd = fd, .point = point };
    }
}

/* Watches the next four points that were not hit yet. */
static void start_turn(struct probes *p)
{
    struct breakpoints *b = p->state;
    pid_t *tids = NULL;
    ssize_t num_tids = process_threads(&tids, p->target.pid);
    size_t taken = 0;
    for (size_t n = 0; num_tids > 0 && n < b->num && taken < REGISTERS; n++) {
        size_t point = b->next++ % b->num;
        if (!b->addresses[point] || p->points[point].calls)
            continue;
        watch_point(b, point, tids, (size_t)num_tids);
        taken++;
    }
    b->first_thread += MAX_THREADS;
    b->turn_ends = probes_now() + TURN;
    free(tids);
}

static int ptrace_tick(struct probes *p)
{
    struct breakpoints *b = p->state;
    if (!b->num || probes_now() < b->turn_ends)
        return 0;
    end_turn(p);
    start_turn(p);
    return 0;
}

static int ptrace_open(struct probes *p, char *why, size_t max)
{
    if (!p->target.pid) {
        snprintf(why, max, "counts of the whole system need CAP_BPF and CAP_PERFMON");
        return -1;
    }
    int fd = open_breakpoint(p->target.pid, (uintptr_t)ptrace_open);
    if (fd < 0) {
        snprintf(why, max, "%s: %m",
                 errno == EACCES ? "kernel.perf_event_paranoid above 2 refuses breakpoints"
                                 : "breakpoints of perf_event");
        return -1;
    }
    close(fd);
    p->state = calloc(1, sizeof(struct breakpoints));
    return p->state ? 0 : -1;
}

/* The address where the target maps an offset of a file as code; 0 if it does not. */
static uint64_t mapped_at(const struct maps *maps, const struct stat *st, uint64_t offset)
{
    for (size_t i = 0; i < maps->num; i++) {
        const struct mapping *m = &maps->at[i];
        if (m->exec && m->inode == st->st_ino && offset >= m->offset &&
            offset - m->offset < m->end - m->start)
            return m->start + (offset - m->offset);
    }
    return 0;
}

static int ptrace_add(struct probes *p, size_t first, char *why, size_t max)
{
    struct breakpoints *b = p->state;
    struct maps maps = { 0 };
    struct stat st;
    uint64_t *addresses = realloc(b->addresses, p->num * sizeof *addresses);
    if (addresses)
        b->addresses = addresses;
    if (!addresses || fstat(p->points[first].file, &st) || maps_read(&maps, p->target.pid)) {
        snprintf(why, max, "its mappings: %m");
        return -1;
    }
    for (size_t i = first; i < p->num; i++)
        b->addresses[i] = mapped_at(&maps, &st, p->points[i].offset);
    b->num = p->num;
    maps_free(&maps);
    return 0;
}

/* Ends the turn, which adds its hits to the points; the next tick starts another turn. */
static int ptrace_read(struct probes *p)
{
    end_turn(p);
    ((struct breakpoints *)p->state)->turn_ends = 0;
    return 0;
}

static void ptrace_close(struct probes *p)
{
    struct breakpoints *b = p->state;
    if (!b)
        return;
    end_turn(p);
    free(b->addresses);
    free(b);
    p->state = NULL;
}

const struct probes_backend probes_ptrace = {
    .name = "ptrace",
    .exactness = COUNT_AT_LEAST,
    .open = ptrace_open,
    .add = ptrace_add,
    .tick = ptrace_tick,
    .read = ptrace_read,
    .close = ptrace_close,
};
