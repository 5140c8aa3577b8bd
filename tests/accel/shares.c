/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of users and clients by their weights: this thread runs an accelerator's turns, and each
 * client's work is counted, not timed.  And refusals, and keys. */
#include "service/secrets.h"
#include "sides.h"

/* ---- shares ---- */

/* work_of returns the cost of what the table says of a client's answered requests. */
static uint64_t work_of(const struct side *s)
{
    const struct ring_request *q = &s->request;
    const uint64_t cost = cost_of(q->alg, q->op, q->len);
    return s->served *
           (schedule->laned[q->alg] ? (COST_REQUEST + cost) / LANED_BY : COST_REQUEST + cost);
}

/* test_shares checks that the work of two clients that always have requests is in proportion to
 * their weights, within a tenth. */
static void test_shares(const char *name, struct ring_request greedy, struct ring_request other,
                        uint32_t greedy_rings, uint32_t weight, uint32_t other_weight)
{
    struct side *sides[2] = { side_new(greedy_rings, weight), side_new(RINGS / 2, other_weight) };
    sides[0]->request = greedy;
    sides[1]->request = other;
    for (int i = 0; i < 3000; i++) {
        side_fill(sides[0]);
        side_fill(sides[1]);
        sides_turn(sides, 2);
    }
    const double share =
        (double)work_of(sides[1]) / (double)(work_of(sides[0]) + work_of(sides[1]));
    const double fair = (double)other_weight / (weight + other_weight);
    if (share < 0.9 * fair || share > 1.1 * fair || sides[0]->last_result || sides[1]->last_result)
        complain("its share is %.3f, %.3f is fair", share, fair);
    tap(1, "%s", name);
    for (int i = 0; i < 2; i++) {
        side_drain(sides[i]);
        side_free(sides[i]);
    }
}

/* test_short_one checks that a client that always has one request is not kept waiting by one that
 * has a thousand. */
static void test_short_one(void)
{
    struct side *sides[2] = { side_new(RINGS, LIMIT_WEIGHT), side_new(1, LIMIT_WEIGHT) };
    sides[0]->request = sides_far(HR_AES_128_CTR, 32768);
    sides[1]->request = sides_inline_ctr();
    for (int i = 0; i < 500; i++) {
        side_fill(sides[0]);
        side_send(sides[1], 0);
        sides_turn(sides, 2);
        side_collect(sides[1]);
        if (sides[1]->served != (uint64_t)i + 1)
            complain("turn %d: not served", i);
    }
    tap(1, "a short request is served in its turn, whatever another has waiting");
    for (int i = 0; i < 2; i++) {
        side_drain(sides[i]);
        side_free(sides[i]);
    }
}

/* test_users checks that 31 processes of a user get no more than one of another, and parts that are
 * alike. */
static void test_users(const char *name, struct ring_request many)
{
    enum { NUM = 32 };
    struct side *sides[NUM];
    uint64_t all = 0;
    for (size_t i = 0; i < NUM; i++) {
        sides[i] = side_of(i ? 1000 : 1001, i ? 1 : RINGS, LIMIT_WEIGHT);
        sides[i]->request = i ? many : sides_far(HR_AES_128_CTR, 4096);
    }
    for (int i = 0; i < 4000; i++) {
        for (size_t k = 0; k < NUM; k++)
            side_fill(sides[k]);
        sides_turn(sides, NUM);
    }
    for (size_t i = 1; i < NUM; i++)
        all += work_of(sides[i]);
    const double share = (double)work_of(sides[0]) / (double)(work_of(sides[0]) + all);
    if (share < 0.45 || share > 0.6) /* a long request may make its user lose a turn */
        complain("its share is %.3f", share);
    for (size_t i = 1; i < NUM; i++)
        if (work_of(sides[i]) < all / NUM / 2 || work_of(sides[i]) > all / NUM * 2)
            complain("process %zu: %.3f of the user's part", i,
                     (double)work_of(sides[i]) / (double)all);
    tap(1, "%s", name);
    for (size_t i = 0; i < NUM; i++) {
        side_drain(sides[i]);
        side_free(sides[i]);
    }
}

