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
/* What a sample at vaddr in this function computes; how = HOW_NONE: no crypto recognised.  Where
 * the file does not tell, the memory of process pid does, in which the file is mapped with this
 * bias. */
void classify_sample(struct finding *out, struct object *, const struct function *, uint64_t vaddr,
                     pid_t, uint64_t bias);
/* The function's name, by its fingerprint where the file has none; NULL. */
const char *classify_name(enum name_source *, struct object *, const struct function *);
/* JIT code of a process at ip: [start, end) is its method, or 0, 0 where none is known; name may be
 * NULL.  Reads the process's memory, and wipes what it read. */
void classify_jit(struct finding *out, struct code_registers *, pid_t, uint64_t ip, uint64_t start,
                  uint64_t end, const char *name);
/* By registers [C] that the code takes for addresses: one points into a table of the object mapped
 * with this bias (NULL: JIT code), or, added to another one, into a table elsewhere in the process.
 */
bool classify_registers(struct finding *out, const struct object *, uint64_t bias,
                        const struct code_registers *, const struct sample *);

#endif
