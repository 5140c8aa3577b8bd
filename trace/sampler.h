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

/* What a back end tells, in order of time for one process. */
struct sampler_events {
    void (*sample)(void *ctx, const struct sample *);
    void (*map)(void *ctx, pid_t, const struct mapping *); /* a new executable mapping */
    void (*exec)(void *ctx, pid_t, const char *comm);
    void (*fork)(void *ctx, pid_t parent, pid_t child);
    void (*exit)(void *ctx, pid_t);
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
const char *sampler_backend(const struct sampler *);
/* Waits up to timeout_ms and delivers what came.  1: the target still runs; 0: it ended, with
 * *wait_status where launched; -1: errno. */
int sampler_poll(struct sampler *, int timeout_ms, int *wait_status);
void sampler_close(struct sampler *);

#endif
