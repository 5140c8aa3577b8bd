/* SPDX-License-Identifier: Apache-2.0
 *
 * How a thread waits for a completion.  A round trip is a third of a microsecond where both sides
 * are awake, and a sleep costs 17: so it looks for SPIN_SURE in any case, and for SPIN if no more
 * threads want to run than there are cores; else it lets others run, and sleeps.
 *
 * How many want to run is a figure of the whole system: the clients are many processes of one
 * thread each, so what a process knows of its own threads says nothing.  /proc/loadavg has the
 * figure of this moment; it is read once in LOOK_AGAIN, by one thread of the process, which makes
 * its cost vanish.  Where it cannot be read, nothing spins for longer than SPIN_SURE.
 */
#define _GNU_SOURCE
#include "client.h"
#include "ticks.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield" : : : "memory")
#else
#define RELAX() __asm__ volatile("" : : : "memory")
#endif

enum { SPIN_SURE = 2000, SPIN = 10000, LOOK_AGAIN = 10000000, YIELDS = 4 }; /* nanoseconds */
enum { TRY_AGAIN = 16 };
enum { SLEEP_FIRST = 1000000, SLEEP_MOST = 64000000 };

static uint64_t ticks_of_spin, ticks_of_sure, ticks_of_look;
static int loadavg = -1;
static long cores;
static _Atomic uint64_t looked_at;
static _Atomic int crowded = 1;

uint64_t wait_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Ticks against nanoseconds, for 20 microseconds. */
static void calibrate(void)
{
    const uint64_t t0 = ticks(), n0 = ticks_clock();
    uint64_t t = t0, n = n0;
    while (n - n0 < 20000) {
        t = ticks();
        n = ticks_clock();
    }
    ticks_of_sure = (t - t0) * SPIN_SURE / (n - n0);
    ticks_of_spin = (t - t0) * SPIN / (n - n0);
    ticks_of_look = ticks_of_spin * (LOOK_AGAIN / SPIN);
}

void wait_init(void)
{
    calibrate();
    cores = sysconf(_SC_NPROCESSORS_ONLN);
    loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
}

/* "0.20 0.18 0.12 3/80 11206": three want to run, this thread among them. */
static int count_runnable(void)
{
    char text[64] = { 0 };
    const int cancel = cancel_later();
    const ssize_t len = pread(loadavg, text, sizeof text - 1, 0);
    cancel_as_before(cancel);
    if (len <= 0)
        return 1;
    const char *at = text;
    for (int i = 0; i < 3 && at; i++)
        at = strchr(at + 1, ' ');
    return !at || strtol(at, NULL, 10) > cores;
}

static int is_crowded(uint64_t now)
{
    uint64_t last = atomic_load_explicit(&looked_at, memory_order_relaxed);
    if (now - last > ticks_of_look && atomic_compare_exchange_strong(&looked_at, &last, now))
        atomic_store_explicit(&crowded, count_runnable(), memory_order_relaxed);
    return atomic_load_explicit(&crowded, memory_order_relaxed);
}

static int spin(const struct subring *s, uint64_t start, uint64_t limit)
{
    do {
        for (int i = 0; i < 8; i++) {
            if (subring_ready(s))
                return 1;
            RELAX();
        }
    } while (ticks() - start < limit);
    return 0;
}

static void sleep_for_completion(struct subring *s, unsigned round)
{
    const uint64_t limit = round < 6 ? (uint64_t)SLEEP_FIRST << round : (uint64_t)SLEEP_MOST;
    const struct timespec timeout = { .tv_nsec = (long)limit };
    struct ring_service_words *theirs = (void *)s->connection->completions;
    _Atomic uint32_t *sleeping = &client_words(s->connection)->ring[s->ring].sleeping;
    const uint32_t wake = atomic_load(&theirs->ring[s->ring].wake);
    atomic_store_explicit(sleeping, 1, memory_order_relaxed);
    ring_fence(); /* "I sleep" before the last look */
    if (!subring_ready(s) && connection_live(s->connection))
        syscall(SYS_futex, &theirs->ring[s->ring].wake, FUTEX_WAIT, wake, &timeout, NULL, 0);
    atomic_store_explicit(sleeping, 0, memory_order_relaxed);
}

/* Among more threads than cores, looks that are in vain take the time of those who would give the
 * accelerator more to do at once: they are few until one of TRY_AGAIN waits is short again. */
static uint64_t sure(struct subring *s, uint64_t now)
{
    return s->vain % TRY_AGAIN && is_crowded(now) ? ticks_of_sure / 16 : ticks_of_sure;
}

int wait_for_completion(struct subring *s, unsigned round)
{
    const uint64_t start = ticks();
    if (LIKELY(spin(s, start, sure(s, start)))) {
        s->vain = 0;
        return 1;
    }
    s->vain++;
    if (!is_crowded(start)) {
        if (spin(s, start, ticks_of_spin))
            return 1;
    } else {
        for (int i = 0; i < YIELDS; i++) {
            sched_yield();
            if (subring_ready(s))
                return 1;
        }
    }
    sleep_for_completion(s, round);
    return subring_ready(s);
}