/* test_long checks that a long request lets another client have a turn before it ends. */
static void test_long(void)
{
    struct side *sides[2] = { side_new(1, LIMIT_WEIGHT), side_new(1, LIMIT_WEIGHT) };
    const uint64_t least = cost_of(HR_SHA384, 0, WINDOW - 8192) / QUANTUM / 2;
    uint8_t want[48];
    sides[0]->request = sides_far(HR_SHA384, WINDOW - 8192);
    sides[0]->request.key_len = 0;
    sides[1]->request = sides_inline_ctr();
    const bool laned = schedule->laned[HR_SHA384]; /* lanes have limits of their own */
    schedule->laned[HR_SHA384] = false;
    side_send(sides[0], 0);
    for (int i = 0; i < 10000 && !sides[0]->served; i++) {
        side_send(sides[1], 0);
        sides_turn(sides, 2);
        side_collect(sides[0]);
        side_collect(sides[1]);
    }
    schedule->laned[HR_SHA384] = laned;
    if (!sides[0]->served || sides[1]->served < least)
        complain("%llu and %llu served, not %llu at least", (unsigned long long)sides[0]->served,
                 (unsigned long long)sides[1]->served, (unsigned long long)least);
    const struct ring_completion *done = &ring_completions(sides[0]->client.completions, 0)[0];
    hr_sha384(want, ring_window(sides[0]->client.requests, &sides[0]->client.geometry, 0) + 4096,
              WINDOW - 8192);
    if (done->result || memcmp(done->bytes, want, RING_INLINE))
        complain("result %d", done->result);
    tap(1, "a long request is computed in pieces, between which others are served");
    side_free(sides[0]);
    side_free(sides[1]);
}

/* test_long_throttled checks that a long request that was taken ends, though its client is above
 * its rate then. */
static void test_long_throttled(void)
{
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->request = sides_far(HR_AES_128_CTR, 65536);
    atomic_store(&s->client.limits.bytes, 1000);
    side_send(s, 0);
    side_send(s, 0);
    for (int i = 0; i < 1000; i++) {
        sides_turn(&s, 1);
        side_collect(s);
    }
    if (s->served != 1)
        complain("%llu served", (unsigned long long)s->served);
    atomic_store(&s->client.limits.bytes, 0);
    tap(1, "a long request of a client above its rate ends, and the next one waits");
    side_drain(s);
    side_free(s);
}

/* chain makes a request with a second link, which lies in the window: SHA-256 of 16 bytes, then
 * `next`. */
static struct ring_request chain(struct side *s, struct ring_request next)
{
    enum { MORE = 1024, NEXT = 2048 };
    uint8_t *window = ring_window(s->client.requests, &s->client.geometry, 0);
    struct ring_request head = sides_far(HR_SHA256, 16);
    struct ring_more more = { .next = NEXT };
    head.flags |= RING_MORE;
    head.u.far.more = MORE;
    memcpy(window + MORE, &more, sizeof more);
    memcpy(window + NEXT, &next, sizeof next);
    return head;
}

/* test_chain checks that what follows in a chain is paid for, also if the first link waited for
 * lanes. */
static void test_chain(bool laned)
{
    struct side *sides[2] = { side_new(1, LIMIT_WEIGHT), side_new(1, LIMIT_WEIGHT) };
    const bool before = schedule->laned[HR_SHA256 % ROW_NUMBERS];
    const uint32_t len = 65536;
    schedule->laned[HR_SHA256 % ROW_NUMBERS] = laned && before;
    sides[0]->request = chain(sides[0], sides_far(HR_AES_128_CTR, len));
    sides[1]->request = sides_far(HR_AES_128_CTR, 2048);
    for (int i = 0; i < 3000; i++) {
        side_fill(sides[0]);
        side_fill(sides[1]);
        sides_turn(sides, 2);
    }
    const double theirs = (double)sides[0]->served * len, mine = (double)work_of(sides[1]);
    if (sides[0]->last_result || mine / (theirs + mine) < 0.4 || mine / (theirs + mine) > 0.6)
        complain("result %d, its share is %.3f", sides[0]->last_result, mine / (theirs + mine));
    schedule->laned[HR_SHA256 % ROW_NUMBERS] = before;
    tap(1, "a chain pays for all its links, the first %s", laned ? "in lanes" : "not in lanes");
    for (int i = 0; i < 2; i++) {
        side_drain(sides[i]);
        side_free(sides[i]);
    }
}

