/* SPDX-License-Identifier: Apache-2.0
 *
 * The rings of perf_event without a kernel: records that wrap, that come late, of impossible size.
 */
#define _GNU_SOURCE
#include "sample/sampler_rings.h"
#include "test.h"
#include <sys/mman.h>
#include <unistd.h>

struct delivered {
    uint64_t times[64];
    size_t num;
    int intact;
};

static void on_record(void *ctx, const struct perf_event_header *header, size_t len)
{
    struct delivered *d = ctx;
    const uint8_t *bytes = (const uint8_t *)header;
    uint64_t time;
    memcpy(&time, bytes + 24, sizeof time);
    for (size_t i = 32; i < len; i++)
        d->intact = d->intact && bytes[i] == (uint8_t)(time + i);
    if (d->num < COUNT_OF(d->times))
        d->times[d->num++] = time;
}

static void put(struct ring *ring, uint16_t len, uint64_t time)
{
    uint8_t record[256] = { 0 };
    const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = len };
    memcpy(record, &header, sizeof header);
    memcpy(record + 24, &time, sizeof time);
    for (size_t i = 32; i < len; i++)
        record[i] = (uint8_t)(time + i);
    uint8_t *data = (uint8_t *)ring->page + sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < len; i++)
        data[(ring->page->data_head + i) % ring->len] = record[i];
    ring->page->data_head += len;
}

static void orders_and_unwraps(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), len = page;
    struct ring rings[2];
    struct order order = { 0 };
    struct delivered d = { .intact = 1 };
    for (size_t i = 0; i < COUNT_OF(rings); i++) {
        void *at =
            mmap(NULL, page + len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            abort();
        rings[i] = (struct ring){ .page = at, .len = len };
        rings[i].page->data_head = rings[i].page->data_tail = len - 40; /* the next one wraps */
    }
    put(&rings[0], 184, 10);
    put(&rings[0], 184, 30);
    put(&rings[1], 184, 20);
    put(&rings[1], 184, 40);
    uint64_t lost = ring_drain(&rings[0], &order) + ring_drain(&rings[1], &order);
    rings_order_deliver(&order, 30, on_record, &d);
    tap(lost == 0 && d.num == 2 && d.times[0] == 10 && d.times[1] == 20 && d.intact,
        "what is older comes in order, wrapped or not");
    put(&rings[0], 184, 25); /* older than a record that came before it */
    ring_drain(&rings[0], &order);
    rings_order_deliver(&order, UINT64_MAX, on_record, &d);
    tap(d.num == 5 && d.times[2] == 25 && d.times[3] == 30 && d.times[4] == 40 && d.intact &&
            is_zero(order.bytes, order.bytes_room),
        "the rest too, and nothing of them is kept");
    static const uint16_t bad[] = { 0, 4, 12, 2048 };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        put(&rings[1], 184, 50);
        uint8_t *data = (uint8_t *)rings[1].page + page;
        const size_t at = (size_t)(rings[1].page->data_tail % len);
        memcpy(data + at + 6, &bad[i], 2); /* the record's size */
        lost += ring_drain(&rings[1], &order);
    }
    tap(lost == COUNT_OF(bad) && order.num == 0 &&
            rings[1].page->data_tail == rings[1].page->data_head,
        "records of impossible size are lost, and no more");
    rings_order_free(&order);
    for (size_t i = 0; i < COUNT_OF(rings); i++)
        munmap(rings[i].page, page + len);
}

int main(void)
{
    orders_and_unwraps();
    return tap_done();
}
