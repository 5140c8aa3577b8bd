/* SPDX-License-Identifier: Apache-2.0
 *
 * The perf_event back end: what sampler_perf.c opens and sampler_records.c reads.
 */
#ifndef TRACE_SAMPLER_PERF_H
#define TRACE_SAMPLER_PERF_H

#include "idmap.h"
#include "sampler_backend.h"
#include "sampler_rings.h"

struct perf {
    struct sampler *sampler;
    struct perf_event_attr attr;
    int *fds;
    size_t num_fds, fds_room;
    int *cpus;
    size_t num_cpus;
    struct ring *rings; /* a CPU's at its index; page NULL: not open yet */
    struct order order;
    /* A thread that began while the others were attached has events that it inherited, and those
     * that were opened for it: only these count. */
    struct idmap owners; /* thread by event id */
    struct idmap own;    /* threads that have events opened for them */
    struct idmap
        watched;   /* processes, where events are of the whole system but the target is not */
    bool filtered; /* watched is used */
    unsigned throttled;
};

/* Tells one record; ctx is the struct perf. */
void perf_record(void *ctx, const struct perf_event_header *, size_t len);

/* Opens what the target needs.  0, or -1 with why. */
int perf_attach(struct perf *, char *why, size_t max);

#endif
