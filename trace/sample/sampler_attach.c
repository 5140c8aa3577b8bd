/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the perf events. Each CPU has a ring. Only an event for one CPU may both be inherited by
 * new threads and have a ring. So there is one event for each thread and CPU, and all events of a
 * CPU share its ring. If these would be more than the limit of open files, events of the whole
 * system are used and other processes are filtered out; if that is not allowed, only the busiest
 * threads get events.
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
    ALL = -1,         /* all processes */
    KEPT_FREE = 128,  /* descriptors kept free for mapped files and reports */
    MAX_ROUNDS = 16,  /* how often the list of threads is read */
    RING = 512 << 10, /* bytes that an unprivileged user may lock (perf_event_mlock_kb) */
    RING_MIN = 32 << 10,
    RINGS = 128 << 20, /* bytes of all rings together */
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

/* Opens a ring, a smaller one if this user's locked memory is used up. */
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

/* Opens one event and its ring. Returns 0, or -1 with errno. */
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

/* Opens events for a thread on every CPU; offline CPUs have none. Returns how many, or -1. */
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

/* Adds the threads that have no events yet. Returns how many, or -1 with errno. *left: the
 * number of threads for which there is room; *out: threads without room. */
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

/* Attaches to all threads: reads the list again until it has no new thread. */
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

/* Opens events of the whole system, of which only the samples of this process and its
 * descendants are reported. */
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

/* ---- errors ---- */

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
