/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations of the perf_event back end, shared by sampler_perf.c, sampler_attach.c and
 * sampler_records.c.
 */
#ifndef TRACE_SAMPLER_PERF_H
#define TRACE_SAMPLER_PERF_H

#include "../idmap.h"
#include "sampler_backend.h"
#include "sampler_rings.h"

struct perf {
    struct sampler *sampler;
    struct perf_event_attr attr;
    int *fds;
    size_t num_fds, fds_room;
    int *cpus;
    size_t num_cpus;
    struct ring *rings; /* one ring for each CPU, at its index; page is NULL until it is open */
    struct order order;
    /* A thread that began while the others were attached has two sets of events: inherited ones,
     * and those that were opened for it. Only the latter count. */
    struct idmap owners; /* thread by event id */
    struct idmap own;    /* threads for which events were opened */
    struct idmap watched;
    /* Whether events are of the whole system but only the processes in `watched` are reported. */
    bool filtered;
    unsigned throttled;
};

/* Reports one record; ctx is the struct perf. */
void perf_record(void *ctx, const struct perf_event_header *, size_t len);

/* Opens the events that the target needs. Returns 0, or -1 with the reason in why. */
int perf_attach(struct perf *, char *why, size_t max);

#endif
