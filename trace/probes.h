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

struct probe { /* one point of one file */
    struct object *object;
    const struct function *function;
    uint64_t offset; /* in the file */
    bool emulated;
    enum level level;
    int8_t bytes_arg;
    uint16_t bytes_unit;
    uint64_t calls, bytes; /* results */
    enum exactness { COUNT_EXACT, COUNT_ESTIMATED, COUNT_AT_LEAST, COUNT_NONE } exactness;
};

struct probes_target {
    pid_t pid;       /* its descendants too */
    bool launched;   /* attached before its first instruction: counts are exact from the start */
    uint64_t budget; /* hits per second and CPU that a per-block leaf may take; 20000 */
};

struct probes;
/* backend "auto", "multi", "uprobe" or "ptrace".  NULL with why. */
struct probes *probes_open(const char *backend, const struct probes_target *, char *why,
                           size_t max);
const char *probes_backend(const struct probes *);
/* Adds the crypto functions of a file that is open as fd and mapped by the target; build-id is
 * verified again; setuid targets are refused. late: the program may have called them before.  How
 * many points, or -1 with why. */
int probes_add(struct probes *, struct object *, int fd, bool late, char *why, size_t max);
/* Once after 50 ms, then every second: looks at rates, takes hot leaves out. */
int probes_tick(struct probes *);
/* The points with their results so far. */
const struct probe *probes_read(struct probes *, size_t *num);
void probes_close(struct probes *);

#endif
