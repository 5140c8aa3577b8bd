/* SPDX-License-Identifier: Apache-2.0 */
/* accel_unit_shares: which requests a thread of the unit for public keys takes.  This program is
 * the only thread; it takes batches, lets them have taken a given time, and computes nothing. */
#include "../test.h"
#include "service/secrets.h"
#include "service/unit/unit_thread.h"
#include <headrace/algorithms.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    MOST_CLIENTS = 16,
    RINGS = 4,
    ROUNDS = 4000,
    LONG = 100000,
    SHORT = 10000 /* ns of batches */
};

static struct unit unit;
static struct unit_thread thread, other;

struct side {
    struct unit_client client;
    struct limits limits;
    uint64_t short_key, long_key;
    uint32_t sent[RINGS];
    uint64_t got, got_long; /* requests that were taken */
};

/* ---- clients ---- */

static uint64_t lend(struct side *s, hr_alg alg, const struct hr_number *a,
                     const struct hr_number *b)
{
    uint8_t bytes[512];
    size_t at = 0;
    uint64_t handle = 0;
    const struct hr_number *const parts[] = { a, b };
    for (size_t i = 0; i < 2; i++) {
        bytes[at++] = (uint8_t)parts[i]->len;
        bytes[at++] = (uint8_t)(parts[i]->len >> 8);
        if (parts[i]->len)
            memcpy(bytes + at, parts[i]->bytes, parts[i]->len);
        at += parts[i]->len;
    }
    if (unit_lend(&unit, &s->client, &handle, alg, bytes, at))
        complain("a key is not lent");
    return handle;
}

static struct side *side_new(uint32_t uid, uint32_t weight)
{
    static const struct ring_geometry geometry = { RINGS, RING_UNIT_WINDOW };
    static const uint8_t seed[32] = { 1 }, e[] = { 1, 0, 1 };
    static uint8_t n[128];
    struct side *s = calloc(1, sizeof *s);
    int fds[3];
    if (!s || client_make_ring(&s->client.ring, &geometry, fds)) {
        printf("Bail out! no client\n");
        exit(1);
    }
    close(fds[0]);
    close(fds[1]);
    memset(n, 0xff, sizeof n);
    s->client.limits = &s->limits;
    atomic_store(&s->limits.weight, weight);
    atomic_store(&s->limits.lent, 8);
    for (unsigned alg = 0; alg < ROW_NUMBERS; alg++)
        limits_set(&s->limits, alg, true);
    if (unit_add(&unit, &s->client, uid))
        complain("no client");
    struct ring_client_words *words = s->client.ring.requests;
    atomic_store(&words->claimed, (1u << RINGS) - 1);
    s->short_key =
        lend(s, HR_ECDSA_P256, &(struct hr_number){ seed, 32 }, &(struct hr_number){ 0 });
    s->long_key = lend(s, HR_RSA1024, &(struct hr_number){ n, 128 }, &(struct hr_number){ e, 3 });
    return s;
}

static void side_free(struct side *s)
{
    unit_remove(&unit, &s->client);
    client_free(&s->client.ring);
    free(s);
}

static void send_request(struct side *s, uint32_t ring, bool is_long, uint64_t handle)
{
    struct ring_request *slot =
        &ring_requests(s->client.ring.requests, ring)[s->sent[ring] % RING_DEPTH];
    const struct ring_options options = { .padding = is_long ? HR_RSA_PKCS1 : 0 };
    struct ring_request r = { .alg = is_long ? HR_RSA1024 : HR_ECDSA_P256,
                              .op = HR_JOB_SIGN,
                              .flags = RING_FAR | RING_HANDLE,
                              .iv_len = sizeof options,
                              .len = 32,
                              .u.far = { .in = 0, .out = 4096, .handle = handle } };
    memcpy(r.u.far.iv, &options, sizeof options);
    memcpy(slot, &r, offsetof(struct ring_request, seq));
    memcpy(&slot->u, &r.u, sizeof slot->u);
    ring_publish(&slot->seq, ++s->sent[ring]);
}

static void send_one(struct side *s, uint32_t ring, bool is_long)
{
    send_request(s, ring, is_long, is_long ? s->long_key : s->short_key);
}

static uint32_t outstanding(const struct side *s, uint32_t ring)
{
    return s->sent[ring] - s->client.ring.rings[ring].completed;
}

/* fill sends until `depth` requests of one kind are outstanding. */
static void fill(struct side *s, uint32_t depth, bool is_long)
{
    for (uint32_t ring = 0; ring < RINGS; ring++)
        while (outstanding(s, ring) < depth)
            send_one(s, ring, is_long);
}

static void count_batch(struct side *const *sides, size_t num)
{
    for (uint32_t i = 0; i < thread.num; i++)
        for (size_t k = 0; k < num; k++)
            if (thread.tasks[i].client == &sides[k]->client) {
                sides[k]->got++;
                sides[k]->got_long += thread.is_long;
            }
}

