/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens events.  A ring is a CPU's, and only an event of one CPU may be inherited by new threads
 * and have a ring: so there is one event a thread and CPU, and all of a CPU share its ring.  Where
 * that would be more than we may have open, the events are those of the whole system, of which
 * other processes' are left out; where that is not allowed, the busiest threads' only.
 */
#define _GNU_SOURCE
#include "sampler_perf.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ALL = -1,         /* processes */
    KEPT_FREE = 128,  /* descriptors for others: mapped files, reports */
    MAX_ROUNDS = 16,  /* of reading the list of threads */
    RING = 512 << 10, /* what an unprivileged user may lock, with its page: perf_event_mlock_kb */
    RING_MIN = 32 << 10,
    RINGS = 128 << 20, /* all of them together */
};

static int open_event(const struct perf *p, pid_t tid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, &p->attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int keep_fd(struct perf *p, int fd)
{
    if (p->num_fds == p->fds_room) {
        const size_t room = p->fds_room ? 2 * p->fds_room : 64;
        int *fds = reallocarray(p->fds, room, sizeof *fds);
        if (!fds)
            return -1;
        p->fds = fds;
        p->fds_room = room;
    }
    p->fds[p->num_fds++] = fd;
    return 0;
}

/* A smaller ring where this user's locked memory is used up already. */
static int new_ring(struct perf *p, size_t i, int fd)
{
    size_t len = RING;
    while (len > RING_MIN && len * p->num_cpus > RINGS)
        len /= 2;
    while (ring_open(&p->rings[i], fd, p->cpus[i], len)) {
        if ((errno != EPERM && errno != ENOMEM) || len <= RING_MIN)
            return -1;
        len /= 2;
    }
    return 0;
}

static int own_event(struct perf *p, int fd, pid_t tid)
{
    uint64_t id;
    return tid == ALL || p->sampler->target.launched ? 0
           : ioctl(fd, PERF_EVENT_IOC_ID, &id)       ? -1
                                                     : idmap_set(&p->owners, id, (uint64_t)tid);
}

/* One event, with its ring and begun.  0; -1 with errno. */
static int add_event(struct perf *p, pid_t tid, size_t i)
{
    const int fd = open_event(p, tid, p->cpus[i]);
    if (fd < 0)
        return -1;
    const bool begin = !p->attr.enable_on_exec;
    if (own_event(p, fd, tid) ||
        (p->rings[i].page ? ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, p->rings[i].fd)
                          : new_ring(p, i, fd)) ||
        (begin && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) || keep_fd(p, fd)) {
        const int error = errno;
        if (p->rings[i].page && p->rings[i].fd == fd) {
            ring_close(&p->rings[i]);
            p->rings[i].page = NULL;
        }
        close(fd);
        errno = error;
        return -1;
    }
    return 0;
}

/* A thread on every CPU; a CPU that went off line has none.  How many, or -1. */
static int add_thread(struct perf *p, pid_t tid)
{
    int num = 0;
    for (size_t i = 0; i < p->num_cpus; i++) {
        if (!add_event(p, tid, i))
            num++;
        else if (errno != ENODEV && errno != ENXIO)
            return -1;
    }
    if (tid != ALL && num && !p->sampler->target.launched)
        return idmap_set(&p->own, (uint64_t)tid, 1) ? -1 : num;
    return num;
}

static size_t descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 1024;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit))
        getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > KEPT_FREE ? (size_t)limit.rlim_cur - KEPT_FREE : 1;
}

/* ---- which threads ---- */

struct busy {
    uint64_t ns;
    pid_t tid;
};