/* test_chain_clock checks that the clock, too, counts what follows in a chain as its client's work:
 * nearly all of the time here, of which the lanes have little. */
static void test_chain_clock(void)
{
    struct side *s = side_new(1, LIMIT_MAX_WEIGHT);
    uint64_t elapsed = 0;
    struct ring_request xts = sides_far(HR_AES_128_XTS, 65536); /* cannot be cut */
    xts.iv_len = 16;
    xts.u.far.out = WINDOW / 2;
    random_bytes(ring_window(s->client.requests, &s->client.geometry, 0), 32); /* its key */
    s->request = chain(s, xts);
    for (int i = 0; i < 500; i++) {
        side_fill(s);
        const uint64_t begin = ticks_clock();
        sides_turn(&s, 1);
        elapsed += ticks_clock() - begin;
    }
    if (s->last_result || s->client.share.user->worked < elapsed / 4)
        complain("%llu of %llu ns are its own", (unsigned long long)s->client.share.user->worked,
                 (unsigned long long)elapsed);
    tap(1, "the time of a chain's later links is its client's");
    side_drain(s);
    side_free(s);
}

/* test_debt checks that after the longest request a client gets no turn until its debt is paid, and
 * that the thread does not sleep meanwhile. */
static void test_debt(void)
{
    struct side *s = side_new(2, LIMIT_WEIGHT);
    s->request = sides_far(HR_SHA256, WINDOW - 8192);
    side_send(s, 0);
    side_send(s, 1);
    for (int i = 0; i < 100 && s->served < 2; i++) {
        schedule->turn++;
        schedule->pending = false;
        const bool busy = schedule_client(schedule, &s->client, true, false) ||
                          schedule->lanes->num_jobs + schedule->lanes->num_new || schedule->pending;
        (void)schedule_lanes(schedule, schedule->lanes);
        side_collect(s);
        if (!busy && s->served < 2)
            complain("turn %d: it would sleep", i);
        schedule->now += 200;
    }
    if (s->served != 2)
        complain("%llu served", (unsigned long long)s->served);
    tap(1, "a client in debt is waited for");
    side_free(s);
}

/* test_debt_beside_lanes checks that a user's debt is paid by the time of another's jobs in the
 * lanes. */
static void test_debt_beside_lanes(void)
{
    enum { DEBT = 50 * QUANTUM, POLL = 100000 };
    struct side *other = side_of(1000, 1, LIMIT_WEIGHT), *s = side_of(1001, 1, LIMIT_WEIGHT);
    int turns = 0;
    s->request = sides_inline_ctr();
    schedule->by_table = false;
    share_charge(&s->client, DEBT);
    side_send(s, 0);
    while (!s->served && turns++ < 100) {
        share_note(schedule, &other->client);
        schedule->lanes->worked += POLL; /* so much that none of these turns' time was idle */
        schedule->worked += POLL;
        sides_turn(&s, 1);
        side_collect(s);
    }
    schedule->by_table = true;
    if (!s->served || turns < 40)
        complain("%llu served after %d turns", (unsigned long long)s->served, turns);
    tap(1, "a debt is paid by the time of another's jobs in lanes");
    side_free(s);
    side_free(other);
}

