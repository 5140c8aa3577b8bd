/* SPDX-License-Identifier: Apache-2.0
 *
 * Side-by-side timing: contenders take turns (A B C A B C ...), so that a noisy neighbour, a
 * changing clock or a preemption hits all alike, and the medians of the turns count.
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
    double slice_ns;                            /* how long a turn lasts, one call at least */
    uint64_t calls[RACE_CONTENDERS];            /* in a turn */
    double ns[RACE_CONTENDERS][RACE_SLICES];    /* a call */
    double ticks[RACE_CONTENDERS][RACE_SLICES]; /* a call */
};

/* Warms every contender up and finds how many calls fill a turn of slice_ns. */
void race_begin(struct race *race, const struct contender *who, unsigned num, double slice_ns);
/* `slices` more turns of each; those beyond RACE_SLICES are left out. */
void race_run(struct race *race, const struct contender *who, unsigned slices);

/* From now on turns are taken again, too, in which somebody whom contenders wait for had no CPU:
 * how many ns that was so far. */
void race_heed(double (*delay_ns)(void *ctx), void *ctx);

/* Medians over the turns: nanoseconds and timer ticks a call, and the time of `theirs` over that
 * of `ours`, formed turn by turn. */
double race_ns(const struct race *race, unsigned i);
double race_ticks(const struct race *race, unsigned i);
double race_ratio(const struct race *race, unsigned ours, unsigned theirs);

/* Where this part of num values, at most RACE_SLICES, lies below: 0.5 is the median. */
double race_quantile(const double *values, unsigned num, double part);

/* The CPU's constant-rate timer: the TSC of x86; 0 where there is none that programs can read. */
uint64_t timer_ticks(void);

#endif
