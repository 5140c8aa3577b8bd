/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of a trace as data. The session fills them, verdict.c derives verdicts, report_*.c
 * print them.
 */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include "../count/probes.h"
#include "../families.h"
#include <stdio.h>

/* One function of one library, computing in one way; with --system, in one process. A row of
 * FAMILY_NONE is no crypto, but a function that name_waste() knows; it is used only for the
 * sentences on waste. */
struct report_row {
    struct finding finding;
    size_t process; /* index of the process */
    char *library;  /* "libcrypto.so.3", "[JIT]", "[kernel]" or "[aesni_intel]" */
    /* A name is as in the file, hostile: printers escape it; "+0x1234" where it has no name. */
    char *function;
    enum name_source source;
    uint64_t offset; /* the function's address in the library; of JIT code, in memory */
    uint64_t samples;
    uint64_t calls, bytes;
    enum exactness exactness; /* exactness of calls; COUNT_NONE: not counted */
    bool bytes_known;
};

struct report_process {
    pid_t pid;
    char name[32], cgroup[64];
    uint64_t samples, hardware, software, vector; /* all samples, and those of crypto by way */
    unsigned clues; /* result of waste_clues(pid), taken while the process lived */
};

struct report_uncovered {
    char *what, *why;
};

struct report {
    const char *mode; /* "command", "pid" or "system" */
    char *command;    /* the COMMAND, or the command of PID; hostile too */
    pid_t pid;
    int64_t started; /* seconds since the epoch; 0: unknown */
    double seconds;
    int exit_status;                     /* exit status of COMMAND, or -1 */
    const char *backend, *probe_backend; /* probe_backend is NULL without --count */
    unsigned hz;
    bool kernel; /* samples in the kernel were taken if there were any */
    /* All samples; those in the kernel; those that were not delivered. */
    uint64_t samples, kernel_samples, lost;
    uint64_t covered,
        /* Functions with crypto instructions or constants: those watched, and those not. */
        uncovered;
    uint64_t uncovered_samples; /* samples whose code could not be read */
    /* Those of them for which the budget of memory and time did not suffice. */
    uint64_t unread_samples;
    /* One bit a family: this CPU has instructions for it; see cpu_families(). */
    uint32_t cpu_families;
    struct report_row *rows;
    size_t num_rows;
    struct report_process *processes;
    size_t num_processes;
    struct report_uncovered *gaps; /* "/usr/lib/x.so (deleted)", "device or inode differs" */
    size_t num_gaps;
    char **waste; /* sentences for the report */
    size_t num_waste;
    struct report_driver *drivers; /* drivers of /proc/crypto */
    size_t num_drivers;
};

struct report_driver {
    char name[64], driver[64], module[32];
    int priority; /* among drivers for one name, the kernel takes the highest */
    bool hardware, in_use;
    bool either; /* its name does not say: the kernel's library uses the CPU's instructions if the
                    kernel was built with them */
    uint64_t samples;
};

/* Completes the session's data for printing: adds the CPU's families, the drivers of
 * /proc/crypto and the sentences on waste, and sorts. Returns 0, or -1 without memory. */
int report_complete(struct report *);
/* The families for which this CPU has instructions, by /proc/cpuinfo. */
uint32_t cpu_families(void);
/* Finds signs in a process's environment and command line that crypto hardware is masked; returns
 * them as bits (waste.h). */
unsigned waste_clues(pid_t);

/* One sentence about one family, computed from the rows. */
struct verdict {
    enum family family;
    enum how how; /* the way with the largest share; HOW_NONE: only bounds of calls are known */
    double share; /* part of all samples, 0..1, all ways together */
    double hardware, software, vector;
    const char *variant;
    bool cpu_has;   /* this CPU has instructions for the family */
    bool few;       /* there are too few samples to rely on */
    uint64_t calls; /* number of calls, if they were counted: at least this */
    uint64_t exact; /* those of them that were counted exactly; only these decide */
    char text[256]; /* "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU  -- this CPU has AES-NI; the
                       program does not use it" */
};
/* Computes the verdicts, sorted by share. Returns how many, at most max. */
size_t report_verdicts(struct verdict *out, size_t max, const struct report *);
/* The sentence that is printed if there is no verdict: "no crypto observed in 812 samples; ...",
 * or "no cipher, digest or MAC" if there was arithmetic as of RSA. */
void report_no_verdict(char *out, size_t max, const struct report *);

/* Checks --require: conditions joined by commas (headrace-trace(1)). Returns 0 if they hold; 1
 * if one failed, with a sentence in why; -1 if a condition is invalid, with the usage error in
 * why. Without a report only the syntax is checked, before the run. */
int report_require(const char *conditions, const struct report *, char *why, size_t max);

/* Sorts rows by samples, and processes by their crypto. */
void report_sort(struct report *);
/* The printers return 0, or -1 with errno if the output could not be written. */
int report_text(FILE *, const struct report *, bool verbose);
int report_json(FILE *, const struct report *); /* one JSON object */
/* Prints one line for each row, with --system one for each process, and a summary. */
int report_ndjson(FILE *, const struct report *);
int report_html(const char *path, const struct report *);       /* one self-contained page */
int report_prometheus(const char *path, const struct report *); /* a file that appears as a whole */
/* Print the page of report_html, and the text of report_prometheus, into an open file. */
int report_html_to(FILE *, const struct report *);
int report_prometheus_to(FILE *, const struct report *);
/* Frees everything that the report points to, but not the report itself. */
void report_free(struct report *);

#endif
