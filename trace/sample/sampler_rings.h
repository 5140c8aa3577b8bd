/* SPDX-License-Identifier: Apache-2.0
 *
 * The rings of perf_event, one for each CPU, and the ordering of their records by time.
 */
#ifndef TRACE_SAMPLER_RINGS_H
#define TRACE_SAMPLER_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Records that came but are not delivered yet, copied out of the rings. They contain registers:
 * they are wiped once they are delivered, and are left out of core files. */
struct order {
    struct order_record {
        uint64_t time;
        size_t at, len;
    } * records;
    size_t num, room;
    uint8_t *bytes;
    size_t used, bytes_room;
};

struct ring {
    struct perf_event_mmap_page *page;
    size_t len; /* length of the data, a power of two */
    int fd;     /* descriptor of the event that owns the ring */
    int cpu;
};

/* Maps the ring of the event `fd`, with len bytes of data. Returns 0, or -1 with errno. */
int ring_open(struct ring *, int fd, int cpu, size_t len);
void ring_close(struct ring *);
/* Takes all records out of the ring. Returns how many were lost because there was no memory; a part
 * of the ring that is malformed counts as one. */
uint64_t ring_drain(struct ring *, struct order *);

typedef void order_record_fn(void *ctx, const struct perf_event_header *, size_t len);
/* Delivers the records older than `until`, in order of time. */
void rings_order_deliver(struct order *, uint64_t until, order_record_fn *, void *ctx);
void rings_order_free(struct order *);

#endif
