/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the rings of perf_event: perf_event_open(2), "MMAP layout". The kernel stores data_head
 * after it has written the records, and reuses the memory before data_tail. So head is read with
 * acquire order, and tail is written with release order. A record that wraps around the end is
 * copied in two parts.
 *
 * Records are sorted by time, because a process that moves to another CPU may leave its mapping in
 * one ring and its samples in another. A record is held until no older one can come: its time is
 * taken some microseconds before it appears in the ring, or some milliseconds if a virtual CPU does
 * not run meanwhile. The caller holds records for 50 ms.
 */
#define _GNU_SOURCE
#include "sampler_rings.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_open(struct ring *ring, int fd, int cpu, size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page + len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return -1;
    *ring = (struct ring){ .page = at, .len = len, .fd = fd, .cpu = cpu };
    return 0;
}

void ring_close(struct ring *ring)
{
    munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->len);
}

/* ---- held records ---- */

static void *private_bytes(size_t len)
{
    void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, len, MADV_DONTDUMP);
    return at;
}

/* Grows the memory by mremap, which moves pages, so that no copy is left that had to be wiped. */
static int make_room(struct order *o, size_t len)
{
    if (o->num == o->room) {
        const size_t room = o->room ? 2 * o->room : 1024;
        struct order_record *records = reallocarray(o->records, room, sizeof *records);
        if (!records)
            return -1;
        o->records = records;
        o->room = room;
    }
    if (len <= o->bytes_room - o->used)
        return 0;
    size_t room = o->bytes_room ? 2 * o->bytes_room : (size_t)1 << 18;
    void *bytes =
        o->bytes ? mremap(o->bytes, o->bytes_room, room, MREMAP_MAYMOVE) : private_bytes(room);
    if (!bytes || bytes == MAP_FAILED)
        return -1;
    o->bytes = bytes;
    o->bytes_room = room;
    return 0;
}

static void copy_out(uint8_t *out, const struct ring *ring, uint64_t at, size_t len)
{
    const uint8_t *data = (const uint8_t *)ring->page + sysconf(_SC_PAGESIZE);
    const size_t begin = (size_t)(at & (ring->len - 1));
    const size_t first = len < ring->len - begin ? len : ring->len - begin;
    memcpy(out, data + begin, first);
    memcpy(out + first, data, len - first);
}

/* The time of a record: in a sample it follows header, IP and ids; any other record ends with
 * ids, time and event id. */
static uint64_t time_of(const uint8_t *record, size_t len)
{
    const struct perf_event_header *header = (const void *)record;
    uint64_t time = 0;
    if (len >= sizeof *header + 24)
        memcpy(&time, header->type == PERF_RECORD_SAMPLE ? record + 24 : record + len - 16, 8);
    return time;
}

/* Copies a record out of the ring. Records are a multiple of 8 bytes long, so that each copy is
 * aligned. */
static int hold(struct order *o, const struct ring *ring, uint64_t at, size_t len)
{
    if (make_room(o, len))
        return -1;
    copy_out(o->bytes + o->used, ring, at, len);
    o->records[o->num++] = (struct order_record){ time_of(o->bytes + o->used, len), o->used, len };
    o->used += len;
    return 0;
}

uint64_t ring_drain(struct ring *ring, struct order *o)
{
    struct perf_event_header header;
    uint64_t lost = 0;
    const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail; /* only this process writes it */
    if (head - tail > ring->len) {
        tail = head;
        lost++;
    }
    while (tail < head) {
        if (head - tail >= sizeof header)
            copy_out((uint8_t *)&header, ring, tail, sizeof header);
        if (head - tail < sizeof header || header.size < sizeof header || header.size % 8 ||
            header.size > head - tail) {
            lost++;
            tail = head;
            break;
        }
        lost += hold(o, ring, tail, header.size) != 0;
        tail += header.size;
    }
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
    return lost;
}

/* Orders records by time; those of the same time stay in the order in which they came. */
static int older(const void *a, const void *b)
{
    const struct order_record *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_place(const void *a, const void *b)
{
    const struct order_record *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Moves the remaining records to the front and wipes the memory behind them. */
static void compact(struct order *o, size_t from)
{
    size_t used = 0;
    o->num -= from;
    memmove(o->records, o->records + from, o->num * sizeof *o->records);
    qsort(o->records, o->num, sizeof *o->records, by_place);
    for (size_t i = 0; i < o->num; i++) {
        struct order_record *r = &o->records[i];
        memmove(o->bytes + used, o->bytes + r->at, r->len);
        r->at = used;
        used += r->len;
    }
    explicit_bzero(o->bytes + used, o->used - used);
    o->used = used;
}

void rings_order_deliver(struct order *o, uint64_t until, order_record_fn *fn, void *ctx)
{
    size_t i = 0;
    if (!o->num)
        return;
    qsort(o->records, o->num, sizeof *o->records, older);
    for (; i < o->num && o->records[i].time < until; i++)
        fn(ctx, (const void *)(o->bytes + o->records[i].at), o->records[i].len);
    compact(o, i);
}

void rings_order_free(struct order *o)
{
    if (o->bytes) {
        explicit_bzero(o->bytes, o->used);
        munmap(o->bytes, o->bytes_room);
    }
    free(o->records);
    *o = (struct order){ 0 };
}
