/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that traces a launched program by ptrace, and what is said over the socket to it.
 */
#ifndef TRACE_PROBES_HOLD_H
#define TRACE_PROBES_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct held { /* a thread that waits until it is released */
    pid_t tid;
    int error; /* in the first message: errno of PTRACE_SEIZE */
    enum { HELD_BY_LOADER, HELD_AT_EXEC, HELD_AT_BIRTH } where;
    bool replaced; /* at execve: another thread than the first called it, and is the first now */
    uint64_t ip;   /* where the loader's signal met it */
};

struct released {
    pid_t tid;
    int signal; /* that it gets; 0: none */
};

/* Starts tracing pid and all that it starts; births: holds each process at its beginning too; the
 * tracer's process id, or -1 with why. */
pid_t hold_start(int *socket, pid_t pid, bool births, char *why, size_t max);

#endif
