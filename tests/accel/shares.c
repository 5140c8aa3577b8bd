/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator's turns, run by this thread: who gets how much is counted, not timed.  And keys:
 * those that requests bring, those that handles name. */
#include "../test.h"
#include "secrets.h"
#include "serve.h"
#include <unistd.h>

enum { RINGS = 8, WINDOW = 1 << 18, HMAC_KEY = 32 };

struct side {
    struct client client;
    uint32_t num_rings;
    uint32_t sent[RINGS], got[RINGS];
    uint64_t served;
    int32_t last_result;
    struct ring_request request;
};

static struct server *server;

static struct side *side_new(uint32_t num_rings, uint32_t weight)
{
    static const struct ring_geometry geometry = { RINGS, WINDOW };
    struct side *s = calloc(1, sizeof *s);
    int fds[3];
    if (!s || client_make(&s->client, &geometry, fds)) {
        printf("Bail out! no client\n");
        exit(1);
    }
    close(fds[0]);
    close(fds[1]);
    s->client.lanes = server->lanes;
    s->num_rings = num_rings;
    atomic_store(&s->client.limits.weight, weight);
    for (unsigned alg = 0; alg < 4096; alg++)
        limits_set(&s->client.limits, alg, true);
    struct ring_client_words *words = s->client.requests;
    atomic_store(&words->claimed, (UINT64_C(1) << num_rings) - 1);
    return s;
}

static void side_free(struct side *s)
{
    serve_wake(server); /* the end of a turn, after which nobody remembers it */
    client_free(&s->client);
    free(s);
}

static void send_one(struct side *s, uint32_t ring)
{
    struct ring_request *slot =
        &ring_requests(s->client.requests, ring)[s->sent[ring] % RING_DEPTH];
    memcpy(slot, &s->request, offsetof(struct ring_request, seq));
    memcpy(&slot->u, &s->request.u, sizeof slot->u);
    ring_publish(&slot->seq, ++s->sent[ring]);
}

static void collect(struct side *s)
{
    for (uint32_t ring = 0; ring < s->num_rings; ring++)
        for (;;) {
            struct ring_completion *slot =
                &ring_completions(s->client.completions, ring)[s->got[ring] % RING_DEPTH];
            if (ring_look(&slot->seq) != s->got[ring] + 1)
                break;
            s->last_result = slot->result;
            s->got[ring]++;
            s->served++;
        }
}

/* As many as its rings hold. */
static void fill(struct side *s)
{
    collect(s);
    for (uint32_t ring = 0; ring < s->num_rings; ring++)
        while (s->sent[ring] - s->got[ring] < RING_DEPTH)
            send_one(s, ring);
}

static void turn(struct side *const *sides, size_t num)
{
    static size_t first;
    server->turn++;
    server->short_of_room = false;
    for (size_t i = 0; i < num && !server->short_of_room; i++)
        (void)serve_client(server, &sides[(first + i) % num]->client, true, false);
    first++;
    server->now += 200;
    (void)serve_lanes(server, server->lanes);
    for (size_t i = 0; i < num; i++)
        if (sides[i]->client.lanes != server->lanes)
            (void)serve_lanes(server, sides[i]->client.lanes);
    serve_wake(server);
}

static void drain(struct side *s)
{
    for (int i = 0; i < 100000 && atomic_load(&s->client.share.num_tasks); i++)
        turn(&s, 1);
    if (atomic_load(&s->client.share.num_tasks))
        complain("requests are left");
}

/* One request, whose completion is looked at. */
static int ask(struct side *s, struct ring_completion *done)
{
    const uint64_t before = s->served;
    send_one(s, 0);
    for (int i = 0; i < 1000 && s->served == before; i++) {
        turn(&s, 1);
        collect(s);
    }
    if (s->served == before)
        return HR_EPENDING;
    *done = ring_completions(s->client.completions, 0)[(s->got[0] - 1) % RING_DEPTH];
    return done->result;
}

static struct ring_request inline_ctr(void)
{
    return (struct ring_request){ .alg = HR_AES_128_CTR, .key_len = 16, .iv_len = 16, .len = 16 };
}

