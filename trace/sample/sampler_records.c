/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns records of perf_event into events: perf_event_open(2), "MMAP layout". sample_type is IP |
 * TID | TIME | ID | REGS_USER; sample_id_all puts ids, time and event id (24 bytes) at the end of
 * all other records. Every length is checked against the length of the record.
 */
#define _GNU_SOURCE
#include "sampler_perf.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { TRAILER = 24, ANY_THREAD_LINKS = 3 };

/* Copies the fixed part of a record's payload. Returns false if the record is too short. */
static bool take(void *out, size_t out_len, const struct perf_event_header *header, size_t len)
{
    if (len < sizeof *header + out_len)
        return false;
    memcpy(out, header + 1, out_len);
    return true;
}

/* The text behind the fixed part, if its NUL is before the trailer; else NULL. */
static const char *text_at(const struct perf_event_header *header, size_t len, size_t fixed)
{
    const size_t begin = sizeof *header + fixed;
    if (len < begin + TRAILER + 1)
        return NULL;
    const char *text = (const char *)header + begin;
    return memchr(text, '\0', len - TRAILER - begin) ? text : NULL;
}

/* Whether a process is to be reported. Processes outside of our pid namespace have pid 0 or -1,
 * and the idle task 0. */
static bool wanted(const struct perf *p, uint32_t pid)
{
    return (int32_t)pid > 0 && (!p->filtered || idmap_get(&p->watched, pid));
}

static void on_sample(struct perf *p, const struct perf_event_header *header, size_t len)
{
    struct {
        uint64_t ip;
        uint32_t pid, tid;
        uint64_t time, id;
    } fixed;
    uint64_t abi = PERF_SAMPLE_REGS_ABI_NONE;
    const unsigned mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    const unsigned num_regs = (unsigned)__builtin_popcountll(sampler_perf_mask);
    if (!take(&fixed, sizeof fixed, header, len) || !wanted(p, fixed.pid) ||
        (mode != PERF_RECORD_MISC_USER && mode != PERF_RECORD_MISC_KERNEL))
        return;
    if (p->owners.used && idmap_get(&p->owners, fixed.id) != fixed.tid &&
        idmap_get(&p->own, fixed.tid))
        return;
    struct sample sample = { .pid = (pid_t)fixed.pid,
                             .tid = (pid_t)fixed.tid,
                             .ip = fixed.ip,
                             .kernel = mode == PERF_RECORD_MISC_KERNEL };
    const uint8_t *rest = (const uint8_t *)(header + 1) + sizeof fixed;
    const size_t rest_len = len - sizeof *header - sizeof fixed;
    if (num_regs && rest_len >= 8)
        memcpy(&abi, rest, sizeof abi);
    if (!sample.kernel && abi == PERF_SAMPLE_REGS_ABI_64 &&
        rest_len >= 8 + num_regs * sizeof *sample.regs) {
        memcpy(sample.regs, rest + 8, num_regs * sizeof *sample.regs);
        sample.num_regs = num_regs;
    }
    sampler_tell_sample(p->sampler, &sample);
    explicit_bzero(&sample, sizeof sample);
}

static void on_mmap2(struct perf *p, const struct perf_event_header *header, size_t len)
{
    struct {
        uint32_t pid, tid;
        uint64_t start, len, offset;
        uint32_t major, minor;
        uint64_t inode, generation;
        uint32_t protection, flags;
    } fixed;
    enum { WRITE = 2, EXEC = 4 }; /* PROT_WRITE, PROT_EXEC */
    const char *path = text_at(header, len, sizeof fixed);
    if (!path || !take(&fixed, sizeof fixed, header, len) || !wanted(p, fixed.pid) ||
        !(fixed.protection & EXEC) || fixed.len > UINT64_MAX - fixed.start ||
        (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
        return;
    /* Anonymous memory is "//anon" here, and "" in /proc/PID/maps. */
    const struct mapping m = { .start = fixed.start,
                               .end = fixed.start + fixed.len,
                               .offset = fixed.offset,
                               .inode = fixed.inode,
                               .major = fixed.major,
                               .minor = fixed.minor,
                               .exec = true,
                               .write = fixed.protection & WRITE,
                               .path = strcmp(path, "//anon") != 0 ? (char *)path : (char *)"" };
    p->sampler->events.map(p->sampler->ctx, (pid_t)fixed.pid, &m);
}

static void on_comm(struct perf *p, const struct perf_event_header *header, size_t len)
{
    uint32_t ids[2]; /* pid, tid */
    const char *comm = text_at(header, len, sizeof ids);
    if (!comm || !take(ids, sizeof ids, header, len) || !wanted(p, ids[0]))
        return;
    if (!(header->misc & PERF_RECORD_MISC_COMM_EXEC)) {
        if (ids[0] == ids[1]) /* only the main thread's name is the process's */
            p->sampler->events.name(p->sampler->ctx, (pid_t)ids[0], comm);
        return;
    }
    idmap_set(&p->own, ids[0], 0); /* the thread that called execve has this id now */
    p->sampler->events.exec(p->sampler->ctx, (pid_t)ids[0], comm);
}

struct task {
    uint32_t pid, ppid, tid, ptid;
};

static void on_fork(struct perf *p, const struct perf_event_header *header, size_t len)
{
    struct task task;
    if (!take(&task, sizeof task, header, len) || task.pid == task.ppid || !wanted(p, task.ppid))
        return;
    if (p->filtered && idmap_set(&p->watched, task.pid, 1))
        return;
    p->sampler->events.fork(p->sampler->ctx, (pid_t)task.ppid, (pid_t)task.pid);
}

/* Whether other threads of a process live on after its main thread has ended: /proc/PID/task has
 * a link for each thread and two of its own; a zombie counts as one thread. */
static bool others_live(uint32_t pid)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%u/task", pid);
    return !stat(path, &st) && st.st_nlink > ANY_THREAD_LINKS;
}

static void on_exit(struct perf *p, const struct perf_event_header *header, size_t len)
{
    struct task task;
    if (!take(&task, sizeof task, header, len) || !wanted(p, task.pid))
        return;
    if (idmap_get(&p->own, task.tid))
        idmap_set(&p->own, task.tid, 0);
    if (task.tid != task.pid || others_live(task.pid))
        return;
    if (p->filtered)
        idmap_set(&p->watched, task.pid, 0);
    sampler_tell_exit(p->sampler, (pid_t)task.pid);
}

static void on_lost(struct perf *p, const struct perf_event_header *header, size_t len)
{
    uint64_t of[2]; /* event id, number of lost records */
    if (take(of, sizeof of, header, len))
        p->sampler->events.lost(p->sampler->ctx, of[1]);
}

static void on_throttle(struct perf *p, const struct perf_event_header *header, size_t len)
{
    p->throttled++;
}

void perf_record(void *ctx, const struct perf_event_header *header, size_t len)
{
    static void (*const readers[])(struct perf *, const struct perf_event_header *, size_t) = {
        [PERF_RECORD_SAMPLE] = on_sample,     [PERF_RECORD_MMAP2] = on_mmap2,
        [PERF_RECORD_COMM] = on_comm,         [PERF_RECORD_FORK] = on_fork,
        [PERF_RECORD_EXIT] = on_exit,         [PERF_RECORD_LOST] = on_lost,
        [PERF_RECORD_THROTTLE] = on_throttle,
    };
    if (header->type < sizeof readers / sizeof *readers && readers[header->type])
        readers[header->type](ctx, header, len);
}
