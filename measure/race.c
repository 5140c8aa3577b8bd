/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "race.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
/* The fences keep earlier and later work on their own side of the reading. */
uint64_t race_timer_ticks(void)
{
    unsigned cpu;
    _mm_lfence();
    uint64_t ticks = __rdtscp(&cpu);
    _mm_lfence();
    return ticks;
}
#else
uint64_t race_timer_ticks(void)
{
    return 0;
}
#endif

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double time_calls(const struct contender *who, uint64_t n)
{
    double begin = now_ns();
    who->run(who->ctx, n);
    return now_ns() - begin;
}

static uint64_t calls_in(const struct contender *who, double slice_ns)
{
    uint64_t n = 1;
    double took = time_calls(who, n);
    /* a time that seems long enough is measured once more, because the first may include waiting */
    while ((took < slice_ns / 2 || (took = time_calls(who, n)) < slice_ns / 2) && n < UINT64_C(1)
                                                                                          << 40) {
        n *= took < slice_ns / 32 ? 16 : 2;
        took = time_calls(who, n);
    }
    n = (uint64_t)((double)n * slice_ns / took);
    return n ? n : 1;
}

void race_begin(struct race *race, const struct contender *who, unsigned num, double slice_ns)
{
    race->num = num;
    race->slices = 0;
    race->slice_ns = slice_ns;
    for (unsigned i = 0; i < num; i++)
        race->calls[i] = calls_in(&who[i], slice_ns);
}

static long preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static double (*delay_of)(void *ctx);
static void *delayed;

void race_heed(double (*delay_ns)(void *ctx), void *ctx)
{
    delay_of = delay_ns;
    delayed = ctx;
}

static double delay(void)
{
    return delay_of ? delay_of(delayed) : 0;
}

enum { SLIGHT = 32 }; /* a delay below 1/32 of a turn is ignored: each wake-up is a short one */

/* Measures one turn. Returns whether it was undisturbed: this thread was not preempted, and the
 * process of race_heed did not wait for its CPU. */
static bool try_turn(struct race *race, const struct contender *who, unsigned i)
{
    const uint64_t n = race->calls[i];
    const long before = preemptions();
    const double late = delay();
    uint64_t ticks = race_timer_ticks();
    double took = time_calls(who, n);
    ticks = race_timer_ticks() - ticks;
    race->ns[i][race->slices] = took / (double)n;
    race->ticks[i][race->slices] = (double)ticks / (double)n;
    return preemptions() == before && delay() - late < took / SLIGHT;
}

static void turn(struct race *race, const struct contender *who, unsigned i)
{
    bool alone = false;
    const int most = delay_of ? 12 : 4; /* two CPUs are undisturbed less often than one */
    for (int tries = 0; !alone && tries < most; tries++) {
        sched_yield(); /* gets a new time slice from the scheduler */
        /* refills the caches and predictors, which other contenders have used, without measuring */
        who->run(who->ctx, race->calls[i] / 8);
        alone = try_turn(race, who, i);
    }
}

void race_run(struct race *race, const struct contender *who, unsigned slices)
{
    for (unsigned s = 0; s < slices && race->slices < RACE_SLICES; s++, race->slices++)
        for (unsigned i = 0; i < race->num; i++)
            turn(race, &who[i], i);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double race_quantile(const double *values, unsigned num, double part)
{
    double sorted[RACE_SLICES];
    if (num == 0)
        return 0;
    memcpy(sorted, values, num * sizeof *values);
    qsort(sorted, num, sizeof *sorted, ascending);
    const double at = part * (num - 1);
    const unsigned low = (unsigned)at, high = low + 1 < num ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

double race_ns_quantile(const struct race *race, unsigned i, double part)
{
    return race_quantile(race->ns[i], race->slices, part);
}

double race_ns(const struct race *race, unsigned i)
{
    return race_ns_quantile(race, i, 0.5);
}

double race_ticks(const struct race *race, unsigned i)
{
    return race_quantile(race->ticks[i], race->slices, 0.5);
}

double race_ratio_quantile(const struct race *race, unsigned ours, unsigned theirs, double part)
{
    double ratios[RACE_SLICES];
    for (unsigned s = 0; s < race->slices; s++)
        ratios[s] = race->ns[theirs][s] / race->ns[ours][s];
    return race_quantile(ratios, race->slices, part);
}

double race_ratio(const struct race *race, unsigned ours, unsigned theirs)
{
    return race_ratio_quantile(race, ours, theirs, 0.5);
}