static struct ring_request far_request(hr_alg alg, uint32_t len)
{
    struct ring_request q = { .alg = (uint16_t)alg, .flags = RING_FAR, .len = len };
    q.key_len = alg == HR_AES_128_CTR ? 16 : alg == HR_SHA256 ? 0 : HMAC_KEY;
    q.iv_len = alg == HR_AES_128_CTR ? 16 : 0;
    q.u.far.in = 4096;
    q.u.far.out = alg == HR_AES_128_CTR ? WINDOW / 2 : 0;
    return q;
}

/* ---- shares ---- */

static uint64_t work_of(const struct side *s)
{
    return s->served * (256 + s->request.len);
}

/* Two that always want more: their work is as their weights, to a tenth. */
static void test_shares(const char *name, struct ring_request greedy, struct ring_request other,
                        uint32_t greedy_rings, uint32_t weight, uint32_t other_weight)
{
    struct side *sides[2] = { side_new(greedy_rings, weight), side_new(RINGS / 2, other_weight) };
    sides[0]->request = greedy;
    sides[1]->request = other;
    for (int i = 0; i < 3000; i++) {
        fill(sides[0]);
        fill(sides[1]);
        turn(sides, 2);
    }
    const double share =
        (double)work_of(sides[1]) / (double)(work_of(sides[0]) + work_of(sides[1]));
    const double fair = (double)other_weight / (weight + other_weight);
    if (share < 0.9 * fair || share > 1.1 * fair || sides[0]->last_result || sides[1]->last_result)
        complain("its share is %.3f, %.3f is fair", share, fair);
    tap(1, "%s", name);
    for (int i = 0; i < 2; i++) {
        drain(sides[i]);
        side_free(sides[i]);
    }
}

/* It always has one request there, and is not kept waiting by one that has a thousand. */
static void test_short_one(void)
{
    struct side *sides[2] = { side_new(RINGS, LIMIT_WEIGHT), side_new(1, LIMIT_WEIGHT) };
    sides[0]->request = far_request(HR_AES_128_CTR, 32768);
    sides[1]->request = inline_ctr();
    for (int i = 0; i < 500; i++) {
        fill(sides[0]);
        send_one(sides[1], 0);
        turn(sides, 2);
        collect(sides[1]);
        if (sides[1]->served != (uint64_t)i + 1)
            complain("turn %d: not served", i);
    }
    tap(1, "a short request is served in its turn, whatever another has waiting");
    for (int i = 0; i < 2; i++) {
        drain(sides[i]);
        side_free(sides[i]);
    }
}

/* After the longest request its client is in debt for several turns, and the thread may not sleep.
 */
static void test_debt(void)
{
    struct side *s = side_new(2, LIMIT_WEIGHT);
    s->request = far_request(HR_SHA256, WINDOW - 8192);
    send_one(s, 0);
    send_one(s, 1);
    for (int i = 0; i < 100 && s->served < 2; i++) {
        server->pending = false;
        const bool busy = serve_client(server, &s->client, true, false) ||
                          server->lanes->num_jobs + server->lanes->num_new || server->pending;
        (void)serve_lanes(server, server->lanes);
        collect(s);
        if (!busy && s->served < 2)
            complain("turn %d: it would sleep", i);
        server->now += 200;
    }
    if (s->served != 2)
        complain("%llu served", (unsigned long long)s->served);
    tap(1, "a client in debt is waited for");
    side_free(s);
}

static void test_rate(void)
{
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->request = inline_ctr();
    atomic_store(&s->client.limits.rate, 1);
    for (int i = 0; i < 10; i++)
        send_one(s, 0);
    for (int i = 0; i < 10; i++)
        (void)serve_client(server, &s->client, true, false);
    collect(s);
    if (s->served > 8 || !server->throttled) /* a run is what it may be ahead */
        complain("%llu requests at once", (unsigned long long)s->served);
    atomic_store(&s->client.limits.rate, 1000000); /* seconds are owed no more */
    for (int i = 0; i < 2; i++, server->now += 1000000)
        (void)serve_client(server, &s->client, true, false);
    collect(s);
    if (s->served != 10)
        complain("%llu requests at a higher rate", (unsigned long long)s->served);
    atomic_store(&s->client.limits.rate, 0);
    send_one(s, 0);
    (void)serve_client(server, &s->client, true, false);
    collect(s);
    if (s->served != 11)
        complain("%llu requests without a limit", (unsigned long long)s->served);
    tap(1, "a client above its rate waits");
    side_free(s);
}