static void answer(struct unit_thread *t)
{
    unit_answer(&unit, t, t->taken + (t->is_long ? LONG : SHORT));
    unit_leave(&unit, t);
}

/* take takes a batch, also where the thread would first let requests gather. */
static uint32_t take(struct unit_thread *t)
{
    const uint32_t n = unit_take(&unit, t);
    return n || !t->gathered ? n : unit_take(&unit, t);
}

/* batch takes a batch and answers it.  It returns the number of its requests. */
static uint32_t batch(struct side *const *sides, size_t num)
{
    const uint32_t n = take(&thread);
    count_batch(sides, num);
    if (n)
        answer(&thread);
    return n;
}

/* ---- checks ---- */

static int near(double got, double want)
{
    return got > want * 0.95 && got < want * 1.05;
}

/* check_weights: two users that always want more get as much as their weights say. */
static void check_weights(void)
{
    struct side *sides[] = { side_new(1, 100), side_new(2, 300) };
    for (int i = 0; i < ROUNDS; i++) {
        fill(sides[0], 16, true);
        fill(sides[1], 16, true);
        (void)batch(sides, 2);
    }
    const double ratio = (double)sides[1]->got / (double)sides[0]->got;
    tap(near(ratio, 3), "weights 100 and 300: requests as 1 to %.2f", ratio);
    side_free(sides[0]);
    side_free(sides[1]);
}

/* check_users: a user with many processes gets no more than one with a single process. */
static void check_users(void)
{
    struct side *sides[MOST_CLIENTS];
    uint64_t many = 0;
    for (uint32_t i = 0; i < MOST_CLIENTS; i++)
        sides[i] = side_new(i ? 1 : 2, 100);
    for (int i = 0; i < ROUNDS; i++) {
        for (uint32_t k = 0; k < MOST_CLIENTS; k++)
            fill(sides[k], 4, true);
        (void)batch(sides, MOST_CLIENTS);
    }
    for (uint32_t i = 1; i < MOST_CLIENTS; i++) {
        many += sides[i]->got;
        if (!near((double)sides[i]->got * (MOST_CLIENTS - 1), (double)sides[0]->got))
            complain("a process has %d of %d", (int)sides[i]->got, (int)sides[0]->got);
    }
    tap(near((double)many, (double)sides[0]->got), "a user with %d processes beside one with 1",
        MOST_CLIENTS - 1);
    for (uint32_t i = 0; i < MOST_CLIENTS; i++)
        side_free(sides[i]);
}

/* check_lone: a client that asks for one thing at a time is in the next batch, whatever others
 * want. */
static void check_lone(void)
{
    struct side *sides[] = { side_new(1, 100), side_new(2, 100) };
    int late = 0;
    fill(sides[0], 32, true);
    (void)batch(sides, 1); /* it has had something, and the other nothing */
    for (int i = 0; i < ROUNDS; i++) {
        fill(sides[0], 32, true);
        send_one(sides[1], (uint32_t)i % RINGS, i % 8 == 0);
        const uint64_t before = sides[1]->got;
        (void)batch(sides, 2);
        late += sides[1]->got == before;
        do
            fill(sides[0], 32, true);
        while (batch(sides, 2) && sides[1]->got == before);
    }
    tap(!late, "one request at a time is in the next batch, beside a flood: %d were late", late);
    side_free(sides[0]);
    side_free(sides[1]);
}

/* check_long: when as many threads compute long operations as may, short ones are still taken. */
static void check_long(void)
{
    struct side *sides[] = { side_new(1, 100) };
    fill(sides[0], 8, true);
    unit.num_long = unit.most_long;
    if (batch(sides, 1))
        complain("a long operation is taken");
    unit.num_long = 0;
    while (batch(sides, 1))
        ;
    for (uint32_t ring = 0; ring < RINGS; ring++)
        send_one(sides[0], ring, ring % 2);
    unit.num_long = unit.most_long;
    const uint64_t before = sides[0]->got_long;
    while (batch(sides, 1))
        ;
    if (sides[0]->got_long != before || outstanding(sides[0], 0) || outstanding(sides[0], 2))
        complain("short operations are not taken");
    unit.num_long = 0;
    while (batch(sides, 1))
        ;
    tap(!outstanding(sides[0], 1), "one thread is left for short operations");
    side_free(sides[0]);
}

