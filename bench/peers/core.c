/* SPDX-License-Identifier: Apache-2.0 */
/* On a shared host the other thread of our core may belong to somebody else, and take up to half of
 * its throughput.  A probe compares four independent chains of additions with one: equal times mean
 * that the core is ours.  The clock is that of one chain, of an addition a cycle. */
#define _GNU_SOURCE
#include "core.h"
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static double tsc_hz, top_hz;
static const int *cpus;
static unsigned num_cpus, current;

double core_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t core_tick(void)
{
    unsigned cpu;
    _mm_lfence();
    const uint64_t t = __rdtscp(&cpu);
    _mm_lfence();
    return t;
}

double core_tsc_hz(void)
{
    return tsc_hz;
}

/* chain does 64 dependent one-cycle additions a turn.  It adds a register, because cores since
 * Golden Cove carry out several additions of small constants a cycle while they rename registers.
 */
static __attribute__((noinline)) void chain(uint64_t turns)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < turns; i++)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(x) : "r"(turns));
}

static __attribute__((noinline)) void four_chains(uint64_t turns)
{
    uint64_t x = 1, y = 1, z = 1, w = 1;
    for (uint64_t i = 0; i < turns; i++)
        __asm__ volatile(".rept 32\n\tadd %4, %0\n\tadd %4, %1\n\tadd %4, %2\n\tadd %4, %3\n\t.endr"
                         : "+r"(x), "+r"(y), "+r"(z), "+r"(w)
                         : "r"(turns));
}

double core_hz(void)
{
    const uint64_t turns = 400; /* 25600 cycles, about 8 us */
    chain(20);
    const uint64_t t = core_tick();
    chain(turns);
    return 64.0 * (double)turns / ((double)(core_tick() - t) / tsc_hz);
}

double core_share(void)
{
    const uint64_t t = core_tick();
    chain(40);
    const uint64_t u = core_tick();
    four_chains(80);
    const uint64_t v = core_tick();
    chain(40);
    const uint64_t w = core_tick();
    const uint64_t one = u - t < w - v ? u - t : w - v;
    const double share = (double)one / (double)(v - u);
    return share > 1 ? 1 : share;
}

static double median_share(void)
{
    const double a = core_share(), b = core_share(), c = core_share();
    const double high = a > b ? a : b, low = a > b ? b : a;
    return c > high ? high : c < low ? low : c;
}

static void pin(unsigned i)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[i], &set);
    sched_setaffinity(0, sizeof set, &set);
    current = i;
}

static int found_clean(void)
{
    for (unsigned i = 0; i < (num_cpus ? num_cpus : 1); i++) {
        if (median_share() >= CORE_CLEAN)
            return 1;
        if (num_cpus > 1)
            pin((current + 1) % num_cpus);
    }
    return 0;
}

void core_seek_clean(double *budget)
{
    const double start = core_now();
    while (!found_clean() && *budget >= core_now() - start)
        usleep(3000);
    *budget -= core_now() - start;
}

void core_settle(void)
{
    for (int i = 0; i < 5; i++) {
        const double hz = core_hz();
        if (hz > top_hz && hz < 5e9)
            top_hz = hz;
        if (hz > 0.96 * top_hz)
            return;
        chain(10000); /* about 0.2 ms */
    }
}

void core_clean_vectors(void)
{
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper" ::: "memory");
}

static double measured_tsc_hz(void)
{
    const double start = core_now();
    const uint64_t t = core_tick();
    while (core_now() - start < 0.05)
        ;
    const uint64_t u = core_tick();
    return (double)(u - t) / (core_now() - start);
}

void core_start(const int *use, unsigned num)
{
    cpus = use;
    num_cpus = num;
    if (num_cpus)
        pin(0);
    tsc_hz = measured_tsc_hz();
}
