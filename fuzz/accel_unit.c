/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the unit for public keys, which work on memory that changes meanwhile.  The input
 * is a program of requests, and of stores to a client's memory; a second thread flips bits of what
 * the program stored last.  The sanitizers find errors, and completions are checked. */
#include "flipper.h"
#include "service/unit/unit.h"
#include <headrace/algorithms.h>

enum { RINGS = 2, WINDOW = 8192, MAX_STEPS = 48, KEYS = 6 };
static const struct ring_geometry geometry = { RINGS, WINDOW };
static const hr_alg rows[KEYS] = { HR_ECDSA_P256, HR_ED25519,  HR_X25519,
                                   HR_RSA1024,    HR_MLKEM512, HR_ECDH_P384 };

static struct unit *unit;

struct side {
    struct unit_client *client;
    struct limits limits;
    uint64_t handles[KEYS];
    uint32_t next[RINGS];
};

/* ---- keys ---- */

static size_t put(uint8_t *to, size_t at, const uint8_t *bytes, size_t len)
{
    to[at++] = (uint8_t)len;
    to[at++] = (uint8_t)(len >> 8);
    memcpy(to + at, bytes, len);
    return at + len;
}

static void lend_all(struct side *s)
{
    static const uint8_t seed[64] = { 1 }, e[] = { 3 };
    uint8_t n[128], bytes[256];
    memset(n, 0xfd, sizeof n);
    for (int i = 0; i < KEYS; i++) {
        const bool rsa = rows[i] == HR_RSA1024;
        const size_t len = rows[i] == HR_MLKEM512 ? 64 : rows[i] == HR_ECDH_P384 ? 48 : 32;
        size_t at = put(bytes, 0, rsa ? n : seed, rsa ? sizeof n : len);
        at = put(bytes, at, e, rsa ? sizeof e : 0);
        const int error = unit_lend(unit, s->client, &s->handles[i], rows[i], bytes, at);
        CHECK(!error || error == HR_ECPU);
    }
}

/* Lends what the input says. */
static void lend(struct side *s, struct input *in)
{
    uint8_t bytes[256];
    uint64_t handle;
    const size_t len = take_byte(in);
    const hr_alg row = rows[take_byte(in) % KEYS];
    take(in, bytes, len);
    const int error = unit_lend(unit, s->client, &handle, row, bytes, len);
    CHECK(error <= 0 && error >= HR_ESYSTEM);
    if (!error)
        CHECK(!unit_take_back(unit, s->client, handle));
}

static void take_back(struct side *s, struct input *in)
{
    const uint8_t i = take_byte(in) % KEYS;
    const int error = unit_take_back(unit, s->client, s->handles[i]);
    CHECK(!error || error == HR_EHANDLE);
}

/* ---- requests ---- */

static void request(struct side *s, struct input *in)
{
    const uint8_t what = take_byte(in), key = take_byte(in) % KEYS, ring = what % RINGS;
    struct ring_options options = { .padding = 0 };
    struct ring_request r = { .alg = (uint16_t)rows[key],
                              .op = take_byte(in) & 3,
                              .flags = RING_FAR | RING_HANDLE,
                              .iv_len = sizeof options,
                              .len = take_byte(in),
                              .u.far = { .in = take_byte(in) * 16u,
                                         .out = 4096u + take_byte(in) * 16u,
                                         .handle = s->handles[key] } };
    if (rows[key] == HR_RSA1024) {
        options.padding = take_byte(in) % 7;
        options.digest = take_byte(in) & 1 ? HR_SHA256 : 0;
    }
    memcpy(r.u.far.iv, &options, sizeof options);
    if (what & 0x40)
        take(in, (uint8_t *)&r + take_byte(in) % (sizeof r - 8), 8);
    struct ring_request *slot =
        &ring_requests(s->client->ring.requests, ring)[s->next[ring] % RING_DEPTH];
    const uint32_t old = slot->seq;
    memcpy(slot, &r, sizeof r);
    slot->seq = old;
    ring_publish(&slot->seq, ++s->next[ring]);
    if (what & 0x80)
        atomic_store(&target, (uint8_t *)slot);
}

static void window_store(struct side *s, struct input *in)
{
    const uint8_t ring = take_byte(in), where = take_byte(in);
    const size_t len = take_byte(in) + 1u, at = (size_t)where * 32 % (WINDOW - 256);
    uint8_t *window = ring_window(s->client->ring.requests, &geometry, ring % RINGS);
    take_many(in, window + at, len);
    if (ring & 0x80)
        atomic_store(&target, window + at);
}

static void store(struct side *s, struct input *in)
{
    uint8_t bytes[16], where[4];
    uint32_t at;
    take(in, where, sizeof where);
    memcpy(&at, where, sizeof at);
    take(in, bytes, sizeof bytes);
    at = (uint32_t)(at % (ring_requests_len(&geometry) - sizeof bytes));
    memcpy((uint8_t *)s->client->ring.requests + at, bytes, sizeof bytes);
}

static void ring_doorbell(struct side *s, struct input *in)
{
    const uint64_t one = 1;
    if (write(s->client->ring.doorbell, &one, sizeof one) < 0)
        return; /* full, as with a hostile client */
}

static void judge(const struct client *c)
{
    for (uint32_t ring = 0; ring < RINGS; ring++)
        for (uint32_t i = 0; i < RING_DEPTH; i++) {
            struct ring_completion *slot = &ring_completions(c->completions, ring)[i];
            if (!ring_look(&slot->seq))
                continue;
            CHECK((slot->seq - 1) % RING_DEPTH == i);
            CHECK(slot->len == (slot->result ? 0 : 8)); /* a length, and the load */
            CHECK(all_zero(slot->bytes + slot->len, RING_INLINE - slot->len));
        }
}

static void (*const steps[])(struct side *,
                             struct input *) = { request, request,       request,   window_store,
                                                 store,   ring_doorbell, take_back, lend };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct policy_unit settings = { .threads = 2 };
    static pthread_t thread;
    static uint32_t uid;
    struct input in = { data, size };
    struct side s = { .client = calloc(1, sizeof *s.client) };
    int fds[3];
    if (!unit) {
        unit = unit_start(&settings);
        CHECK(unit && !pthread_create(&thread, NULL, flipper, NULL));
    }
    s.client->limits = &s.limits;
    atomic_store(&s.limits.lent, KEYS + 1);
    memset(s.limits.algorithms, 0xff, sizeof s.limits.algorithms);
    CHECK(!client_make_ring(&s.client->ring, &geometry, fds));
    atomic_store(&s.limits.weight, take_byte(&in));
    /* a user has little time for making keys: each input comes from another one */
    CHECK(!unit_add(unit, s.client, ++uid));
    struct ring_client_words *words = s.client->ring.requests;
    atomic_store(&words->claimed, (1u << RINGS) - 1);
    lend_all(&s);
    for (int i = 0; i < MAX_STEPS && in.len; i++)
        steps[take_byte(&in) % COUNT(steps)](&s, &in);
    ring_doorbell(&s, &in);
    unit_remove(unit, s.client);
    rest();
    judge(&s.client->ring);
    client_free(&s.client->ring);
    close(fds[0]);
    close(fds[1]);
    free(s.client);
    return 0;
}
