/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the views of `headrace speed` share. */
#ifndef SPEED_H
#define SPEED_H

#include "ways.h"
#include <headrace/headrace.h>
#include <jansson.h>

/* How carefully to measure. */
struct speed_plan {
    unsigned slices; /* number of turns of each contender */
    double slice_ns;
    bool lanes; /* operations of public key at once, side by side */
};

/* The algorithms to measure. */
struct speed_rows {
    size_t num;
    const struct hr_algorithm *rows[128];
};

/* The measurement of one cell. */
struct speed_result {
    struct cell cell;
    const char *kernel; /* the kernel in use; "" if the cell is built on kernels of other rows */
    enum way num_ways;  /* the ways that were measured: of the first num_ways those with ns > 0 */
    double ns[ALL_WAYS], ticks[ALL_WAYS]; /* for one call */
    double ratio[ALL_WAYS]; /* time of OpenSSL's EVP divided by that of this way; 0: OpenSSL does
                               not have it */
    double ns_quartiles[ALL_WAYS][2], ratio_quartiles[ALL_WAYS][2]; /* of the turns */
};

struct speed_results {
    size_t num;
    struct speed_result *at;
};

/* A complete measurement and its circumstances; `masked` has num 0 if it was not asked for. */
struct speed_report {
    const char *openssl_version, *libcrypto;
    struct speed_plan plan;
    double cpu_share; /* see speed_cpu_share */
    struct speed_results plain, masked;
};

/* Measures every cell of the rows. Returns an exit code. The caller frees results->at. */
int speed_measure(struct speed_results *results, const struct speed_rows *rows,
                  const struct speed_plan *plan, const struct sides *sides);
/* speed_measure in a child process in which CPU features are masked for both sides. To be called
 * before CPU features are detected or libcrypto is loaded, because both happen only once. */
int speed_measure_masked(struct speed_results *results, const struct speed_rows *rows,
                         const struct speed_plan *plan, const char *libcrypto,
                         const char *module_dir);
/* Compares the kernels of each operation. Fails if a kernel table is not ordered best first,
 * unless the CPU is emulated. */
int speed_kernels(const struct speed_rows *rows, const struct speed_plan *plan, bool json);

struct speed_pkcs11_options {
    const struct speed_rows *rows; /* none: the usual ones */
    const struct speed_plan *plan;
    const char *module; /* another module to compare with; "": none */
    const char *libcrypto, *modules, *html;
    bool json;
};
/* Measures messages through PKCS#11, and prints them.  Returns an exit code. */
int speed_pkcs11(const struct speed_pkcs11_options *options);

/* Measures and prints the cycles of a call of Poly1305-AES, by length, alignment, kind of key and
 * validity of the tag. */
int speed_cycles(const struct speed_plan *plan, bool json);
enum { SPEED_BUSY_MAX = 320 };
/* Whether the turns of a ratio differ so much that it is no finding. */
bool speed_unclear(const struct speed_result *r, enum way way);
/* Tells whether the machine was too busy for findings, and writes the figures that decide it. */
bool speed_busy(char *out, size_t max, const struct speed_report *report);
/* The colour for a ratio: of a gain, of a loss, or NULL. */
const char *speed_colour(const struct speed_result *r, enum way way, bool busy);
/* CPU time and time of this process and its children that have ended, in seconds. */
struct speed_times {
    double cpu, wall;
};
struct speed_times speed_times(void);
/* CPU time divided by time, at most 1; 0 if the time is too short for a system that counts in ticks
 * to tell. */
double speed_cpu_share(const struct speed_times *before, const struct speed_times *after);

void speed_print(const struct speed_report *report);
/* The lines of public key: an operation a line. */
void speed_print_pk(const struct speed_report *report, bool busy);
/* Ranks the ratios by bars, if stdout is a terminal whose characters are UTF-8. */
void speed_print_bars(const struct speed_report *report, bool busy);
/* The whole report as JSON, with the machine, the time and the method. */
json_t *speed_json(const struct speed_report *report);
void speed_add_facts(json_t *root);
/* The environment variables of a masked measurement of rows like this one, and their values. */
json_t *speed_masks(const struct hr_algorithm *row);
int speed_print_json(const json_t *root);
/* Write an HTML page that draws a report, or the report in a file that `headrace speed --json`
 * wrote, and say where it is, unless quiet. Return exit codes. */
int speed_html(const char *path, const json_t *root, bool quiet);
int speed_html_from(const char *path, const char *from);

/* Shows "AES-128-CBC encrypt (3 of 60)" on stderr, in place, if that is a terminal; i counts from
 * 0. num 0 clears the line. */
void speed_progress(const struct cell *cell, size_t i, size_t num);
/* The kernel in use for the cell; "" if it is built on kernels of other rows. */
const char *speed_kernel(const struct cell *cell);

/* Converts a time into the unit of the cell's rates. */
static inline double speed_rate(const struct cell *cell, double ns)
{
    return (double)cell->size * 1e9 / ns / ways_cell_unit(cell)->rate_per_s;
}

#endif
