/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that takes a few cycles to read, and the conversion of its ticks to nanoseconds. */
#ifndef HR_TICKS_H
#define HR_TICKS_H

#include <stdint.h>
#include <time.h>

static inline uint64_t ticks_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ticks_seconds returns whole seconds of CLOCK_MONOTONIC, for sessions and the log. */
static inline uint64_t ticks_seconds(void)
{
    return ticks_clock() / 1000000000;
}

#if defined(__x86_64__)
static inline uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t ticks(void)
{
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
}
#else
static inline uint64_t ticks(void)
{
    return ticks_clock();
}
#endif

/* ticks_scale measures for two milliseconds and returns the nanoseconds of a tick, times 2^32. */
static inline uint64_t ticks_scale(void)
{
    const uint64_t since = ticks_clock(), first = ticks();
    uint64_t now, last;
    do {
        now = ticks_clock();
        last = ticks();
    } while (now - since < 2000000);
    return last == first ? UINT64_C(1) << 32 : ((now - since) << 32) / (last - first);
}

static inline uint64_t ticks_ns(uint64_t t, uint64_t scale)
{
    return (uint64_t)(((unsigned __int128)t * scale) >> 32);
}

#endif
