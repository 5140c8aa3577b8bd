/* SPDX-License-Identifier: Apache-2.0 */
/* The cost table estimates how long requests take, before they are computed.  The service measures
 * it when it starts; the accelerator corrects the estimates by the clock. */
#ifndef HR_COST_H
#define HR_COST_H

#include "../numbers.h"
#include <headrace/classes.h>
#include <stdint.h>

enum { COST_REQUEST = 100 }; /* ns, of any request */

struct cost_table {
    uint32_t per_kib[HR_JOB_MAX_OPS][ROW_NUMBERS]; /* ns of 1024 bytes, computed alone */
};

/* All zeros, so that only requests count, until cost_measure has filled it.  No accelerator runs
 * meanwhile. */
extern struct cost_table cost_table;
void cost_measure(struct cost_table *t);

static inline uint64_t cost_of(unsigned alg, unsigned op, uint64_t bytes)
{
    return bytes * cost_table.per_kib[op % HR_JOB_MAX_OPS][alg % ROW_NUMBERS] >> 10;
}

#endif
