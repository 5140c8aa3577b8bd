/* SPDX-License-Identifier: Apache-2.0 */
/* The core that the bench runs on: its clocks, and what share of it is ours. */
#ifndef CORE_H
#define CORE_H

#include <stdint.h>

#define CORE_CLEAN 0.82 /* a share from which on the core counts as ours alone */

/* core_start pins the process to the first of these CPUs, if there are any, and measures the rate
 * of the time-stamp counter. */
void core_start(const int *cpus, unsigned num_cpus);

double core_now(void);    /* seconds */
uint64_t core_tick(void); /* of the time-stamp counter */
double core_tsc_hz(void);
/* The clock that the core runs at in the state that the code before left it in. */
double core_hz(void);

/* Our share of the core: 1 alone, about 0.5 beside a busy thread. */
double core_share(void);
/* core_seek_clean moves the process to a CPU that no other thread shares, and waits for one if
 * there is none, for about *budget seconds at most.  It subtracts the time that it took from
 * *budget. */
void core_seek_clean(double *budget);
/* core_settle waits, for some milliseconds at most, until code that ran before no longer holds the
 * clock down, so that a slice begins at full clock. */
void core_settle(void);
/* core_clean_vectors zeroes the upper halves of the vector registers.  A library that leaves them
 * dirty would hold the clock down and slow SSE code while the next peer is timed. */
void core_clean_vectors(void);

#endif
