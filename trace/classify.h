/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules: from instructions, constants and names to an algorithm and how it is computed.
 */
#ifndef TRACE_CLASSIFY_H
#define TRACE_CLASSIFY_H

#include "object.h"
#include "sampler.h"

/* Everything that a function holds, without running it (scan). How many, at most max. */
size_t classify_function(struct finding *out, size_t max, struct object *, const struct function *);
/* What a sample at vaddr in this function computes; how = HOW_NONE: no crypto recognised. */
void classify_sample(struct finding *out, struct object *, const struct function *, uint64_t vaddr);
/* The same by registers [C]: a register of the sample points into a table of the object mapped with
 * this bias. */
bool classify_registers(struct finding *out, const struct object *, uint64_t bias,
                        const struct sample *);
/* JIT code: a window of the process's memory around ip; name may be NULL. Wipes what it reads. */
void classify_jit(struct finding *out, const struct sample *, uint64_t start, uint64_t end,
                  const char *name);

#endif
