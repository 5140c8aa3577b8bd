/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that derive an algorithm, and how it is computed, from instructions, constants and
 * names.
 */
#ifndef TRACE_CLASSIFY_H
#define TRACE_CLASSIFY_H

#include "../object/object.h"
#include "../sample/sampler.h"

/* Finds every algorithm that a function contains, without a sample. runs: it was called, and an
 * address that it only passes on is no evidence; false: for `headrace scan`. Returns the number of
 * findings, at most max. */
size_t classify_function(struct finding *out, size_t max, struct object *, const struct function *,
                         bool runs);
/* Classifies a sample at vaddr in this function; how = HOW_NONE: no crypto was recognised.
 * Tables that are not in the file are looked for in the memory of process pid, which maps the
 * file with this bias. Returns whether classify_unnamed() may find more. */
bool classify_sample(struct finding *out, struct object *, const struct function *, uint64_t vaddr,
                     pid_t, uint64_t bias);
/* The function's name, taken from its fingerprint where the file has no name for it; NULL where
 * neither is known. */
const char *classify_name(enum name_source *, struct object *, const struct function *);
/* Classifies JIT code of a process at ip. [start, end) is the method's code, or 0, 0 where it is
 * not known; name may be NULL. Reads the process's memory, and wipes the copy. */
void classify_jit(struct finding *out, struct code_registers *, pid_t, uint64_t ip, uint64_t start,
                  uint64_t end, const char *name);
/* Classifies a sample by the registers that the code uses as addresses (grade C): such a
 * register points into a table of the object, which is mapped with this bias (NULL: JIT code),
 * or, with another register added, into a table elsewhere in the process. Returns false if none
 * does. */
bool classify_registers(struct finding *out, const struct object *, uint64_t bias,
                        const struct code_registers *, const struct sample *);
/* Classifies a sample, of code that nothing named and that looks up tables, by a register that the
 * code uses with an index: it points to a table that could be that of a cipher. */
bool classify_unnamed(struct finding *out, const struct code_registers *, const struct sample *);

#endif
