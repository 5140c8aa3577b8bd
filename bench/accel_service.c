/* SPDX-License-Identifier: Apache-2.0 */
/* accel_service ROW SIZE TIMES: runs an accelerator's turns in this process, 64 requests each.
 * accel_instructions.sh counts the instructions of turn().  This program writes the requests into
 * the ring itself, in place of a client. */
#include "service/schedule.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 64, WINDOW = 1 << 20, MAX_SIZE = 4096, STRIDE = 2 * MAX_SIZE + 64 };

static struct schedule *schedule;
static struct client client;

static const struct hr_algorithm *row;
static uint32_t size, sent, got;

static void fail(const char *what)
{
    fprintf(stderr, "accel_service: %s\n", what);
    exit(1);
}

static void start(void)
{
    static const struct ring_geometry geometry = { 1, WINDOW };
    int fds[3];
    schedule = schedule_new();
    if (!schedule || client_make(&client, &geometry, fds))
        fail("no schedule");
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    client.lanes = schedule->lanes;
    schedule->by_table = true; /* in valgrind the clock runs too fast for the shares */
    schedule_join(schedule, &client, 0);
    atomic_store(&client.limits.weight, LIMIT_MAX_WEIGHT);
    for (unsigned alg = 0; alg < 4096; alg++)
        limits_set(&client.limits, alg, true);
    atomic_store(&((struct ring_client_words *)client.requests)->claimed, 1);
}

/* request writes the i-th request of a turn.  Short requests are inline; all have the same key of
 * 16 bytes. */
static void request(uint32_t i)
{
    struct ring_request *r = &ring_requests(client.requests, 0)[sent % RING_DEPTH];
    const uint32_t iv_len = row->cls == HR_CLASS_CIPHER ? (uint32_t)row->iv_len : 0;
    const uint32_t at = i * STRIDE + 64;
    r->alg = (uint16_t)row->alg;
    r->key_len = 16;
    r->iv_len = (uint8_t)iv_len;
    r->key_slot = 1;
    r->len = size;
    memset(&r->u, 0, sizeof r->u);
    if (16 + iv_len + size > RING_INLINE) {
        r->flags = RING_FAR;
        r->u.far = (struct ring_far){ .in = at, .out = at + MAX_SIZE, .key = 0 };
    }
    ring_publish(&r->seq, ++sent);
}

__attribute__((noinline)) static void turn(void)
{
    schedule->turn++;
    (void)schedule_client(schedule, &client, false, false);
    (void)schedule_lanes(schedule, schedule->lanes);
    schedule_wake(schedule);
}

static void collect(void)
{
    for (;; got++) {
        struct ring_completion *c = &ring_completions(client.completions, 0)[got % RING_DEPTH];
        if (ring_look(&c->seq) != got + 1)
            return;
        if (c->result)
            fail(hr_strerror(c->result));
    }
}

int main(int argc, char **argv)
{
    row = argc == 4 ? hr_algorithm_by_name(argv[1]) : NULL;
    size = row ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (!row || (row->cls != HR_CLASS_MAC && row->cls != HR_CLASS_CIPHER) || size > MAX_SIZE) {
        fputs("usage: accel_service ROW SIZE TIMES\n", stderr);
        return 2;
    }
    start();
    const unsigned long times = strtoul(argv[3], NULL, 10);
    for (unsigned long n = 0; n < times; n += DEPTH) {
        for (uint32_t i = 0; i < DEPTH; i++)
            request(i);
        for (; got != sent; schedule->now += 200) {
            turn();
            collect();
        }
    }
    return 0;
}
