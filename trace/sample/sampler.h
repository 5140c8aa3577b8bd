/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of running threads: instruction pointer and general registers, some hundred times per
 * second of CPU time. There are two back ends: perf_event, and ptrace where perf_event is refused.
 * Registers may hold keys: they are examined in the callback, and our copies of them are wiped.
 */
#ifndef TRACE_SAMPLER_H
#define TRACE_SAMPLER_H

#include "../process/process.h"

#define SAMPLE_REGS 32

struct sample {
    pid_t pid, tid;
    uint64_t ip;
    bool kernel;
    unsigned num_regs;          /* 0: there are no registers (kernel samples, 32-bit code) */
    uint64_t regs[SAMPLE_REGS]; /* x86: rax rbx rcx rdx rsi rdi rbp rsp r8..r15 */
};
extern const char *const sample_reg_names[SAMPLE_REGS];

/* Events that a back end reports, in order of time within one process. They are reported by
 * sampler_open (the mappings of processes that already run), sampler_poll and sampler_stop. Each
 * function may be NULL. */
struct sampler_events {
    void (*sample)(void *ctx, const struct sample *);
    void (*map)(void *ctx, pid_t, const struct mapping *); /* an executable mapping; may repeat */
    void (*exec)(void *ctx, pid_t, const char *comm);   /* old mappings are gone; new ones follow */
    void (*name)(void *ctx, pid_t, const char *comm);   /* prctl(2), PR_SET_NAME; only by perf */
    void (*fork)(void *ctx, pid_t parent, pid_t child); /* the child has the parent's mappings */
    void (*exit)(void *ctx, pid_t); /* perf: not if its main thread ended before other threads */
    void (*lost)(void *ctx, uint64_t num);
};

struct sampler_target {
    pid_t pid;     /* 0: the whole system */
    bool launched; /* pid waits in launch_start(): begin at its exec and follow its children */
    unsigned hz;   /* samples per second of CPU time, such as 499 */
    bool kernel;   /* take samples in the kernel too, where that is allowed */
};

struct sampler;
/* backend is "auto", "perf" or "ptrace". Returns NULL with the reason in why: one line for the
 * user that names the missing capability or setting. */
struct sampler *sampler_open(const char *backend, const struct sampler_target *,
                             const struct sampler_events *, void *ctx, char *why, size_t max);
const char *sampler_backend(const struct sampler *); /* "perf cpu-clock", "perf cycles", "ptrace" */
unsigned sampler_hz(const struct sampler *); /* the actual rate, as the system may allow less */
/* A note for the user: a rate that was lowered, threads that were left out. NULL: nothing. */
const char *sampler_note(const struct sampler *);
/* Waits up to timeout_ms (a signal ends the wait) and delivers the events that came. Returns 1
 * while the target runs; 0 when it has ended, with *wait_status if it was launched; -1 with
 * errno. The ptrace back end also reaps other children of this process. */
int sampler_poll(struct sampler *, int timeout_ms, int *wait_status);
/* Ends sampling, detaches from the target, and delivers the remaining events; to be called
 * before the report. */
void sampler_stop(struct sampler *);
void sampler_close(struct sampler *);

#endif