static void test_private(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->client.lanes = lanes_new();
    s->request = far_request(HR_SHA256, 1000);
    fill(s);
    turn(&s, 1);
    if (server->lanes->num_jobs + server->lanes->num_new)
        complain("its jobs are in the shared lanes");
    drain(s);
    collect(s);
    uint8_t want[32];
    hr_sha256(want, ring_window(s->client.requests, &s->client.geometry, 0) + 4096, 1000);
    if (ask(s, &done) || memcmp(done.bytes, want, 32))
        complain("%d", done.result);
    tap(1, "lanes of a client's own");
    lanes_free(s->client.lanes);
    side_free(s);
}

/* ---- refusals ---- */

static void test_policy(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->request = inline_ctr();
    limits_set(&s->client.limits, HR_AES_128_CTR, false);
    if (ask(s, &done) != HR_EACCESS || done.len || atomic_load(&s->client.counts.rejected) != 1)
        complain("%d", done.result);
    limits_set(&s->client.limits, HR_AES_128_CTR, true);
    if (ask(s, &done))
        complain("allowed again: %d", done.result);
    tap(1, "a row that the policy forbids, and allows again");
    side_free(s);
}

static void test_revoked(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    struct ring_service_words *words = s->client.completions;
    s->request = inline_ctr();
    if (ask(s, &done))
        complain("%d", done.result);
    atomic_store(&words->state, RING_REVOKED);
    if (ask(s, &done) != HR_EPENDING)
        complain("a revoked client is served");
    tap(1, "nothing of a revoked client is taken");
    side_free(s);
}

/* ---- keys ---- */

static int is_ctr_of(const struct ring_completion *done, const uint8_t *key_bytes,
                     const uint8_t *rest)
{
    struct hr_cipher_key key;
    uint8_t want[16];
    if (hr_cipher_key_init(&key, HR_AES_128_CTR, key_bytes, 16) ||
        hr_cipher_encrypt(want, rest + 16, 16, &key, rest, 16))
        return 0;
    return !memcmp(want, done->bytes, 16);
}

static void test_cache(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    uint8_t keys[3][16];
    random_bytes(keys, sizeof keys);
    memcpy(keys[2], keys[1], 16);
    keys[2][15] ^= 1;
    s->request = inline_ctr();
    for (int i = 0; i < 300; i++) {
        const uint8_t *key = keys[random_below(3)];
        memcpy(s->request.u.bytes, key, 16);
        s->request.key_slot = (uint8_t)(random_below(4) ? 7 : random_below(256)); /* a hint only */
        if (ask(s, &done) || !is_ctr_of(&done, key, s->request.u.bytes + 16))
            complain("round %d: %d", i, done.result);
    }
    s->request.alg = HR_AES_128_GCM; /* the same bytes in the same place, for another row */
    s->request.iv_len = 12;
    if (ask(s, &done) || done.len != 32)
        complain("%d", done.result);
    tap(1, "keys that requests bring are what their bytes say, wherever the hint points");
    side_free(s);
}

/* Keys that change places while jobs under them wait in the lanes. */
static void test_cache_in_use(void)
{
    struct side *s = side_new(1, LIMIT_WEIGHT);
    uint8_t *window = ring_window(s->client.requests, &s->client.geometry, 0);
    s->request = far_request(HR_HMAC_SHA256, 100);
    random_bytes(window, 8192);
    for (uint32_t i = 0; i < 32; i++) {
        s->request.u.far.key = i * HMAC_KEY;
        send_one(s, 0);
    }
    for (int i = 0; i < 1000 && s->got[0] < 32; i++)
        turn(&s, 1), collect(s);
    for (uint32_t i = 0; i < 32; i++) {
        const struct ring_completion *done = &ring_completions(s->client.completions, 0)[i];
        struct hr_hmac_key key;
        uint8_t want[32];
        if (hr_hmac_key_init(&key, HR_HMAC_SHA256, window + done->request * HMAC_KEY, HMAC_KEY) ||
            hr_hmac(want, window + 4096, 100, &key) || memcmp(want, done->bytes, 32))
            complain("request %u: %d", done->request, done->result);
    }
    tap(1, "a key that is in use keeps its place");
    side_free(s);
}

