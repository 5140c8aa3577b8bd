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
struct attribution *attribution_new(const struct object_options *, bool by_process);
void attribution_attach(struct attribution *, pid_t);  /* a process that runs already */
extern const struct sampler_events attribution_events; /* ctx is the attribution */
/* Called for every file that a process of the trace newly maps: for probes. */
typedef void attribution_object_fn(void *ctx, pid_t, struct object *, int fd, bool late);
void attribution_on_object(struct attribution *, attribution_object_fn *, void *ctx);
/* Fills rows, processes, gaps, and the totals. Callable again and again. */
void attribution_report(const struct attribution *, struct report *);
/* Forgets the samples so far, not what is mapped: for intervals. */
void attribution_clear(struct attribution *);
void attribution_free(struct attribution *);

#endif