/* check_kinds: a batch has requests of one kind, and as many as there are lanes. */
static void check_kinds(void)
{
    struct side *sides[] = { side_new(1, 100), side_new(2, 100) };
    const struct hr_job job = { .alg = HR_ECDSA_P256,
                                .op = HR_JOB_SIGN,
                                .key_form = HR_KEY_OBJECT,
                                .key = sides[0]->client.keys.keys[0].made.object };
    const uint32_t lanes = (uint32_t)hr_job_lanes(&job);
    uint32_t most = 0, n;
    for (int i = 0; i < 64; i++)
        send_one(sides[i % 2], (uint32_t)i / 2 % 2 * 2 + (uint32_t)i % 2, i % 2);
    while ((n = batch(sides, 2)) != 0) {
        for (uint32_t k = 0; k < n; k++)
            if (thread.tasks[k].request->q.alg != thread.operation->alg)
                complain("a batch of two kinds");
        most = !thread.is_long && n > most ? n : most;
    }
    tap(most == lanes, "batches of one kind, of up to %u requests, with %u lanes", most, lanes);
    side_free(sides[0]);
    side_free(sides[1]);
}

/* check_together: while several requests are computed together, others of their kind wait until
 * they fill half of a batch. */
static void check_together(void)
{
    struct side *sides[] = { side_new(1, 100) };
    for (int i = 0; i < 3; i++)
        send_one(sides[0], 0, false);
    const uint32_t lanes = take(&thread) > 1 ? thread.operation->lanes : 1;
    const struct unit_operation *o = thread.operation;
    const uint32_t half = (lanes + 1) / 2;
    for (uint32_t i = 0; lanes > 1 && i < half; i++) {
        if (unit_take_is_any(&unit))
            complain("a second batch of %u", i);
        send_one(sides[0], i % RINGS, false);
    }
    send_one(sides[0], RINGS - 1, true);
    if (lanes > 1 && (take(&other) != half || other.operation != o))
        complain("a batch that is half full waits");
    if (lanes > 1)
        answer(&other);
    answer(&thread);
    while (batch(sides, 1))
        ;
    if (outstanding(sides[0], 0) || outstanding(sides[0], RINGS - 1) || o->together)
        complain("requests are left");
    tap(1, "a second batch of an operation is half full");
    side_free(sides[0]);
}

/* result_of returns the result of the last completion of a sub-ring. */
static int32_t result_of(const struct side *s, uint32_t ring)
{
    const uint32_t last = s->client.ring.rings[ring].completed - 1;
    return ring_completions(s->client.ring.completions, ring)[last % RING_DEPTH].result;
}

static void check_handles(void)
{
    struct side *sides[] = { side_new(1, 100), side_new(2, 100) };
    uint64_t third = 0;
    const struct hr_number none = { NULL, 0 },
                           seed = { (const uint8_t *)"12345678901234567890123456789012", 32 };
    third = lend(sides[1], HR_ECDSA_P256, &seed, &none);
    send_request(sides[0], 0, false, third); /* the other client's */
    if (batch(sides, 2) || result_of(sides[0], 0) != HR_EHANDLE)
        complain("another's key");
    send_request(sides[0], 0, true, sides[0]->short_key); /* another row's */
    if (batch(sides, 2) || result_of(sides[0], 0) != HR_EHANDLE)
        complain("another row");
    send_request(sides[1], 0, false, third);
    send_request(sides[1], 0, false, third);
    const uint32_t taken = take(&thread); /* while it runs, the key is taken back */
    if (!taken || unit_take_back(&unit, &sides[1]->client, third) ||
        unit_take_back(&unit, &sides[1]->client, third) != HR_EHANDLE)
        complain("a key in use is not taken back");
    answer(&thread);
    if (result_of(sides[1], 0) || sides[1]->client.keys.num != 2)
        complain("a key in use was freed");
    send_request(sides[1], 0, false, third);
    while (batch(sides, 2))
        ;
    if (result_of(sides[1], 0) != HR_EHANDLE)
        complain("a key that was taken back");
    third = lend(sides[1], HR_ECDSA_P256, &seed, &none);
    limits_set(&sides[1]->limits, HR_ECDSA_P256, false);
    send_request(sides[1], 0, false, third);
    if (batch(sides, 2) || result_of(sides[1], 0) != HR_EACCESS)
        complain("a row that the policy forbids");
    tap(1, "keys of others, of other rows, taken back, and forbidden");
    side_free(sides[0]);
    side_free(sides[1]);
}

