/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact counts: probes at functions' entries.  Back ends: uprobe_multi through bpf(2),
 * tracefs-style uprobes through perf_event, and one-shot breakpoints of ptrace where neither is
 * allowed.
 */
#ifndef TRACE_PROBES_H
#define TRACE_PROBES_H

#include "names.h"
#include "object.h"
#include "process.h"

struct probe { /* one function of one file, and how often it was called */
    struct object *object;
    const struct function *function;
    uint64_t offset; /* of its (first) point in the file */
    bool emulated;   /* the kernel emulates the instruction there */
    enum level level;
    int8_t bytes_arg;
    uint16_t bytes_unit;
    uint64_t calls, bytes; /* results, since probes_add */
    enum exactness { COUNT_EXACT, COUNT_ESTIMATED, COUNT_AT_LEAST, COUNT_NONE } exactness;
    bool bytes_known;
};

struct probes_target {
    pid_t pid;     /* its descendants too; 0: every process */
    bool launched; /* pid waits in launch_start(): counts are exact from its first instruction */
    bool hold;     /* launched: hold its processes as below; false where the sampler uses ptrace */
    uint64_t budget; /* hits per second and CPU that a leaf may take: 20000; 0: no limit */
};

struct probes;
/* backend "auto", "multi", "uprobe" or "ptrace".  NULL with why.  Call it between launch_start and
 * launch_go. */
struct probes *probes_open(const char *backend, const struct probes_target *, char *why,
                           size_t max);
const char *probes_backend(const struct probes *);

/* A launched target is held each time that it has mapped files whose code did not run yet: after
 * execve, and when its dynamic loader has mapped libraries but has not called their constructors.
 * probes_fd is readable then (-1: nothing is ever held).  probes_serve calls fn for each process
 * that is held, and lets it go on; fn calls probes_add for what the process newly maps (late =
 * false).  Call it between polls of the sampler, every few milliseconds.  How many, or -1. */
typedef void probes_held_fn(void *ctx, pid_t);
int probes_fd(const struct probes *);
int probes_serve(struct probes *, probes_held_fn *, void *ctx);

/* Adds the crypto functions of a file that is open as fd and mapped by the target; build-id is
 * verified again; setuid and setgid files are refused.  Adding a file again does nothing.  late:
 * code of it may have run since the trace began, so that its counts are "at least".  How many
 * functions, or -1 with why. */
int probes_add(struct probes *, struct object *, int fd, bool late, char *why, size_t max);
/* Every few milliseconds: looks at rates, of each 50 ms, and takes hot leaves out. */
int probes_tick(struct probes *);
/* The functions with their results so far; valid until the next call of any of these. */
const struct probe *probes_read(struct probes *, size_t *num);
void probes_close(struct probes *);

#endif
