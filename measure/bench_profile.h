/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of `headrace accel bench --profile`.
 */
#ifndef MEASURE_BENCH_PROFILE_H
#define MEASURE_BENCH_PROFILE_H

#include "bench.h"

enum { PROFILE_DIGEST = 32, PROFILE_LINES = 64 };

/* ---- bench_profile_pk.c: jobs of public key ---- */

struct profile_pk; /* a key, lent to the service, with jobs under it */

/* Makes a key, lends it, and makes jobs: one at a time, and `many` at once.  On failure prints an
 * error and returns NULL. */
struct profile_pk *profile_pk_open(const struct hr_algorithm *row, uint8_t op, unsigned many,
                                   const struct bench_sides *sides);
/* The contender that runs the jobs by the service, or in this program. */
struct contender profile_pk_side(struct profile_pk *pk, bool service, bool many);
void profile_pk_close(struct profile_pk *pk);

/* ---- bench_profile_print.c ---- */

struct profile_ratio {
    double service, program;  /* ns for a job */
    double low, median, high; /* quartiles of program / service */
};

/* An operation; ratio[0] is that of one job at a time, ratio[1] that of `many` at once. */
struct profile_line {
    const struct hr_algorithm *row;
    const char *word;
    size_t size;
    uint64_t jobs, served; /* jobs that were given, and those of them that the service had */
    unsigned many;
    struct profile_ratio ratio[2];
};

struct profile_report {
    const struct bench_sides *sides;
    const char *name, *title;
    bool json;
    size_t num;
    struct profile_line lines[PROFILE_LINES];
};

/* Asks the service how many requests it has answered.  Returns 0, or prints an error. */
int profile_requests(uint64_t *out, const struct private_service *service);
int profile_print(const struct profile_report *report);

#endif
