/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the calls that the library served: each context counts without atomics, and its counts
 * are folded (added) into the process's totals and into its slot of the file that the environment
 * variable HEADRACE_STATS names (<headrace/stats.h>). */
#ifndef HR_BIND_STATS_H
#define HR_BIND_STATS_H

#include "common.h"
#include <headrace/stats.h>
#include <stdatomic.h>

enum { STATS_TEXT_SIZE = NUM_ROWS * 96 + 1 };

/* struct served counts the calls that a context served since it was last folded.  Each call takes
 * its bytes and CALL_COST off the credit, and the context is folded when the credit is spent.  The
 * next credit is twice as large, up to HR_STATS_FOLD_BYTES: so a few calls show soon, and folding
 * costs next to nothing when calls are many. */
struct served {
    int64_t credit, granted;
    uint32_t calls;
    uint16_t generation; /* stats_generation; older counts are the parent's */
    uint16_t index;      /* enum row_index */
};

enum { CALL_COST = HR_STATS_FOLD_BYTES / HR_STATS_FOLD_CALLS };

/* stats_generation is 0 until something is to be counted, and then grows by one in each child of
 * fork(). */
extern _Atomic uint16_t stats_generation;
/* stats_watch makes the first generation, and returns the present one. */
uint16_t stats_watch(void);

/* stats_open opens the statistics for one user, and stats_close closes them.  `via` is the
 * binding's name in struct hr_stats_slot, at most 15 bytes.  `path` is the value of HR_STATS_ENV,
 * or NULL. */
void stats_open(const char *via, const char *path);
void stats_close(void);
/* stats_fold adds *served to the totals and to the slot, empties it and gives it a new credit. */
void stats_fold(struct served *served);
/* stats_text writes a line "symbol calls bytes kernel" for each row that served; for ciphers the
 * kernel is "encrypt/decrypt". */
void stats_text(char *out, size_t out_size);

static inline void served_init(struct served *served, enum row_index index)
{
    const uint16_t now = atomic_load_explicit(&stats_generation, memory_order_relaxed);
    *served = (struct served){ .generation = LIKELY(now) ? now : stats_watch(),
                               .index = (uint16_t)index };
}

static inline void served_add(struct served *served, size_t bytes)
{
    if (UNLIKELY(served->generation !=
                 atomic_load_explicit(&stats_generation, memory_order_relaxed)))
        served_init(served, served->index);
    served->calls++;
    served->credit -= (int64_t)bytes + CALL_COST;
    if (UNLIKELY(served->credit <= 0))
        stats_fold(served);
}

#endif
