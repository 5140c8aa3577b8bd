/* SPDX-License-Identifier: Apache-2.0
 *
 * The budget of memory and time that this process has for what others wrote: object files, perf
 * maps, and the tables that traced processes can grow. There is one for a whole trace, and one for
 * each worker process of a scan. Without budget_set() there is no limit.
 *
 * Memory is counted where it is allocated, and reading fails where the budget does not suffice.
 * Time is that of the CPU between budget_enter() and budget_leave(); loops whose length a file
 * decides ask budget_over(), and end early. Who entered asks again at the end, and then treats its
 * result as missing, because it is of a part only.
 *
 * When the trace is to end (budget_end_at, budget_on_stop), only a short grace is left.
 */
#ifndef TRACE_BUDGET_H
#define TRACE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* The reasons, static texts, that reports give for what was not read. */
extern const char budget_no_memory[]; /* --max-memory */
extern const char budget_no_time[];   /* --max-time, or the trace ended */
/* Whether a reason (which may be NULL) is one of these two. */
bool budget_is_reason(const char *why);

/* Sets the limits, in bytes and in seconds of CPU time, and forgets the time that was spent. */
void budget_set(size_t memory, double seconds);
/* Forgets the time that was spent: another interval begins. */
void budget_refill(void);

/* ---- memory ---- */

/* Counts bytes. Returns false, and counts nothing, if they are over the limit. */
bool budget_take(size_t bytes);
/* The same for images of files, which leave a quarter of the budget to what is found in them. */
bool budget_take_image(size_t bytes);
/* Whether budget_take() failed since this was set to false. */
extern bool budget_short;
void budget_give(size_t bytes);
size_t budget_taken(void);
/* Ends a piece of work that began when budget_taken() was `before`: of all that it took, `kept`
 * bytes stay counted. */
void budget_settle(size_t before, size_t kept);

/* ---- time ---- */

/* The time at which the trace is to end, in seconds of CLOCK_MONOTONIC; 0: none. */
void budget_end_at(double when);
/* A function that tells whether the trace is to end at once; NULL: none. */
typedef bool budget_stop_fn(void);
void budget_on_stop(budget_stop_fn *);
/* Whether the trace is to end, and so the grace has begun. */
bool budget_ending(void);

/* Begin and end a piece of work whose time counts; pieces may contain pieces. */
void budget_enter(void);
void budget_leave(void);
/* Looks at the clocks. */
bool budget_look(void);

extern unsigned budget_calls;
extern bool budget_cut;
/* Whether the time of the work that goes on is over. Looks at the clocks at every 4096th call. */
static inline bool budget_over(void)
{
    return ++budget_calls & 0xfff ? budget_cut : budget_look();
}

#endif