static void test_handles(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    struct keytable *keys = keytable_new();
    uint64_t handle, second, wrong[4];
    uint8_t key[16];
    random_bytes(key, sizeof key);
    atomic_store(&s->client.keys, keys);
    s->request = inline_ctr();
    s->request.flags = RING_HANDLE;
    s->request.key_len = 0;
    if (keytable_add(keys, &handle, HR_AES_128_CTR, KEY_ENCRYPT, key, 16))
        complain("keytable_add");
    memcpy(s->request.u.bytes, &handle, 8);
    if (ask(s, &done) || !is_ctr_of(&done, key, s->request.u.bytes + 8))
        complain("%d", done.result);
    s->request.op = HR_JOB_DECRYPT;
    if (ask(s, &done) != HR_EHANDLE)
        complain("a use that it is not for: %d", done.result);
    s->request.op = HR_JOB_ENCRYPT;
    s->request.alg = HR_AES_128_CBC;
    if (ask(s, &done) != HR_EHANDLE)
        complain("another row: %d", done.result);
    s->request.alg = HR_AES_128_CTR;
    wrong[0] = handle + 1;
    wrong[1] = handle + (UINT64_C(1) << 32);
    wrong[2] = KEYTABLE_MAX;
    wrong[3] = UINT64_MAX;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        memcpy(s->request.u.bytes, &wrong[i], 8);
        if (ask(s, &done) != HR_EHANDLE)
            complain("a handle that is none: %d", done.result);
    }
    memcpy(s->request.u.bytes, &handle, 8);
    if (keytable_remove(keys, handle) || keytable_remove(keys, handle) != HR_EHANDLE ||
        ask(s, &done) != HR_EHANDLE)
        complain("closed: %d", done.result);
    keytable_sweep(keys);
    if (keytable_add(keys, &second, HR_AES_128_CTR, KEY_ALL, key, 16) || second == handle ||
        (uint32_t)second != (uint32_t)handle || ask(s, &done) != HR_EHANDLE)
        complain("an old handle names a new key");
    tap(1, "handles: of this row, for this use, and not after they were closed");
    side_free(s);
}

static void test_many_handles(void)
{
    struct keytable *keys = keytable_new();
    uint64_t handles[KEYTABLE_MAX], handle;
    uint8_t key[32] = { 0 };
    uint32_t *users;
    for (size_t i = 0; i < KEYTABLE_MAX; i++)
        if (keytable_add(keys, &handles[i], HR_HMAC_SHA256, KEY_ALL, key, 32))
            complain("key %zu", i);
    if (keytable_add(keys, &handle, HR_HMAC_SHA256, KEY_ALL, key, 32) != HR_EBUFFER)
        complain("one too many");
    if (!keytable_use(keys, handles[5], HR_HMAC_SHA256, HR_JOB_MAC, &users))
        complain("keytable_use");
    if (keytable_remove(keys, handles[5]))
        complain("keytable_remove");
    keytable_sweep(keys);
    if (keytable_add(keys, &handle, HR_HMAC_SHA256, KEY_ALL, key, 32) != HR_EBUFFER)
        complain("the place of a key in use was given away");
    --*users;
    keytable_sweep(keys);
    if (keytable_add(keys, &handle, HR_HMAC_SHA256, KEY_ALL, key, 32))
        complain("the place of a key that was closed is not free");
    tap(1, "a key goes when no request uses it any more");
    keytable_free(keys);
}

int main(void)
{
    server = server_new();
    if (!server) {
        printf("Bail out! no server\n");
        return 1;
    }
    const struct ring_request ctr = inline_ctr(), far_ctr = far_request(HR_AES_128_CTR, 4096);
    const struct ring_request mac = far_request(HR_HMAC_SHA256, 256);
    test_shares("equal weights, equal requests", ctr, ctr, RINGS / 2, 100, 100);
    test_shares("one asks for long ones, and has all its rings full", far_ctr, ctr, RINGS, 100,
                100);
    test_shares("three times the weight", far_ctr, ctr, RINGS, 300, 100);
    test_shares("three times the weight, of the other", far_ctr, far_ctr, RINGS, 100, 300);
    test_shares("one in lanes, one not", mac, ctr, RINGS, 100, 100);
    test_short_one();
    test_debt();
    test_rate();
    test_private();
    test_policy();
    test_revoked();
    test_cache();
    test_cache_in_use();
    test_handles();
    test_many_handles();
    server_free(server);
    return tap_done();
}
