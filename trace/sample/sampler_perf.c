/* SPDX-License-Identifier: Apache-2.0
 *
 * The perf_event back end. The event is CPU cycles if such a counter works, else the kernel's timer
 * for CPU time (cpu-clock). On a machine with two kinds of cores the generic cycles event counts on
 * one kind only, so cpu-clock is used there.
 *
 * The kernel never wakes this process: a ring holds samples of some seconds, and is emptied
 * every 50 ms while sampler_poll waits.
 */
#define _GNU_SOURCE
#include "sampler_perf.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLICE_MS = 50, HOLD_NS = 50000000, TEST_PERIOD = 100000, TEST_LOOPS = 4000000 };

static const char max_rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";

/* ---- which event ---- */

/* Whether the CPUs have different cores (hybrid x86, big.LITTLE): then there are PMU devices
 * with a file "cpus", each for a part of the cores. */
static bool cores_differ(void)
{
    static const char folder[] = "/sys/bus/event_source/devices";
    unsigned kinds = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return false;
    for (const struct dirent *e; (e = readdir(dir));) {
        char path[320];
        snprintf(path, sizeof path, "%s/%s/cpus", folder, e->d_name);
        kinds += !access(path, R_OK);
    }
    closedir(dir);
    return kinds > 1;
}

/* Whether a cycles counter delivers samples of this process: in a virtual machine it may exist
 * but never interrupt. */
static bool cycles_work(void)
{
    struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
                                    .size = sizeof attr,
                                    .config = PERF_COUNT_HW_CPU_CYCLES,
                                    .sample_period = TEST_PERIOD,
                                    .sample_type = PERF_SAMPLE_IP,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1 };
    struct ring ring;
    if (cores_differ())
        return false;
    const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return false;
    bool work = false;
    if (!ring_open(&ring, fd, 0, (size_t)sysconf(_SC_PAGESIZE))) {
        for (volatile unsigned i = 0; i < TEST_LOOPS; i++)
            ;
        work = __atomic_load_n(&ring.page->data_head, __ATOMIC_ACQUIRE) > 0;
        ring_close(&ring);
    }
    close(fd);
    return work;
}

static void choose_event(struct perf *p)
{
    struct sampler *s = p->sampler;
    const bool cycles = cycles_work();
    const long limit = sampler_setting(max_rate);
    if (limit > 0 && s->hz > (unsigned long)limit) {
        sampler_add_note(s, "kernel.perf_event_max_sample_rate allows %ld samples a second", limit);
        s->hz = (unsigned)limit;
    }
    s->name = cycles ? "perf cycles" : "perf cpu-clock";
    p->attr = (struct perf_event_attr){
        .type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
        .size = sizeof p->attr,
        .config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
        .freq = 1,
        .sample_freq = s->hz,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                       (sampler_perf_mask ? PERF_SAMPLE_REGS_USER : 0),
        .sample_regs_user = sampler_perf_mask,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = !s->target.kernel,
        .exclude_hv = 1,
        .exclude_idle = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .enable_on_exec = s->target.launched,
        .watermark = 1,
        .wakeup_watermark = 1 << 30,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC, /* as in sampler_now() */
    };
}

/* Reads a list of CPUs in the form of /sys: "0-3,8". */
static void cpus_of_sys(struct perf *p, size_t max)
{
    unsigned first, last;
    FILE *f = fopen("/sys/devices/system/cpu/online", "re");
    while (f && fscanf(f, "%u", &first) == 1) {
        last = first;
        if (fscanf(f, "-%u", &last) == 1 && last < first)
            break;
        for (unsigned cpu = first; cpu <= last && p->num_cpus < max; cpu++)
            p->cpus[p->num_cpus++] = (int)cpu;
        if (fgetc(f) != ',')
            break;
    }
    if (f)
        fclose(f);
}

/* Reads the list of CPUs from /proc/stat, with lines "cpu1 20 0 ...", because a chroot often has
 * no /sys. */
static void cpus_of_stat(struct perf *p, size_t max)
{
    char *line = NULL;
    size_t size = 0;
    unsigned cpu;
    FILE *f = fopen("/proc/stat", "re");
    while (f && getline(&line, &size, f) > 0 && p->num_cpus < max)
        if (sscanf(line, "cpu%u", &cpu) == 1)
            p->cpus[p->num_cpus++] = (int)cpu;
    free(line);
    if (f)
        fclose(f);
}

static int list_cpus(struct perf *p)
{
    const size_t max = (size_t)sysconf(_SC_NPROCESSORS_CONF) + 1;
    p->cpus = calloc(max, sizeof *p->cpus);
    if (!p->cpus)
        return -1;
    cpus_of_sys(p, max);
    if (!p->num_cpus)
        cpus_of_stat(p, max);
    p->rings = calloc(p->num_cpus + 1, sizeof *p->rings);
    return p->num_cpus && p->rings ? 0 : -1;
}

