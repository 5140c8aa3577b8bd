/* SPDX-License-Identifier: Apache-2.0
 *
 * The rings of perf_event, one a CPU, and the order of time across them.
 */
#ifndef TRACE_SAMPLER_RINGS_H
#define TRACE_SAMPLER_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Records that came and are not yet delivered, copied out of the rings: registers are in them, so
 * that what was delivered is wiped, and no core file has it. */
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
    size_t len; /* of the data, a power of two */
    int fd;     /* of the event that owns it */
    int cpu;
};

/* 0, or -1 with errno. */
int ring_open(struct ring *, int fd, int cpu, size_t len);
void ring_close(struct ring *);
/* Takes all that is in the ring; how many records were unreadable or found no memory. */
uint64_t ring_drain(struct ring *, struct order *);

typedef void order_record_fn(void *ctx, const struct perf_event_header *, size_t len);
/* Delivers what is older than `until`, in order of time. */
void order_deliver(struct order *, uint64_t until, order_record_fn *, void *ctx);
void order_free(struct order *);

#endif
