/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribution: keeps the mappings of the traced processes, finds the file and the function of each
 * sample, applies the rules of classify.h, and sums the samples up. The result for an address is
 * remembered, so that a further sample at the same address costs one table lookup.
 */
#ifndef TRACE_ATTRIBUTE_H
#define TRACE_ATTRIBUTE_H

#include "../object/object.h"
#include "../report/report.h"
#include "../sample/sampler.h"

struct attribution;
/* by_process: each process gets rows of its own. */
struct attribution *attribute_new(const struct object_options *, bool by_process);
/* Leaves this process, and the processes that it starts from now on, out of the trace: their
 * samples are reported as a gap. */
void attribute_leave_out(struct attribution *);
extern const struct sampler_events attribute_events; /* ctx is the struct attribution */
/* Reads the mappings of a process again: of a process that is stopped, or of one that was
 * running before the trace began. */
void attribute_attach(struct attribution *, pid_t);
/* Calls fn once for every file with code that a process of the trace maps, so that probes can be
 * placed. Files that attribute_attach finds are passed at once, with late = false; files that
 * only the sampler's events reveal are passed by attribute_tell, with its `late`. */
typedef void attribute_object_fn(void *ctx, struct object *, int fd, bool late);
void attribute_on_object(struct attribution *, attribute_object_fn *, void *ctx);
void attribute_tell(struct attribution *, bool late);
/* Fills the report's rows, processes, gaps and totals. The calls counted by `probes` are added
 * to the rows. May be called repeatedly. Returns 0, or -1 without memory. */
int attribute_report(struct attribution *, struct report *, const struct probe *,
                     size_t num_probes);
/* Forgets the samples so far, but not the mappings: called between the intervals of a trace. */
void attribute_clear(struct attribution *);
void attribute_free(struct attribution *);

#endif
