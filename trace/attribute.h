/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribution: keeps what the processes of a trace map, finds for each sample its file and
 * function, asks the rules, and sums up. What was found for an address is remembered, so that a
 * sample costs one look-up.
 */
#ifndef TRACE_ATTRIBUTE_H
#define TRACE_ATTRIBUTE_H

#include "object.h"
#include "report.h"
#include "sampler.h"

struct attribution;
/* by_process: rows of each process apart. */
struct attribution *attribution_new(const struct object_options *, bool by_process);
/* This process, and those that it begins from now on, are not of the trace: their samples are told
 * as a gap. */
void attribution_leave_out(struct attribution *);
extern const struct sampler_events attribution_events; /* ctx is the attribution */
/* Reads the mappings of a process anew: of one that is held, or was there before the trace. */
void attribution_attach(struct attribution *, pid_t);
/* Calls fn once for every file with code that a process of the trace maps, for probes: at once for
 * what attribution_attach finds (late false), and from attribution_tell for what only the sampler's
 * events told. */
typedef void attribution_object_fn(void *ctx, struct object *, int fd, bool late);
void attribution_on_object(struct attribution *, attribution_object_fn *, void *ctx);
void attribution_tell(struct attribution *, bool late);
/* Fills rows, processes, gaps, and the totals; counts are of these probes. Callable again and
 * again.  0, or -1: no memory. */
int attribution_report(struct attribution *, struct report *, const struct probe *,
                       size_t num_probes);
/* Forgets the samples so far, not what is mapped: for intervals. */
void attribution_clear(struct attribution *);
void attribution_free(struct attribution *);

#endif
