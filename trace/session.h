/* SPDX-License-Identifier: Apache-2.0
 *
 * One trace from its beginning to its report: starts or finds the processes, samples them, counts
 * calls, and gives back what it found.
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include "report.h"

/* A report of what came since the last one; not 0: end the trace. */
typedef int session_interval_fn(void *ctx, const struct report *);

struct session_options {
    char **command;   /* NULL: pid; and where that is 0 the whole system */
    const char *user; /* COMMAND's, or NULL */
    pid_t pid;
    double seconds;  /* 0: until the target ends or a signal comes */
    double interval; /* 0: no reports but the last */
    session_interval_fn *on_interval;
    void *ctx;
    bool count;
    const char *probe_backend, *sampler; /* "auto" */
    unsigned hz;
    bool no_cache;
    bool writes_files; /* the report goes to a file by its name */
};

enum session_end {
    SESSION_DONE,       /* *out is filled; exit_status is COMMAND's, -1 while it goes on */
    SESSION_NOT_RUN,    /* COMMAND could not be executed: exit_status is 127 or 126, nothing else */
    SESSION_IMPOSSIBLE, /* why says so in one line; COMMAND did not run */
};
enum session_end session_run(struct report *out, const struct session_options *, char *why,
                             size_t max);

/* Waits for a COMMAND whose trace was over before; its exit status, or -1. */
int session_wait(pid_t);

#endif
