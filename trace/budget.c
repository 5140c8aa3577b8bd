/* SPDX-License-Identifier: Apache-2.0 */
#include "budget.h"
#include <stdint.h>
#include <string.h>
#include <time.h>

const char budget_no_memory[] = "not read: more memory than --max-memory leaves";
const char budget_no_time[] = "not read: --max-time is over, or the trace ended first";

/* The grace when a trace is to end, in seconds: of CPU time, so that a busy machine does not
 * shorten it, and of all time, so that a slow disk does not prolong it for ever. Sanitizers make
 * everything ten times slower. */
#if defined(__SANITIZE_ADDRESS__)
static const double grace_cpu = 15, grace_all = 60;
#else
static const double grace_cpu = 1.2, grace_all = 10;
#endif

static struct {
    size_t limit, taken;
    double seconds;       /* the limit; 0: none */
    double spent;         /* CPU time of the pieces of work that ended */
    double entered;       /* CPU time when the outermost piece began */
    unsigned depth;       /* pieces that were entered and not left */
    double end;           /* when the trace is to end; 0: unknown */
    double end_cpu;       /* the clocks when the end was noticed */
    double end_noticed;   /* 0: not yet */
    budget_stop_fn *stop; /* NULL: none */
} budget = { .limit = SIZE_MAX };

unsigned budget_calls;
bool budget_cut, budget_short;

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool budget_is_reason(const char *why)
{
    return why && (!strcmp(why, budget_no_memory) || !strcmp(why, budget_no_time));
}

void budget_set(size_t memory, double seconds)
{
    budget.limit = memory;
    budget.seconds = seconds;
    budget_refill();
}

void budget_refill(void)
{
    budget.spent = 0;
    budget.entered = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    budget_cut = false;
}

/* ---- memory ---- */

bool budget_take(size_t bytes)
{
    if (budget.taken > budget.limit || bytes > budget.limit - budget.taken) {
        budget_short = true;
        return false;
    }
    budget.taken += bytes;
    return true;
}

bool budget_take_image(size_t bytes)
{
    const size_t reserve = budget.limit == SIZE_MAX ? 0 : budget.limit / 4;
    if (budget_take(bytes)) {
        if (budget.taken <= budget.limit - reserve)
            return true;
        budget_give(bytes);
        budget_short = true;
    }
    return false;
}

void budget_give(size_t bytes)
{
    budget.taken -= bytes < budget.taken ? bytes : budget.taken;
}

size_t budget_taken(void)
{
    return budget.taken;
}

void budget_settle(size_t before, size_t kept)
{
    budget.taken = before + kept;
}

/* ---- time ---- */

void budget_end_at(double when)
{
    budget.end = when;
    budget.end_noticed = 0;
}

void budget_on_stop(budget_stop_fn *stop)
{
    budget.stop = stop;
    budget.end_noticed = 0;
}

bool budget_ending(void)
{
    if (budget.end_noticed > 0)
        return true;
    if (budget.end <= 0 && !budget.stop)
        return false;
    const double now = clock_seconds(CLOCK_MONOTONIC);
    if (!(budget.end > 0 && now >= budget.end) && !(budget.stop && budget.stop()))
        return false;
    budget.end_noticed = now;
    budget.end_cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    return true;
}

static bool grace_is_over(double cpu)
{
    return budget_ending() && (cpu - budget.end_cpu > grace_cpu ||
                               clock_seconds(CLOCK_MONOTONIC) - budget.end_noticed > grace_all);
}

bool budget_look(void)
{
    if (budget_cut || !budget.depth)
        return budget_cut;
    const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    budget_cut = (budget.seconds > 0 && budget.spent + (cpu - budget.entered) > budget.seconds) ||
                 grace_is_over(cpu);
    return budget_cut;
}

void budget_enter(void)
{
    if (budget.depth++ == 0)
        budget.entered = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

void budget_leave(void)
{
    if (--budget.depth)
        return;
    budget.spent += clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - budget.entered;
}
