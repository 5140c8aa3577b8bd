/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that sampler.c and the two back ends share.
 */
#ifndef TRACE_SAMPLER_BACKEND_H
#define TRACE_SAMPLER_BACKEND_H

#include "../idmap.h"
#include "sampler.h"

struct sampler {
    const struct sampler_backend *backend;
    struct sampler_target target;
    struct sampler_events events; /* none of them is NULL */
    void *ctx;
    void *state; /* private data of the back end */
    const char *name;
    unsigned hz;
    int pidfd; /* pidfd of the target, or -1 */
    bool ended, stopped;
    int wait_status;
    char note[320];
    struct idmap sampled; /* living processes that had a sample */
    unsigned unsampled;   /* number of processes that ended without a sample */
};

struct sampler_backend {
    const char *name;
    int (*open)(struct sampler *, char *why, size_t max);
    int (*poll)(struct sampler *, int timeout_ms); /* 0, or -1 with errno; sets ended */
    void (*stop)(struct sampler *);
    void (*close)(struct sampler *);
};
extern const struct sampler_backend sampler_perf, sampler_ptrace;

void sampler_tell_sample(struct sampler *, const struct sample *);
void sampler_tell_exit(struct sampler *, pid_t);
/* Reports the executable mappings that the process has now. */
void sampler_tell_maps(struct sampler *, pid_t);
/* Adds a sentence to the note unless the note contains it or has no room for it. */
__attribute__((format(printf, 2, 3))) void sampler_add_note(struct sampler *, const char *, ...);
/* Reads a number from a file, such as a sysctl. Returns -1 where there is no such file. */
long sampler_setting(const char *path);
/* Gets the CPU time of a thread in ns (as precise as the kernel gives it) and its state letter.
 * Returns false if the thread is gone. */
bool sampler_thread_time(pid_t pid, pid_t tid, uint64_t *ns, char *state);
int64_t sampler_now(void); /* CLOCK_MONOTONIC in ns */

/* The registers of this architecture for perf_event (PERF_SAMPLE_REGS_USER). */
extern const uint64_t sampler_perf_mask; /* 0: there are none */
/* Reads the registers of a stopped thread. Returns false if they cannot be read, if the thread runs
 * 32-bit code, or, on x86-64, if it is in a system call. */
bool sampler_read_registers(struct sample *out, pid_t tid);
extern const bool sampler_can_ptrace;

#endif
