/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that are added to and removed from an accelerator's thread while it works, spins and
 * sleeps.  A removed client's memory is not touched any more (it is unmapped at once), and no call
 * waits for ever. */
#include "../test.h"
#include "service/client.h"
#include <headrace/algorithms.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { WINDOW = 65536, RINGS = 2 };

struct side {
    struct client client;
    uint32_t sent, got;
};

static struct accelerator *accelerator;

/* attach_at adds a client whose first request has the number `first`. */
static struct side *attach_at(uint32_t first, bool private_lanes)
{
    static const struct ring_geometry geometry = { RINGS, WINDOW };
    struct side *s = calloc(1, sizeof *s);
    int fds[3];
    for (unsigned alg = 0; alg < ROW_NUMBERS; alg++)
        limits_set(&s->client.limits, alg, true);
    s->client.limits.private_lanes = private_lanes;
    s->client.rings[0] = (struct ring_position){ first, first };
    s->sent = s->got = first;
    if (client_make(&s->client, &geometry, fds) || accelerator_add(accelerator, &s->client)) {
        printf("Bail out! no client\n");
        exit(1);
    }
    close(fds[0]);
    close(fds[1]);
    struct ring_client_words *words = s->client.requests;
    atomic_store(&words->claimed, 1);
    return s;
}

static struct side *attach(bool private_lanes)
{
    return attach_at(0, private_lanes);
}

static void detach(struct side *s)
{
    accelerator_remove(accelerator, &s->client);
    client_free(&s->client);
    free(s);
}

static void send_one(struct side *s, hr_alg alg, uint32_t len)
{
    struct ring_request *slot = &ring_requests(s->client.requests, 0)[s->sent % RING_DEPTH];
    struct ring_service_words *theirs = s->client.completions;
    const uint64_t one = 1;
    slot->alg = (uint16_t)alg;
    slot->flags = RING_FAR;
    slot->len = len;
    slot->u.far = (struct ring_far){ .in = 0, .out = WINDOW / 2 };
    slot->key_len = slot->iv_len = hr_algorithm(alg)->cls == HR_CLASS_CIPHER ? 16 : 0;
    ring_publish(&slot->seq, ++s->sent);
    ring_fence(); /* orders the request before the read of `asleep` */
    if (atomic_load(&theirs->asleep) && write(s->client.doorbell, &one, sizeof one) < 0)
        complain("doorbell");
}

static void wait_for(struct side *s)
{
    while (s->got != s->sent) {
        struct ring_completion *slot =
            &ring_completions(s->client.completions, 0)[s->got % RING_DEPTH];
        if (ring_look(&slot->seq) != s->got + 1) {
            sched_yield();
            continue;
        }
        if (slot->result)
            complain("request %u: %d", slot->request, slot->result);
        s->got++;
    }
}

static void test_coming(void)
{
    struct side *sides[24] = { NULL };
    for (int i = 0; i < 1500; i++) {
        struct side **s = &sides[random_below(COUNT_OF(sides))];
        if (!*s) {
            *s = attach(random_below(8) == 0);
        } else if (!random_below(3)) {
            detach(*s); /* with any requests outstanding */
            *s = NULL;
            continue;
        }
        for (uint32_t n = random_below(6); n && (*s)->sent - (*s)->got < RING_DEPTH; n--)
            send_one(*s, random_below(2) ? HR_SHA256 : HR_AES_128_CTR, 16 + random_below(4000));
        if (random_below(2))
            wait_for(*s);
    }
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        if (sides[i])
            detach(sides[i]);
    tap(1, "clients come, and go with requests on their way");
}

/* test_wrap checks that the numbers of requests and completions wrap to 0. */
static void test_wrap(void)
{
    struct side *s = attach_at(UINT32_MAX - 2 * RING_DEPTH, false);
    while (s->sent > UINT32_MAX / 2) {
        for (uint32_t n = 1 + random_below(RING_DEPTH); n; n--)
            send_one(s, random_below(2) ? HR_SHA256 : HR_AES_128_CTR, 16 + random_below(400));
        wait_for(s);
    }
    for (uint32_t n = RING_DEPTH; n; n--)
        send_one(s, HR_SHA256, 64);
    wait_for(s);
    detach(s);
    tap(1, "requests are numbered beyond 2^32");
}