static int busiest_first(const void *a, const void *b)
{
    const struct busy *x = a, *y = b;
    return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static ssize_t sorted_threads(pid_t **tids, pid_t pid)
{
    const ssize_t num = process_threads(tids, pid);
    struct busy *busy = num > 0 ? calloc((size_t)num, sizeof *busy) : NULL;
    for (ssize_t i = 0; busy && i < num; i++) {
        char state;
        busy[i].tid = (*tids)[i];
        sampler_thread_time(pid, busy[i].tid, &busy[i].ns, &state);
    }
    if (busy) {
        qsort(busy, (size_t)num, sizeof *busy, busiest_first);
        for (ssize_t i = 0; i < num; i++)
            (*tids)[i] = busy[i].tid;
    }
    free(busy);
    return num;
}

/* Those that have no events yet; how many, or -1 with errno. *left: for how many there is room. */
static int add_threads(struct perf *p, pid_t pid, size_t *left, size_t *out)
{
    pid_t *tids;
    int added = 0, error = 0;
    const ssize_t num = sorted_threads(&tids, pid);
    *out = 0;
    for (ssize_t i = 0; i < num && !error; i++) {
        if (idmap_get(&p->own, (uint64_t)tids[i]))
            continue;
        if (!*left) {
            ++*out;
            continue;
        }
        if (add_thread(p, tids[i]) >= 0) {
            added++;
            --*left;
        } else if (errno != ESRCH) {
            error = errno;
        }
    }
    free(tids);
    errno = error ? error : ESRCH;
    return error || num < 0 ? -1 : added;
}

/* The list is read until it names no new one. */
static int attach_threads(struct perf *p, pid_t pid, size_t room)
{
    size_t left = room / p->num_cpus ? room / p->num_cpus : 1, out = 0;
    int total = 0, added = 0;
    for (int round = 0; round < MAX_ROUNDS && !out; round++) {
        added = add_threads(p, pid, &left, &out);
        if (added <= 0)
            break;
        total += added;
    }
    if (out)
        sampler_add_note(p->sampler, "%zu threads are left out: the limit of open files is too low",
                         out);
    return total ? 0 : -1;
}

static int attach_system(struct perf *p)
{
    p->attr.inherit = 0;
    p->attr.enable_on_exec = 0;
    if (add_thread(p, ALL) > 0)
        return 0;
    p->attr.inherit = 1;
    p->attr.enable_on_exec = p->sampler->target.launched;
    return -1;
}

/* Of the whole system, but only this process's and its descendants' are told. */
static int attach_filtered(struct perf *p, pid_t pid)
{
    if (attach_system(p))
        return -1;
    p->filtered = true;
    return idmap_set(&p->watched, (uint64_t)pid, 1);
}

static void forget_events(struct perf *p)
{
    for (size_t i = 0; i < p->num_cpus; i++)
        if (p->rings[i].page)
            ring_close(&p->rings[i]);
    memset(p->rings, 0, p->num_cpus * sizeof *p->rings);
    for (size_t i = 0; i < p->num_fds; i++)
        close(p->fds[i]);
    p->num_fds = 0;
    idmap_free(&p->own);
    idmap_free(&p->owners);
}

static int attach_once(struct perf *p)
{
    const struct sampler_target *t = &p->sampler->target;
    const size_t room = descriptors();
    pid_t *tids;
    if (!t->pid)
        return attach_system(p);
    if (t->launched)
        return add_thread(p, t->pid) > 0 ? 0 : -1;
    const ssize_t num = process_threads(&tids, t->pid);
    free(tids);
    if (num > 0 && (size_t)num > room / p->num_cpus && !attach_filtered(p, t->pid))
        return 0;
    forget_events(p);
    return attach_threads(p, t->pid, room);
}

/* ---- what is refused ---- */

static void explain(const struct perf *p, int error, char *why, size_t max)
{
    static const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";
    const long level = sampler_setting(paranoid);
    if (error == ENOSYS || level < 0)
        snprintf(why, max, "this kernel has no perf events");
    else if (error != EACCES && error != EPERM)
        snprintf(why, max, "perf events: %s", strerror(error));
    else if (level > 2)
        snprintf(why, max, "perf_event_paranoid is %ld", level);
    else if (!geteuid())
        snprintf(why, max, "perf events are refused (seccomp, or CAP_PERFMON is missing)");
    else if (!p->sampler->target.pid)
        snprintf(why, max, "sampling all processes is refused (perf_event_paranoid is %ld)", level);
    else
        snprintf(why, max, "perf events are refused (another user's process, or seccomp)");
}

int perf_attach(struct perf *p, char *why, size_t max)
{
    int failed = attach_once(p);
    if (failed && !p->attr.exclude_kernel && (errno == EACCES || errno == EPERM)) {
        forget_events(p);
        p->attr.exclude_kernel = 1;
        failed = attach_once(p);
        if (!failed)
            sampler_add_note(p->sampler, "the kernel's code is not sampled: that needs "
                                         "CAP_PERFMON, or perf_event_paranoid 1 or less");
    }
    if (failed)
        explain(p, errno, why, max);
    return failed;
}
