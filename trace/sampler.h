/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of running threads: IP and general registers, some hundred times a second of CPU time.
 * Two back ends: perf_event, and ptrace where perf_event is refused.  Registers may hold keys: they
 * are looked at in the callback and never stored.
 */
#ifndef TRACE_SAMPLER_H
#define TRACE_SAMPLER_H

#include "process.h"

#define SAMPLE_REGS 32

struct sample {
    pid_t pid, tid;
    uint64_t ip;
    bool kernel;
    unsigned num_regs;          /* 0: none were given (kernel samples, 32-bit) */
    uint64_t regs[SAMPLE_REGS]; /* x86: rax rbx rcx rdx rsi rdi rbp rsp r8..r15 */
};
extern const char *const sample_reg_names[SAMPLE_REGS];

/* What a back end tells, in order of time for one process, from within sampler_open (the mappings
 * of what runs already), sampler_poll and sampler_stop.  Each may be NULL. */
struct sampler_events {
    void (*sample)(void *ctx, const struct sample *);
    void (*map)(void *ctx, pid_t, const struct mapping *); /* an executable mapping; some twice */
    void (*exec)(void *ctx, pid_t, const char *comm);   /* its mappings are gone; new ones follow */
    void (*name)(void *ctx, pid_t, const char *comm);   /* prctl(2), PR_SET_NAME; perf only */
    void (*fork)(void *ctx, pid_t parent, pid_t child); /* the child has the parent's mappings */
    void (*exit)(void *ctx, pid_t); /* not told of one whose main thread ended first */
    void (*lost)(void *ctx, uint64_t num);
};

struct sampler_target {
    pid_t pid;     /* 0: the whole system */
    bool launched; /* pid waits in launch_start(): begin at its exec, follow its children */
    unsigned hz;   /* 499 */
    bool kernel;   /* kernel samples too, where that is allowed */
};

struct sampler;
/* backend "auto", "perf" or "ptrace".  NULL with *why: one line for the user that names the missing
 * capability or setting. */
struct sampler *sampler_open(const char *backend, const struct sampler_target *,
                             const struct sampler_events *, void *ctx, char *why, size_t max);
const char *sampler_backend(const struct sampler *); /* "perf cpu-clock", "perf cycles", "ptrace" */
unsigned sampler_hz(const struct sampler *);         /* as it is: the system may allow less */
/* What the user should know: a rate that was lowered, threads left out.  NULL: nothing. */
const char *sampler_note(const struct sampler *);
/* Waits up to timeout_ms (a signal ends it sooner) and delivers what came.  1: the target still
 * runs; 0: it ended, with *wait_status where launched; -1: errno.  The ptrace back end reaps any
 * child of ours. */
int sampler_poll(struct sampler *, int timeout_ms, int *wait_status);
/* Ends sampling, lets the target go, and delivers what is left: before the report. */
void sampler_stop(struct sampler *);
void sampler_close(struct sampler *);

#endif
