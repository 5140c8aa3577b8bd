/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that traces a launched program by ptrace, and the messages on the socket to it.
 */
#ifndef TRACE_PROBES_HOLD_H
#define TRACE_PROBES_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct held { /* message from the tracer: a thread that is stopped until it is released */
    pid_t tid;
    int error; /* in the first message: errno of PTRACE_SEIZE */
    enum { HELD_BY_LOADER, HELD_AT_EXEC, HELD_AT_BIRTH } where;
    bool replaced; /* at execve: a thread other than the first called it, and is the first now */
    uint64_t ip;   /* instruction pointer at which the loader's signal came */
};

struct released {
    pid_t tid;
    int signal; /* signal to deliver to the thread; 0: none */
};

/* Starts tracing pid and all processes that it starts. births: stops each process at its
 * beginning too. Returns the tracer's process id, or -1 with the reason in why. */
pid_t hold_start(int *socket, pid_t pid, bool births, char *why, size_t max);

#endif