/* check_limits: as many keys as the policy allows. */
static void check_limits(void)
{
    struct side *s = side_new(1, 100);
    const struct hr_number none = { NULL, 0 },
                           seed = { (const uint8_t *)"12345678901234567890123456789012", 32 };
    uint64_t handle;
    uint8_t bytes[36] = { 32 };
    memcpy(bytes + 2, seed.bytes, 32);
    for (int i = 0; i < 6; i++)
        lend(s, HR_ECDSA_P256, &seed, &none);
    if (unit_lend(&unit, &s->client, &handle, HR_ECDSA_P256, bytes, sizeof bytes) != HR_EBUFFER)
        complain("a ninth key");
    atomic_store(&s->limits.lent, LENT_MOST);
    int error = 0, num = 8;
    for (; !error && num <= LENT_MOST; num++)
        error = unit_lend(&unit, &s->client, &handle, HR_ECDSA_P256, bytes, sizeof bytes);
    if (error != HR_EBUFFER || s->client.keys.bytes > LENT_BYTES)
        complain("%d keys, %s", num, hr_strerror(error));
    if (unit_lend(&unit, &s->client, &handle, HR_ECDSA_P256, bytes, 33) != HR_EFORMAT &&
        s->client.keys.num < LENT_MOST)
        complain("a key without its end");
    tap(1, "%u keys of %zu bytes at most", s->client.keys.num, s->client.keys.bytes);
    side_free(s);
}

static uint32_t asleep_of(const struct side *s)
{
    struct ring_service_words *words = s->client.ring.completions;
    return atomic_load(&words->asleep);
}

/* check_warm: clients that had requests lately are told when a thread looks; all others ring. */
static void check_warm(void)
{
    enum { MANY = UNIT_WARM + 8 };
    struct side *sides[MANY];
    uint32_t told = 0;
    for (int i = 0; i < MANY; i++)
        sides[i] = side_new(3, 100);
    const uint32_t cold = asleep_of(sides[0]);
    for (int i = 0; i < MANY; i++) {
        send_one(sides[i], 0, false);
        while (batch(sides, MANY))
            ;
    }
    for (int i = 0; i < MANY; i++)
        told += asleep_of(sides[i]) == unit.asleep;
    if (cold != 3 || unit.asleep || told != UNIT_WARM || asleep_of(sides[0]) != 3)
        complain("%u are told", told);
    unit.sleeping = 1; /* and none looks */
    if (!unit_say_asleep(&unit) || unit.asleep != 3 || asleep_of(sides[MANY - 1]) != 3)
        complain("nobody rings");
    unit.num_long = unit.most_long;
    if (unit_say_asleep(&unit) || asleep_of(sides[MANY - 1]) != RING_ASLEEP_SHORT)
        complain("long requests ring for threads that may not take them");
    unit.sleeping = unit.num_long = 0;
    (void)unit_say_asleep(&unit);
    tap(1, "%d clients are told at once who sleeps", UNIT_WARM);
    for (int i = 0; i < MANY; i++)
        side_free(sides[i]);
    for (int i = 0; i < UNIT_WARM; i++)
        if (unit.warm[i])
            complain("a client that has gone is told");
}

static void thread_begin(struct unit_thread *t)
{
    t->unit = &unit;
    t->requests = secrets_alloc(UNIT_MANY * sizeof *t->requests);
    for (uint32_t i = 0; i < UNIT_MANY; i++)
        t->tasks[i].request = &t->requests[i];
}

/* check_key_time: a user that makes the service make keys without end is stopped, and not for ever;
 * others are not. */
static void check_key_time(void)
{
    struct side *s = side_new(1, 100), *honest = side_new(2, 100);
    uint8_t bytes[36] = { 32, 0, 1 };
    uint64_t handle;
    int found = 0;
    s->client.user->keys_until = unit_now(&unit) + UINT64_C(3600000000000);
    if (unit_lend(&unit, &s->client, &handle, HR_ECDSA_P256, bytes, sizeof bytes) != HR_EBUFFER)
        complain("a key without time");
    if (unit_lend(&unit, &honest->client, &handle, HR_ECDSA_P256, bytes, sizeof bytes))
        complain("another user has no time");
    const uint64_t before = s->client.user->keys_until = unit_now(&unit);
    if (unit_lend(&unit, &s->client, &handle, HR_ECDSA_P256, bytes, sizeof bytes) ||
        s->client.user->keys_until <= before)
        complain("a key costs nothing");
    s->client.user->keys_until = unit_now(&unit) + UINT64_C(3600000000000);
    side_free(s);
    s = side_new(2, 100); /* of the honest user, and then of the other */
    side_free(s);
    for (const struct unit_user *user = unit.users; user; user = user->next)
        if (user->uid == 1 && user->keys_until > before)
            found++;
    tap(found == 1, "the time for a user's keys, who comes again");
    side_free(honest);
}

int main(void)
{
    pthread_mutex_init(&unit.lock, NULL);
    pthread_cond_init(&unit.left, NULL);
    unit.scale = ticks_scale();
    unit.most_long = 2;
    unit.epoll = epoll_create1(0);
    thread_begin(&thread);
    thread_begin(&other);
    check_weights();
    check_users();
    check_lone();
    check_long();
    check_kinds();
    check_together();
    check_handles();
    check_limits();
    check_key_time();
    check_warm();
    return tap_done();
}
