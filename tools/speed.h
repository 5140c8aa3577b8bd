/* SPDX-License-Identifier: Apache-2.0 */
/* What the views of `headrace speed` share. */
#ifndef SPEED_H
#define SPEED_H

#include "ways.h"
#include <headrace/headrace.h>
#include <jansson.h>

/* How carefully to measure. */
struct speed_plan {
    unsigned slices; /* turns of each contender */
    double slice_ns;
};

/* The algorithms that were asked for. */
struct speed_rows {
    size_t num;
    const struct hr_algorithm *rows[128];
};

/* A measured cell. */
struct speed_result {
    struct cell cell;
    const char *kernel;                   /* in use; "" where it is built on those of other rows */
    enum way num_ways;                    /* that it was timed in */
    double ns[NUM_WAYS], ticks[NUM_WAYS]; /* a call */
    double ratio[NUM_WAYS];               /* OpenSSL's EVP time over this way's; 0: has none */
};

struct speed_results {
    size_t num;
    struct speed_result *at;
};

/* One measured set, and what it was measured with; `masked` has num 0 where it was not wanted. */
struct speed_report {
    const char *openssl_version, *libcrypto;
    struct speed_plan plan;
    struct speed_results plain, masked;
};

/* Runs every cell of the rows; returns an exit code. The caller frees results->at. */
int speed_measure(struct speed_results *results, const struct speed_rows *rows,
                  const struct speed_plan *plan, const struct sides *sides);
/* The same in a child process whose CPU features are masked on both sides. Call it before anything
 * has asked for CPU features or opened libcrypto: both are read once. */
int speed_measure_masked(struct speed_results *results, const struct speed_rows *rows,
                         const struct speed_plan *plan, const char *libcrypto,
                         const char *module_dir);
/* Compares the kernels of each operation; fails where a table is not best first. */
int speed_kernels(const struct speed_rows *rows, const struct speed_plan *plan, bool json);

/* How many cycles a call of Poly1305-AES takes, by length, place, key and verdict. */
int speed_cycles(const struct speed_plan *plan, bool json);
void speed_print(const struct speed_report *report);
/* All of it, with on what, when and how was measured. */
json_t *speed_json(const struct speed_report *report);
void speed_add_facts(json_t *root);
/* What a masked measurement masks, by environment variable. */
json_t *speed_masks(void);
int speed_print_json(const json_t *root);
/* A page that draws it; of what `headrace speed --json` wrote before. Exit codes. */
int speed_html(const char *path, const json_t *root);
int speed_html_from(const char *path, const char *from);

/* "Working on AES-128-CBC encrypt (3 of 60)" in place, on a terminal only; num 0 clears it. */
void speed_progress(const struct cell *cell, size_t i, size_t num);
/* The kernel in use for the cell; "" where it is built on those of other rows. */
const char *speed_kernel(const struct cell *cell);

/* In the unit of the cell's rates. */
static inline double speed_rate(const struct cell *cell, double ns)
{
    return (double)cell->size * 1e9 / ns / cell_unit(cell)->rate_per_s;
}

#endif
