/* SPDX-License-Identifier: Apache-2.0 */
/* Who served a call: counted in each context without atomics, folded into the process's totals and
 * into its slot of the file that HEADRACE_STATS names (<headrace/stats.h>). */
#ifndef HR_BIND_STATS_H
#define HR_BIND_STATS_H

#include "common.h"
#include <headrace/stats.h>

enum { STATS_TEXT_SIZE = NUM_ROWS * 96 + 1 };

/* What a context served since it was last folded.  A call costs its bytes and CALL_COST of the
 * credit; folding follows when that is spent, and doubles the next one up to FOLD_BYTES: so short
 * use is seen at once, and long use costs next to nothing. */
struct served {
    int64_t credit, granted;
    uint32_t calls;
    uint16_t generation; /* counts from before a fork are the parent's */
    uint16_t index;      /* enum row_index */
};

enum { CALL_COST = HR_STATS_FOLD_BYTES / HR_STATS_FOLD_CALLS };

/* Grows by one in each child of fork(). */
extern uint16_t stats_generation;

/* For each opening there is one closing.  `via` names the binding, as struct hr_stats_slot has it;
 * at most 15 bytes. */
void stats_open(const char *via);
void stats_close(void);
/* Adds to the totals and empties *served. */
void stats_fold(struct served *served);
/* "symbol calls bytes kernel" a line, for each row that served; ciphers name "encrypt/decrypt". */
void stats_text(char *out, size_t out_size);

static inline void served_init(struct served *served, enum row_index index)
{
    *served = (struct served){ .generation = stats_generation, .index = (uint16_t)index };
}

static inline void served_add(struct served *served, size_t bytes)
{
    if (UNLIKELY(served->generation != stats_generation))
        served_init(served, served->index);
    served->calls++;
    served->credit -= (int64_t)bytes + CALL_COST;
    if (UNLIKELY(served->credit <= 0))
        stats_fold(served);
}

#endif
