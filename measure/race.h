/* SPDX-License-Identifier: Apache-2.0
 *
 * Side-by-side timing: contenders take turns (A B C A B C ...), so that a noisy neighbour, a
 * changing clock or a preemption affects all alike. The result is the median of the turns.
 */
#ifndef TIMING_H
#define TIMING_H

#include <stdint.h>

struct contender {
    void (*run)(void *ctx, uint64_t n); /* does the operation n times */
    void *ctx;
};

enum { RACE_CONTENDERS = 12, RACE_SLICES = 255 };

struct race {
    unsigned num, slices;
    double slice_ns;                         /* length of a turn in ns; it has at least one call */
    uint64_t calls[RACE_CONTENDERS];         /* calls in a turn */
    double ns[RACE_CONTENDERS][RACE_SLICES]; /* for one call */
    double ticks[RACE_CONTENDERS][RACE_SLICES]; /* for one call */
};

/* Warms up every contender and finds how many calls fill a turn of slice_ns. */
void race_begin(struct race *race, const struct contender *who, unsigned num, double slice_ns);
/* Measures `slices` more turns of each contender; turns beyond RACE_SLICES are left out. */
void race_run(struct race *race, const struct contender *who, unsigned slices);

/* From now on, turns are also repeated if a process on which contenders depend had to wait for a
 * CPU. delay_ns returns how many ns it has waited so far. */
void race_heed(double (*delay_ns)(void *ctx), void *ctx);

/* Medians of the turns: ns and timer ticks of a call, and the ratio of the time of `theirs` to
 * that of `ours`, which is computed for each turn. */
double race_ns(const struct race *race, unsigned i);
double race_ticks(const struct race *race, unsigned i);
double race_ratio(const struct race *race, unsigned ours, unsigned theirs);
/* The quantiles of the same turns; part 0.5 is the median. */
double race_ns_quantile(const struct race *race, unsigned i, double part);
double race_ratio_quantile(const struct race *race, unsigned ours, unsigned theirs, double part);

/* The quantile of num values, at most RACE_SLICES; part 0.5 is the median. */
double race_quantile(const double *values, unsigned num, double part);

/* Returns the TSC of x86-64, which has a constant rate; 0 on other CPUs. */
uint64_t race_timer_ticks(void);

#endif