static void test_asleep(void)
{
    struct side *s = attach(false);
    struct ring_service_words *words = s->client.completions;
    for (int i = 0; i < 50; i++) {
        while (!atomic_load(&words->asleep))
            sched_yield();
        send_one(s, HR_SHA256, 100);
        wait_for(s);
    }
    while (!atomic_load(&words->asleep))
        sched_yield();
    struct side *second = attach(false); /* sees that the thread sleeps, or wakes it */
    send_one(second, HR_SHA256, 100);
    wait_for(second);
    detach(second);
    detach(s);
    tap(1, "a sleeping accelerator wakes for requests and newcomers, and lets go of who leaves");
}

static void test_many(void)
{
    static struct side *sides[ACCELERATOR_CLIENTS];
    struct side extra = { .sent = 0 };
    static const struct ring_geometry geometry = { 1, 4096 };
    int fds[3];
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        sides[i] = attach(false);
    if (client_make(&extra.client, &geometry, fds) ||
        accelerator_add(accelerator, &extra.client) != HR_EBUFFER)
        complain("one too many was taken");
    client_free(&extra.client);
    close(fds[0]);
    close(fds[1]);
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < COUNT_OF(sides); i++)
            send_one(sides[i], HR_SHA256, 1000);
        for (size_t i = 0; i < COUNT_OF(sides); i++)
            wait_for(sides[i]);
    }
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        detach(sides[i]);
    tap(1, "%d clients at once, and not one more", ACCELERATOR_CLIENTS);
}

/* test_time_asleep checks that the time asleep grows while the thread sleeps, and never
 * decreases. */
static void test_time_asleep(void)
{
    struct side *s = attach(false);
    struct ring_service_words *words = s->client.completions;
    uint64_t last = 0;
    for (int i = 0; i < 20; i++) {
        while (!atomic_load(&words->asleep))
            sched_yield();
        const uint64_t then = accelerator_asleep_ns(accelerator);
        if (then < last)
            complain("time asleep went back while it slept");
        do /* until it grows */
            last = accelerator_asleep_ns(accelerator);
        while (last <= then);
        send_one(s, HR_SHA256, 100);
        wait_for(s);
        const uint64_t after = accelerator_asleep_ns(accelerator);
        if (after < last)
            complain("time asleep went back at a wake-up");
        last = after;
    }
    detach(s);
    tap(1, "an accelerator that sleeps is seen to, and its time asleep never goes back");
}

/* test_closed_key checks that a closed key is wiped soon, also while the accelerator sleeps. */
static void test_closed_key(void)
{
    struct side *s = attach(false);
    struct ring_service_words *words = s->client.completions;
    struct keytable *keys = keytable_new();
    uint64_t handles[KEYTABLE_MAX], handle;
    uint8_t key[16] = { 0 };
    for (size_t i = 0; i < KEYTABLE_MAX; i++)
        if (keytable_add(keys, &handles[i], HR_AES_128_CTR, HR_USE_ALL, key, 16))
            complain("keytable_add");
    atomic_store(&s->client.keys, keys);
    while (!atomic_load(&words->asleep))
        sched_yield();
    if (keytable_remove(keys, handles[9]))
        complain("keytable_remove");
    accelerator_kick(accelerator);
    while (keytable_add(keys, &handle, HR_AES_128_CTR, HR_USE_ALL, key, 16) == HR_EBUFFER)
        sched_yield();
    detach(s);
    tap(1, "the accelerator lets go of a closed key");
}

int main(void)
{
    accelerator = accelerator_start(-1);
    if (!accelerator) {
        printf("Bail out! no accelerator\n");
        return 1;
    }
    test_coming();
    test_wrap();
    test_asleep();
    test_time_asleep();
    test_many();
    test_closed_key();
    accelerator_stop(accelerator);
    return tap_done();
}
