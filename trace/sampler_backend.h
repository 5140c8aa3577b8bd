/* SPDX-License-Identifier: Apache-2.0
 *
 * Between sampler.c and the two back ends.
 */
#ifndef TRACE_SAMPLER_BACKEND_H
#define TRACE_SAMPLER_BACKEND_H

#include "idmap.h"
#include "sampler.h"

struct sampler {
    const struct sampler_backend *backend;
    struct sampler_target target;
    struct sampler_events events; /* none is NULL here */
    void *ctx;
    void *state; /* of the back end */
    const char *name;
    unsigned hz;
    int pidfd; /* of the target, or -1 */
    bool ended, stopped;
    int wait_status;
    char note[320];
    struct idmap sampled; /* processes that live and had a sample */
    unsigned unsampled;   /* processes that ended without one */
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
/* Tells the executable mappings that the process has now. */
void sampler_tell_maps(struct sampler *, pid_t);
/* Adds a sentence to the note, once. */
__attribute__((format(printf, 2, 3))) void sampler_add_note(struct sampler *, const char *, ...);
/* A number that a file holds, such as a sysctl; -1: not there. */
long sampler_setting(const char *path);
/* CPU time of a thread in ns (as exact as the kernel tells) and its state letter; false: gone. */
bool sampler_thread_time(pid_t pid, pid_t tid, uint64_t *ns, char *state);
int64_t sampler_now(void); /* CLOCK_MONOTONIC, in ns */

/* How perf_event and ptrace give registers on this architecture. */
extern const uint64_t sampler_perf_mask; /* 0: none */
/* A stopped thread's registers.  false: they cannot be read, or it is within a system call. */
bool sampler_read_registers(struct sample *out, pid_t tid);
extern const bool sampler_can_ptrace;

#endif