static void test_rate(void)
{
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->request = sides_inline_ctr();
    atomic_store(&s->client.limits.rate, 1);
    for (int i = 0; i < 10; i++)
        side_send(s, 0);
    for (int i = 0; i < 10; i++)
        (void)schedule_client(schedule, &s->client, true, false);
    side_collect(s);
    if (s->served > 8 || !schedule->throttled) /* it may be ahead by one run */
        complain("%llu requests at once", (unsigned long long)s->served);
    atomic_store(&s->client.limits.rate, 1000000); /* at this rate, it owes no seconds */
    for (int i = 0; i < 2; i++, schedule->now += 1000000)
        (void)schedule_client(schedule, &s->client, true, false);
    side_collect(s);
    if (s->served != 10)
        complain("%llu requests at a higher rate", (unsigned long long)s->served);
    atomic_store(&s->client.limits.rate, 0);
    side_send(s, 0);
    (void)schedule_client(schedule, &s->client, true, false);
    side_collect(s);
    if (s->served != 11)
        complain("%llu requests without a limit", (unsigned long long)s->served);
    tap(1, "a client above its rate waits");
    side_free(s);
}

static void test_private(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->client.lanes = schedule_lanes_new();
    s->request = sides_far(HR_SHA256, 1000);
    side_fill(s);
    sides_turn(&s, 1);
    if (schedule->lanes->num_jobs + schedule->lanes->num_new)
        complain("its jobs are in the shared lanes");
    side_drain(s);
    side_collect(s);
    uint8_t want[32];
    hr_sha256(want, ring_window(s->client.requests, &s->client.geometry, 0) + 4096, 1000);
    if (side_ask(s, &done) || memcmp(done.bytes, want, 32))
        complain("%d", done.result);
    tap(1, "lanes of a client's own");
    schedule_lanes_free(s->client.lanes);
    side_free(s);
}

/* ---- refusals ---- */

static void test_policy(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->request = sides_inline_ctr();
    limits_set(&s->client.limits, HR_AES_128_CTR, false);
    if (side_ask(s, &done) != HR_EACCESS || done.len ||
        atomic_load(&s->client.counts.rejected) != 1)
        complain("%d", done.result);
    limits_set(&s->client.limits, HR_AES_128_CTR, true);
    if (side_ask(s, &done))
        complain("allowed again: %d", done.result);
    tap(1, "a row that the policy forbids, and allows again");
    side_free(s);
}

static void test_revoked(void)
{
    struct ring_completion done;
    struct side *s = side_new(1, LIMIT_WEIGHT);
    s->request = sides_inline_ctr();
    if (side_ask(s, &done))
        complain("%d", done.result);
    atomic_store(&s->client.revoked, true);
    if (side_ask(s, &done) != HR_EPENDING)
        complain("a revoked client is served");
    tap(1, "nothing of a revoked client is taken");
    side_free(s);
}

int main(void)
{
    schedule = schedule_new();
    if (!schedule) {
        printf("Bail out! no schedule\n");
        return 1;
    }
    schedule->by_table = true;
    for (size_t i = 0; i < ROW_NUMBERS; i++)
        cost_table.per_kib[0][i] = cost_table.per_kib[1][i] = 1024;
    const struct ring_request ctr = sides_inline_ctr(), far_ctr = sides_far(HR_AES_128_CTR, 4096);
    const struct ring_request mac = sides_far(HR_HMAC_SHA256, 256);
    test_shares("equal weights, equal requests", ctr, ctr, RINGS / 2, 100, 100);
    test_shares("one asks for long ones, and has all its rings full", far_ctr, ctr, RINGS, 100,
                100);
    test_shares("three times the weight", far_ctr, ctr, RINGS, 300, 100);
    test_shares("three times the weight, of the other", far_ctr, far_ctr, RINGS, 100, 300);
    test_shares("one in lanes, one not", mac, ctr, RINGS, 100, 100);
    test_short_one();
    test_users("a user's processes share its part", far_ctr);
    test_users("a user's processes share its part, with a request longer than a turn",
               sides_far(HR_AES_128_CTR, 12288));
    test_long();
    test_long_throttled();
    test_chain(true);
    test_chain(false);
    test_chain_clock();
    test_debt();
    test_debt_beside_lanes();
    test_rate();
    test_private();
    test_policy();
    test_revoked();
    shares_keys();
    schedule_free(schedule);
    return tap_done();
}
