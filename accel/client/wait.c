/* SPDX-License-Identifier: Apache-2.0
 *
 * How a thread waits for a completion.  A round trip takes 0.3 to 2 microseconds if both sides are
 * awake, a switch to another process and back 2 to 3, and a sleep 17.  So the thread first looks at
 * the ring for SURE.  After that it depends on the other threads that want this CPU.  The time that
 * a yield takes tells which case it is:
 *   - less than ALONE: no other thread wants the CPU.  The thread looks on for SPIN, then sleeps.
 *   - more: other threads wait as this one does, and soon give the CPU back.  The thread yields,
 *     from then on without looking first, and finds its answer when its turn comes again.  That is
 *     one process switch for a request, and requests of many threads fill the lanes.
 *   - more than COMPUTES: another thread computes, and each yield would give it a whole time slice.
 *     The thread waits as if alone.
 * A thread that waits for a long operation of the unit only looks for SURE, and sleeps; so does one
 * that waits for any operation of the unit where others want this CPU.
 * The system's load (/proc/loadavg) would not tell this: it counts threads on other CPUs too.
 */
#define _GNU_SOURCE
#include "../relax.h"
#include "internal.h"
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SURE = 1500, SPIN = 10000, ALONE = 1000, COMPUTES = 500000 }; /* nanoseconds */
enum { HOLDS = 4, YIELDS = 4, TRY_AGAIN = 32 };
enum { SLEEP_FIRST = 1000000, SLEEP_MOST = 64000000 };

static uint64_t ticks_of_spin;

uint64_t wait_ticks(uint64_t ns)
{
    return ticks_of_spin * ns / SPIN;
}

uint64_t wait_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* wait_init measures ticks against nanoseconds, for 20 microseconds. */
void wait_init(void)
{
    const uint64_t t0 = ticks(), n0 = ticks_clock();
    uint64_t t = t0, n = n0;
    while (n - n0 < 20000) {
        t = ticks();
        n = ticks_clock();
    }
    ticks_of_spin = (t - t0) * SPIN / (n - n0);
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
    ring_fence(); /* orders `sleeping` before the last look */
    if (!subring_ready(s) && connection_live(s->connection))
        syscall(SYS_futex, &theirs->ring[s->ring].wake, FUTEX_WAIT, wake, &timeout, NULL, 0);
    atomic_store_explicit(sleeping, 0, memory_order_relaxed);
}

/* yield lets other threads run, notes for how long, and looks for a completion. */
static int yield(struct subring *s)
{
    const uint64_t begin = ticks();
    sched_yield();
    s->yielded = ticks();
    s->away = s->yielded - begin;
    s->computes = s->away < wait_ticks(COMPUTES) ? 0 : s->computes + (s->computes < HOLDS);
    return subring_ready(s);
}

/* in_crowd tells whether, at the last yield, other threads ran and soon gave the CPU back. */
static int in_crowd(const struct subring *s)
{
    return s->away >= wait_ticks(ALONE) && !s->computes;
}

/* asks_again tells whether the last yield is too old to rely on.  A yield counts for 2^HOLDS times
 * as long as it took.  If another thread computed, it counts only for as long as it took, and for
 * twice as long after each further such yield: so two waiting threads that each take the other for
 * a computing one soon find out. */
static int asks_again(const struct subring *s)
{
    const uint32_t holds = s->computes ? s->computes - 1 : HOLDS;
    return ticks() - s->yielded > s->away << holds;
}

/* look spins for SURE.  In a crowd, looking in vain takes time from threads that would give the
 * accelerator more work.  So after a wait longer than SURE it looks in only one of TRY_AGAIN waits,
 * until one is short again. */
static int look(struct subring *s, uint64_t start)
{
    if (in_crowd(s) && s->vain % TRY_AGAIN)
        return 0;
    return spin(s, start, wait_ticks(SURE));
}

static int wait_for_others(struct subring *s, uint64_t start)
{
    int ready = 0;
    if (!in_crowd(s) && asks_again(s))
        ready = yield(s);
    for (int i = 0; !ready && in_crowd(s) && (i < YIELDS || s->yielded - start < ticks_of_spin);
         i++)
        ready = yield(s);
    return ready;
}

/* spin_limit returns for how long a thread looks before it sleeps: with patience, if nobody else
 * wants the CPU. */
static uint64_t spin_limit(const struct subring *s)
{
    return s->patience && s->away < wait_ticks(ALONE) ? wait_ticks(s->patience) : ticks_of_spin;
}

/* may_spin tells whether it is worth looking on.  An operation of the unit takes longer than SPIN:
 * where others want this CPU, the thread sleeps. */
static int may_spin(const struct subring *s)
{
    return !in_crowd(s) && !(s->connection->is_unit && s->away >= wait_ticks(ALONE));
}

int wait_for_completion(struct subring *s, unsigned round)
{
    const uint64_t start = ticks();
    if (LIKELY(look(s, start))) {
        s->vain = 0;
        return 1;
    }
    s->vain++;
    if (!s->is_long &&
        (wait_for_others(s, start) || (may_spin(s) && spin(s, start, spin_limit(s)))))
        return 1;
    sleep_for_completion(s, round);
    return subring_ready(s);
}

static int any_ready(struct subring *const *s, int num)
{
    for (int i = 0; i < num; i++)
        if (subring_ready(s[i]))
            return 1;
    return 0;
}

/* A thread that waits for several sub-rings can sleep at one futex only, so it sleeps for a short
 * time. */
int wait_for_any(struct subring *const *s, int num)
{
    const struct timespec pause = { .tv_nsec = 50000 };
    const uint64_t start = ticks();
    do {
        for (int i = 0; i < 8; i++) {
            if (any_ready(s, num))
                return 1;
            RELAX();
        }
    } while (ticks() - start < ticks_of_spin);
    const int cancel = cancel_later();
    nanosleep(&pause, NULL);
    cancel_as_before(cancel);
    return any_ready(s, num);
}
