/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of calls by probes near the entries of functions. There are three back ends: uprobe_multi
 * through bpf(2), uprobes of perf_event, and one-shot breakpoints where neither is allowed.
 */
#ifndef TRACE_PROBES_H
#define TRACE_PROBES_H

#include "../names/names.h"
#include "../object/object.h"
#include "../process/process.h"

struct probe { /* one function of one file, and how often it was called */
    struct object *object;
    const struct function *function;
    uint64_t offset; /* file offset of its (first) point */
    bool emulated;   /* the kernel emulates the instruction there */
    enum level level;
    int8_t bytes_arg;
    uint16_t bytes_unit;
    uint64_t calls, bytes; /* results since probes_add */
    enum exactness { COUNT_EXACT, COUNT_AT_LEAST, COUNT_NONE } exactness;
    bool bytes_known;
};

struct probes_target {
    pid_t pid;     /* this process and its descendants; 0: every process */
    bool launched; /* pid waits in launch_start(): counts are exact from its first instruction */
    bool hold; /* with launched: stop the target as described below; false where the sampler uses
                  ptrace */
    uint64_t budget; /* hits per second and CPU that are allowed for a leaf: 20000; 0: no limit */
};

struct probes;
/* backend is "auto", "multi", "uprobe" or "ptrace". Returns NULL, with the reason in why. To be
 * called between launch_start and launch_go. */
struct probes *probes_open(const char *backend, const struct probes_target *, char *why,
                           size_t max);
const char *probes_backend(const struct probes *);
/* Whether the calls of processes that the target starts may be missed, so that all counts are "at
 * least"; then `why` is a sentence for the report. */
bool probes_miss_children(const struct probes *, char *why, size_t max);

/* A launched target is held (stopped) each time that it has mapped files whose code did not run
 * yet: after execve, and when its dynamic loader has mapped libraries but has not called their
 * constructors. probes_fd is readable then; it is -1 where the target is never held.
 * probes_serve calls fn for each held process and then lets it continue; fn calls probes_add for
 * the newly mapped files, with late = false. To be called between polls of the sampler, every
 * few milliseconds. Returns the number of processes, or -1. */
typedef void probes_held_fn(void *ctx, pid_t);
int probes_fd(const struct probes *);
int probes_serve(struct probes *, probes_held_fn *, void *ctx);

/* Adds the crypto functions of a file that is open as fd and mapped by the target. The build-id
 * is verified again, and setuid and setgid files are refused. Adding a file again does nothing.
 * late: its code may have run since the trace began, so that its counts are "at least". Returns
 * the number of functions, or -1 with the reason in why. */
int probes_add(struct probes *, struct object *, int fd, bool late, char *why, size_t max);
/* Computes rates over 50 ms each and removes the probes of hot leaves; with the ptrace back end,
 * moves the breakpoints to other functions. To be called every few milliseconds. */
int probes_tick(struct probes *);
/* The functions with their results so far; valid until the next call of any function of this
 * header. */
const struct probe *probes_read(struct probes *, size_t *num);
void probes_close(struct probes *);

#endif
