/* SPDX-License-Identifier: Apache-2.0
 *
 * One trace from beginning to report: starts or finds the processes, samples them, counts calls,
 * and returns the results.
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include "report/report.h"

/* Gets a report of the interval since the last one; a result that is not 0 ends the trace. */
typedef int session_interval_fn(void *ctx, const struct report *);

struct session_options {
    char **command;   /* NULL: trace pid, or the whole system if pid is 0 */
    const char *user; /* the user to run COMMAND as, or NULL */
    pid_t pid;
    double seconds;  /* 0: trace until the target ends or a signal comes */
    double interval; /* 0: only one report, at the end */
    session_interval_fn *on_interval;
    void *ctx;
    bool count;
    const char *probe_backend, *sampler; /* "auto" or the name of a back end */
    unsigned hz;
    size_t max_memory;  /* bytes that reading files and the tables of the trace may take */
    double max_seconds; /* CPU time for reading files, in each interval */
    bool no_cache;
    bool writes_files; /* files for reports are created after privileges were dropped */
};

enum session_end {
    SESSION_DONE,       /* *out is filled; exit_status is COMMAND's, -1 if it still runs */
    SESSION_NOT_RUN,    /* COMMAND could not be executed: only exit_status is set, to 127 or 126 */
    SESSION_IMPOSSIBLE, /* `why` has the reason in one line; COMMAND did not run, or memory for the
                           report was missing */
};
enum session_end session_run(struct report *out, const struct session_options *, char *why,
                             size_t max);

/* Waits for a COMMAND that outlives its trace. Returns its exit status, or -1. */
int session_wait(pid_t);

#endif