/* ---- the interface ---- */

static void perf_close(struct sampler *s)
{
    struct perf *p = s->state;
    for (size_t i = 0; i < p->num_fds; i++)
        close(p->fds[i]);
    for (size_t i = 0; p->rings && i < p->num_cpus; i++)
        if (p->rings[i].page)
            ring_close(&p->rings[i]);
    rings_order_free(&p->order);
    idmap_free(&p->owners);
    idmap_free(&p->own);
    idmap_free(&p->watched);
    free(p->fds);
    free(p->cpus);
    free(p->rings);
    free(p);
    s->state = NULL;
}

/* Reports the mappings of processes that were running before. */
static void tell_running(struct sampler *s)
{
    if (s->target.launched)
        return;
    if (s->target.pid) {
        sampler_tell_maps(s, s->target.pid);
        return;
    }
    DIR *dir = opendir("/proc");
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (strtol(e->d_name, NULL, 10) > 0)
            sampler_tell_maps(s, (pid_t)strtol(e->d_name, NULL, 10));
    if (dir)
        closedir(dir);
}

static int perf_open(struct sampler *s, char *why, size_t max)
{
    struct perf *p = calloc(1, sizeof *p);
    if (!p)
        return -1;
    s->state = p;
    p->sampler = s;
    choose_event(p);
    if (list_cpus(p) || perf_attach(p, why, max)) {
        perf_close(s);
        return -1;
    }
    tell_running(s);
    return 0;
}

/* Follows the kernel when it lowers its limit on the rate because samples cost too much. */
static void mind_throttling(struct perf *p)
{
    struct sampler *s = p->sampler;
    const long limit = sampler_setting(max_rate);
    if (!p->throttled)
        return;
    p->throttled = 0;
    if (limit <= 0 || (unsigned long)limit >= s->hz) {
        sampler_add_note(s, "the kernel left samples out (throttling)");
        return;
    }
    uint64_t hz = s->hz = (unsigned)limit;
    for (size_t i = 0; i < p->num_fds; i++)
        if (ioctl(p->fds[i], PERF_EVENT_IOC_PERIOD, &hz))
            break;
    sampler_add_note(s, "the kernel has lowered its limit to %ld samples a second", limit);
}

static void drain(struct perf *p, uint64_t until)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < p->num_cpus; i++)
        if (p->rings[i].page)
            lost += ring_drain(&p->rings[i], &p->order);
    rings_order_deliver(&p->order, until, perf_record, p);
    if (lost)
        p->sampler->events.lost(p->sampler->ctx, lost);
    mind_throttling(p);
}

/* Whether the target has ended. A child may be waitable without having ended, if it only stopped
 * or another process traces it: so this is checked before it is reaped. */
static bool has_ended(struct sampler *s)
{
    siginfo_t info = { 0 };
    struct pollfd end = { .fd = s->pidfd, .events = POLLIN };
    if (!s->target.pid)
        return false;
    if (!s->target.launched)
        return s->pidfd >= 0 ? poll(&end, 1, 0) > 0 : kill(s->target.pid, 0) && errno == ESRCH;
    if (waitid(P_PID, (id_t)s->target.pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno == ECHILD;
    if (!info.si_pid ||
        (info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED))
        return false;
    return waitpid(s->target.pid, &s->wait_status, 0) == s->target.pid;
}

static int perf_poll(struct sampler *s, int timeout_ms)
{
    struct perf *p = s->state;
    struct pollfd end = { .fd = s->pidfd, .events = POLLIN };
    const int64_t deadline = sampler_now() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        const int64_t left = (deadline - sampler_now() + 999999) / 1000000;
        const int wait = left < 0 ? 0 : left > SLICE_MS ? SLICE_MS : (int)left;
        const int error = poll(&end, 1, wait) < 0 ? errno : 0;
        s->ended = has_ended(s);
        const int64_t now = sampler_now();
        drain(p, s->ended ? UINT64_MAX : (uint64_t)(now - HOLD_NS));
        if (s->ended || error || now >= deadline) {
            errno = error;
            return error && error != EINTR ? -1 : 0;
        }
    }
}

static void perf_stop(struct sampler *s)
{
    struct perf *p = s->state;
    for (size_t i = 0; i < p->num_fds; i++)
        if (ioctl(p->fds[i], PERF_EVENT_IOC_DISABLE, 0))
            break;
    drain(p, UINT64_MAX);
}

const struct sampler_backend sampler_perf = {
    .name = "perf",
    .open = perf_open,
    .poll = perf_poll,
    .stop = perf_stop,
    .close = perf_close,
};
