/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace found, as data: filled by the session, turned into verdicts by verdict.c, printed by
 * report_*.c.
 */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include "crypto.h"
#include "probes.h"
#include <stdio.h>

struct report_row { /* one function of one library, in one way of computing; of one process with
                       --system */
    struct finding finding;
    size_t process; /* index */
    char *library;  /* "libcrypto.so.3", "[JIT]", "[kernel]" */
    char *function; /* escaped for printing; "+0x1234" */
    enum name_source source;
    uint64_t samples;
    uint64_t calls, bytes;
    enum exactness exactness; /* of calls; COUNT_NONE: not counted */
    bool bytes_known;
};

struct report_process {
    pid_t pid;
    char name[32], cgroup[64];
    uint64_t samples, hardware, software, vector; /* of crypto */
};

struct report_uncovered {
    char *what, *why;
};

struct report {
    const char *mode; /* "command", "pid", "system" */
    char *command;
    pid_t pid;
    double seconds;
    int exit_status;                     /* of COMMAND; -1 */
    const char *backend, *probe_backend; /* probe_backend NULL without --count */
    unsigned hz;
    uint64_t samples, kernel_samples, lost;
    uint64_t covered,
        uncovered; /* functions with crypto instructions or constants: probed or watched, and not */
    uint64_t uncovered_samples; /* in mappings that could not be opened */
    struct report_row *rows;
    size_t num_rows;
    struct report_process *processes;
    size_t num_processes;
    struct report_uncovered *gaps; /* "/usr/lib/x.so (deleted)", "device or inode differs" */
    size_t num_gaps;
    char **waste; /* sentences */
    size_t num_waste;
    struct report_driver *drivers; /* of /proc/crypto */
    size_t num_drivers;
};

struct report_driver {
    char name[64], driver[64], module[32];
    bool hardware, in_use;
    uint64_t samples;
};

/* One sentence a family: computed from the rows. */
struct verdict {
    enum family family;
    enum how how; /* of the larger part */
    double share; /* of all samples, 0..1, all ways together */
    double hardware, software, vector;
    const char *variant;
    bool cpu_has;   /* this CPU has instructions for it */
    char text[160]; /* "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU  -- this CPU has AES-NI; the
                       program does not use it" */
};
/* Sorted by share; how many, at most max. */
size_t report_verdicts(struct verdict *out, size_t max, const struct report *);

/* --require: "hw:aes", "sw:...", "none"? -- the conditions held: 0; one failed: 1, with a sentence
 * in why; not a condition: -1. */
int report_require(const char *condition, const struct report *, char *why, size_t max);

void report_sort(struct report *);
int report_text(FILE *, const struct report *);
int report_json(FILE *, const struct report *);   /* one object */
int report_ndjson(FILE *, const struct report *); /* a line a row; for intervals too */
int report_html(FILE *, const struct report *);   /* one self-contained page */
int report_prometheus(const char *path, const struct report *); /* written beside and renamed */
void report_free(struct report *);

#endif
