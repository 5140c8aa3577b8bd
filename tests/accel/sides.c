/* SPDX-License-Identifier: Apache-2.0 */
#include "sides.h"
#include "service/secrets.h"
#include <unistd.h>

struct schedule *schedule;

struct side *side_of(uint32_t uid, uint32_t num_rings, uint32_t weight)
{
    static uint32_t place;
    static const struct ring_geometry geometry = { RINGS, WINDOW };
    struct side *s = calloc(1, sizeof *s);
    int fds[3];
    if (!s || client_make(&s->client, &geometry, fds)) {
        printf("Bail out! no client\n");
        exit(1);
    }
    close(fds[0]);
    close(fds[1]);
    s->client.lanes = schedule->lanes;
    s->client.user = uid;
    schedule_join(schedule, &s->client, place++);
    s->num_rings = num_rings;
    atomic_store(&s->client.limits.weight, weight);
    for (unsigned alg = 0; alg < ROW_NUMBERS; alg++)
        limits_set(&s->client.limits, alg, true);
    struct ring_client_words *words = s->client.requests;
    atomic_store(&words->claimed, (UINT64_C(1) << num_rings) - 1);
    return s;
}

/* side_new makes a client of a user of its own. */
struct side *side_new(uint32_t num_rings, uint32_t weight)
{
    static uint32_t uid;
    return side_of(++uid, num_rings, weight);
}

void side_free(struct side *s)
{
    schedule_leave(&s->client);
    schedule_wake(schedule); /* after the turn, nothing refers to s */
    client_free(&s->client);
    free(s);
}

void side_send(struct side *s, uint32_t ring)
{
    struct ring_request *slot =
        &ring_requests(s->client.requests, ring)[s->sent[ring] % RING_DEPTH];
    memcpy(slot, &s->request, offsetof(struct ring_request, seq));
    memcpy(&slot->u, &s->request.u, sizeof slot->u);
    ring_publish(&slot->seq, ++s->sent[ring]);
}

void side_collect(struct side *s)
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

/* fill sends as many requests as the client's sub-rings hold. */
void side_fill(struct side *s)
{
    side_collect(s);
    for (uint32_t ring = 0; ring < s->num_rings; ring++)
        while (s->sent[ring] - s->got[ring] < RING_DEPTH)
            side_send(s, ring);
}

void sides_turn(struct side *const *sides, size_t num)
{
    static size_t first; /* the first one for which there was no room */
    const size_t begin = first < num ? first : 0;
    const bool again = schedule->short_of_room;
    schedule->turn++;
    schedule->short_of_room = schedule->others_wait = false;
    first = 0;
    for (size_t i = 0; i < num; i++) {
        const size_t k = (begin + i) % num;
        (void)schedule_client(schedule, &sides[k]->client, true, again && !i);
        if (schedule->short_of_room && !schedule->others_wait)
            first = k;
        schedule->others_wait = schedule->short_of_room;
    }
    schedule->now += 200;
    (void)schedule_lanes(schedule, schedule->lanes);
    for (size_t i = 0; i < num; i++)
        if (sides[i]->client.lanes != schedule->lanes)
            (void)schedule_lanes(schedule, sides[i]->client.lanes);
    schedule_wake(schedule);
}

void side_drain(struct side *s)
{
    for (int i = 0; i < 100000 && atomic_load(&s->client.share.num_tasks); i++)
        sides_turn(&s, 1);
    if (atomic_load(&s->client.share.num_tasks))
        complain("requests are left");
}

/* ask sends one request and returns its completion. */
int side_ask(struct side *s, struct ring_completion *done)
{
    const uint64_t before = s->served;
    side_send(s, 0);
    for (int i = 0; i < 1000 && s->served == before; i++) {
        sides_turn(&s, 1);
        side_collect(s);
    }
    if (s->served == before)
        return HR_EPENDING;
    *done = ring_completions(s->client.completions, 0)[(s->got[0] - 1) % RING_DEPTH];
    return done->result;
}

struct ring_request sides_inline_ctr(void)
{
    return (struct ring_request){ .alg = HR_AES_128_CTR, .key_len = 16, .iv_len = 16, .len = 16 };
}

struct ring_request sides_far(hr_alg alg, uint32_t len)
{
    struct ring_request q = { .alg = (uint16_t)alg, .flags = RING_FAR, .len = len };
    q.key_len = alg == HR_AES_128_CTR ? 16 : alg == HR_SHA256 ? 0 : HMAC_KEY;
    q.iv_len = alg == HR_AES_128_CTR ? 16 : 0;
    q.u.far.in = 4096;
    q.u.far.out = alg == HR_AES_128_CTR ? WINDOW / 2 : 0;
    return q;
}
