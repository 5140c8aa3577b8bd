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

/* One function of one library, in one way of computing; of one process with --system.  A row of
 * FAMILY_NONE is no crypto: a function that name_waste() knows, for the sentences on waste only. */
struct report_row {
    struct finding finding;
    size_t process; /* index */
    char *library;  /* "libcrypto.so.3", "[JIT]", "[kernel]" or "[aesni_intel]" */
    char *function; /* as the file has it, hostile: printers escape it; "+0x1234" where none */
    enum name_source source;
    uint64_t samples;
    uint64_t calls, bytes;
    enum exactness exactness; /* of calls; COUNT_NONE: not counted */
    bool bytes_known;
};

struct report_process {
    pid_t pid;
    char name[32], cgroup[64];
    uint64_t samples, hardware, software, vector; /* all; and of crypto */
    unsigned clues;                               /* waste_clues(pid), asked while it lived */
};

struct report_uncovered {
    char *what, *why;
};

struct report {
    const char *mode; /* "command", "pid", "system" */
    char *command;    /* of COMMAND, or of PID; hostile too */
    pid_t pid;
    int64_t started; /* seconds since the epoch; 0: unknown */
    double seconds;
    int exit_status;                     /* of COMMAND; -1 */
    const char *backend, *probe_backend; /* probe_backend NULL without --count */
    unsigned hz;
    bool kernel;                            /* kernel samples were taken, where there were any */
    uint64_t samples, kernel_samples, lost; /* all; those of them in the kernel; not delivered */
    uint64_t covered,
        uncovered; /* functions with crypto instructions or constants: probed or watched, and not */
    uint64_t uncovered_samples; /* in mappings that could not be opened */
    uint32_t cpu_families; /* bit a family: this CPU has instructions for it; see cpu_families() */
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
    int priority; /* the kernel takes the highest of one name */
    bool hardware, in_use;
    bool either; /* its name does not tell: the kernel's library, which takes the CPU's
                    instructions where the kernel was built with them */
    uint64_t samples;
};

/* What the session has filled, completed for printing: the CPU's families, /proc/crypto, sentences
 * on waste; sorted.  0, or -1: no memory. */
int report_complete(struct report *);
/* Families that this CPU has instructions for, by /proc/cpuinfo. */
uint32_t cpu_families(void);
/* What a process's environment and command line say about crypto hardware being masked: bits. */
unsigned waste_clues(pid_t);

/* One sentence a family: computed from the rows. */
struct verdict {
    enum family family;
    enum how how; /* of the larger part */
    double share; /* of all samples, 0..1, all ways together */
    double hardware, software, vector;
    const char *variant;
    bool cpu_has;   /* this CPU has instructions for it */
    bool few;       /* too few samples to rely on */
    uint64_t calls; /* where counted */
    char text[256]; /* "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU  -- this CPU has AES-NI; the
                       program does not use it" */
};
/* Sorted by share; how many, at most max. */
size_t report_verdicts(struct verdict *out, size_t max, const struct report *);
/* The one sentence where there is no verdict: "no crypto observed in 812 samples; ...", or "no
 * cipher, digest or MAC" where there was arithmetic as of RSA. */
void report_no_verdict(char *out, size_t max, const struct report *);

/* --require, conditions joined by commas (headrace-trace(1)).  0: they hold; 1: one failed, with a
 * sentence in why; -1: not a condition, with the usage error in why.  Without a report: only that
 * last check, for before the run. */
int report_require(const char *conditions, const struct report *, char *why, size_t max);

/* Rows by samples, processes by their crypto. */
void report_sort(struct report *);
/* These return 0, or -1: could not be written (errno). */
int report_text(FILE *, const struct report *, bool verbose);
int report_json(FILE *, const struct report *);                 /* one object */
int report_ndjson(FILE *, const struct report *);               /* a line a row, and a summary */
int report_html(const char *path, const struct report *);       /* one self-contained page */
int report_prometheus(const char *path, const struct report *); /* written beside and renamed */
/* The same into an open file. */
int report_html_to(FILE *, const struct report *);
int report_prometheus_to(FILE *, const struct report *);
/* Frees what the report points to, not the report. */
void report_free(struct report *);

#endif
