/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator's thread that works on memory which changes meanwhile.  The input is a program of
 * stores to a client's memory: its words, its descriptors and its window.  At the same time a
 * second thread flips bits of what the program stored last.  The sanitizers find errors, and
 * completions are checked. */
#include "flipper.h"
#include "service/client.h"

enum { RINGS = 2, WINDOW = 4096, MAX_STEPS = 64 };
static const struct ring_geometry geometry = { RINGS, WINDOW };

/* ---- a client ---- */

struct side {
    struct client *client;
    uint32_t next[RINGS];
};

static void publish(struct side *s, uint32_t ring, const struct ring_request *r)
{
    struct ring_request *slot =
        &ring_requests(s->client->requests, ring)[s->next[ring] % RING_DEPTH];
    struct ring_client_words *words = s->client->requests;
    const uint32_t old = slot->seq;
    memcpy(slot, r, sizeof *r);
    slot->seq = old;
    atomic_store(&words->claimed, (1u << RINGS) - 1);
    ring_publish(&slot->seq, ++s->next[ring]);
}

static void request(struct side *s, struct input *in)
{
    struct ring_request r = { 0 };
    const uint8_t ring = take_byte(in);
    take(in, (uint8_t *)&r, sizeof r);
    publish(s, ring % RINGS, &r);
    if (ring & 0x80)
        atomic_store(&target, (uint8_t *)&ring_requests(
                                  s->client->requests,
                                  ring % RINGS)[(s->next[ring % RINGS] - 1) % RING_DEPTH]);
}

static void store(struct side *s, struct input *in)
{
    uint8_t bytes[64], where[4];
    uint32_t at;
    take(in, where, sizeof where);
    memcpy(&at, where, sizeof at);
    const size_t len = take_byte(in) % sizeof bytes + 1;
    take(in, bytes, len);
    at = (uint32_t)(at % (ring_requests_len(&geometry) - sizeof bytes));
    memcpy((uint8_t *)s->client->requests + at, bytes, len);
    if (at & 1)
        atomic_store(&target, (uint8_t *)s->client->requests + at);
}

static void window_store(struct side *s, struct input *in)
{
    const uint8_t ring = take_byte(in), where = take_byte(in);
    const size_t len = take_byte(in) + 1u, at = (size_t)where * 16 % (WINDOW - 256);
    uint8_t *window = ring_window(s->client->requests, &geometry, ring % RINGS);
    take_many(in, window + at, len);
    if (ring & 0x80)
        atomic_store(&target, window + at);
}

static void ring_doorbell(struct side *s, struct input *in)
{
    const uint64_t much = take_byte(in) & 1 ? UINT64_MAX - 1 : 1;
    if (write(s->client->doorbell, &much, sizeof much) < 0)
        return; /* the doorbell is full, as with a hostile client */
}

static void judge(const struct client *c, struct side *s)
{
    for (uint32_t ring = 0; ring < RINGS; ring++)
        for (uint32_t i = 0; i < RING_DEPTH; i++) {
            struct ring_completion *slot = &ring_completions(c->completions, ring)[i];
            if (!ring_look(&slot->seq))
                continue;
            CHECK((slot->seq - 1) % RING_DEPTH == i && slot->len <= RING_INLINE);
            CHECK(all_zero(slot->bytes + slot->len, RING_INLINE - slot->len));
            CHECK(!slot->result || !slot->len);
        }
}

static void (*const steps[])(struct side *, struct input *) = { request, request, window_store,
                                                                store, ring_doorbell };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct accelerator *accelerator;
    static pthread_t thread;
    struct input in = { data, size };
    struct side s = { .client = calloc(1, sizeof *s.client) };
    int fds[3];
    if (!accelerator) {
        accelerator = accelerator_start(-1);
        CHECK(accelerator && !pthread_create(&thread, NULL, flipper, NULL));
    }
    CHECK(!client_make(s.client, &geometry, fds));
    memset(s.client->limits.algorithms, 0xff, sizeof s.client->limits.algorithms);
    accelerator_add(accelerator, s.client);
    for (int i = 0; i < MAX_STEPS && in.len; i++)
        steps[take_byte(&in) % COUNT(steps)](&s, &in);
    const uint64_t one = 1;
    if (write(s.client->doorbell, &one, sizeof one) < 0)
        CHECK(1); /* the doorbell is full, so it has been rung */
    accelerator_remove(accelerator, s.client);
    rest();
    judge(s.client, &s);
    client_free(s.client);
    close(fds[0]);
    close(fds[1]);
    free(s.client);
    return 0;
}
