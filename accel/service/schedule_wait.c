/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that do not run when their request is taken: those that wait for lanes, and long ones, which
 * are computed in pieces.  The time of a poll of the lanes is charged to the clients whose jobs
 * end, by the estimates of what these cost. */
#include "schedule_parts.h"

enum {
    SHORT = 1000, /* ns of a job that may run among those that end in the lanes */
    MOST_RATE =
        4 << 20,    /* what the accelerator believes of lanes that are slower than single jobs */
    PATIENCE = 100, /* ns without a new job before lanes that are not full begin */
    FULL = 64,      /* jobs from which on lanes run until there are fewer */
    ENOUGH = 16,    /* jobs from which on lanes run without PATIENCE */
};

/* ---- long jobs ---- */

/* begin_first begins the first of the client's long ones, if there is one. */
static void begin_first(struct client *c)
{
    if (!c->long_ones)
        return;
    struct hr_job *job = &c->long_ones->request.job;
    const uint32_t per_kib = cost_table.per_kib[job->op][job->alg % ROW_NUMBERS];
    slices_begin(c->slices, job, ((size_t)QUANTUM << 10) / (per_kib ? per_kib : 1));
}

void wait_put(struct task *t)
{
    struct client *c = t->client;
    t->next = NULL;
    if (c->long_ones) {
        c->last_long_one->next = t;
        c->last_long_one = t;
    } else {
        c->long_ones = c->last_long_one = t;
        begin_first(c);
    }
}

static struct task *take_long(struct client *c)
{
    struct task *t = c->long_ones;
    c->long_ones = t->next;
    begin_first(c);
    return t;
}

/* go_on continues a request after its job ended in the lanes, or as a long one, with jobs that take
 * `longest` ns each. */
static void go_on(struct schedule *s, struct task *t, uint64_t longest)
{
    const struct view window = schedule_window(t->client, t->ring);
    s->taken.lanes = 0;
    if (!request_step(&t->request, &window) || schedule_run(s, t, &window, longest))
        schedule_finish_waiting(s, t);
    else
        share_charge_lanes(t->client, s->taken.lanes);
}

void wait_go_on(struct schedule *s, struct client *c, bool revoked)
{
    while (c->long_ones && (revoked || share_left(c) > 0)) {
        bool ended = revoked;
        if (revoked) {
            slices_drop(c->slices);
            c->long_ones->request.job.result = HR_EGONE;
        } else {
            ended = slices_step(c->slices);
        }
        if (ended) {
            struct task *t = take_long(c);
            schedule_leave_key(t);
            go_on(s, t, LONG);
        }
        share_work(s, c, QUANTUM);
        schedule_count(s);
    }
}

/* ---- lanes ---- */

/* spend notes the time since the clock was read last as time of the lanes. */
static void spend(struct schedule *s, struct lanes *l)
{
    const int64_t ns = clock_step(s);
    l->spent += (uint64_t)ns;
    l->worked += (uint64_t)ns;
    s->worked += (uint64_t)ns;
    s->next_lanes_ns += (uint64_t)ns;
    l->credit -= ns;
}

/* rate_of returns what lanes have taken for each ns of the estimate of their jobs, times 2^20, and
 * lets the next jobs be charged at about that rate. */
static uint64_t rate_of(const struct schedule *s, struct lanes *l)
{
    const uint64_t most = UINT64_C(1) << 43; /* ns: two hours */
    const uint64_t rate = ((l->spent < most ? l->spent : most) << 20) / l->cost;
    if (!s->by_table)
        l->rate += (rate < MOST_RATE ? rate : MOST_RATE) / 8 - l->rate / 8;
    return rate;
}

/* The jobs of a client that have ended in the lanes and are not paid for yet. */
struct bill {
    struct client *client; /* NULL: none */
    uint64_t cost;
    int64_t charged;
    uint32_t num_jobs;
};

/* pay charges a client for its part of the time that has been spent, instead of the estimates. */
static void pay(struct schedule *s, struct lanes *l, struct bill *b, uint64_t rate)
{
    const uint64_t part = b->cost * rate >> 20;
    struct client *c = b->client;
    if (!c)
        return;
    struct user *u = c->share.user;
    l->spent -= part < l->spent ? part : l->spent;
    l->cost -= b->cost;
    if (l == s->lanes && !(u->in_lanes -= b->num_jobs))
        l->weights -= u->weight_in_lanes;
    share_note(s, c);
    if (!s->by_table)
        share_charge_lanes(c, (int64_t)part - b->charged);
    *b = (struct bill){ .client = NULL };
}

static void add_to_bill(struct bill *b, const struct task *t)
{
    b->client = t->client;
    b->cost += COST_REQUEST + t->cost;
    b->charged += t->charged;
    b->num_jobs++;
}

/* leave_lanes goes on with a request whose job has ended in the lanes.  What follows in its chain
 * is the client's own time, and waits for the client's turn if it is not short. */
static void leave_lanes(struct schedule *s, struct task *t)
{
    struct client *c = t->client; /* stays until schedule_count */
    if (LIKELY(t->request.num_links == 1)) {
        go_on(s, t, LONG);
        return;
    }
    (void)clock_step(s);
    go_on(s, t, SHORT);
    share_work(s, c, COST_REQUEST);
}

/* run_alone runs a single job without lanes. */
static void run_alone(struct schedule *s, struct lanes *l, struct task *t)
{
    schedule_run_one(t);
    t->batch = 1;
    spend(s, l);
    struct bill bill = { .client = NULL };
    add_to_bill(&bill, t);
    pay(s, l, &bill, rate_of(s, l));
    leave_lanes(s, t);
    schedule_count(s);
}

static void submit(struct lanes *l)
{
    const int n = hr_queue_submit(l->queue, l->new, l->num_new);
    l->num_jobs += (uint32_t)n; /* all: the queue holds MAX_TASKS */
    l->num_new = 0;
}

/* poll does some work on the lanes, and goes on with the requests whose jobs ended. */
static uint32_t poll(struct schedule *s, struct lanes *l)
{
    struct hr_job *done[64];
    const uint32_t together = l->num_jobs;
    const int n = hr_queue_poll(l->queue, done, 64, 0);
    spend(s, l);
    if (n <= 0)
        return 0;
    const uint64_t rate = rate_of(s, l);
    struct bill bill = { .client = NULL };
    l->num_jobs -= (uint32_t)n;
    l->last = together;
    for (int i = 0; i < n; i++) {
        struct task *t = done[i]->user;
        t->batch = together;
        schedule_leave_key(t);
        if (bill.client != t->client) /* which may be freed when its last request is counted */
            pay(s, l, &bill, rate);
        add_to_bill(&bill, t);
        leave_lanes(s, t);
    }
    pay(s, l, &bill, rate);
    schedule_count(s);
    return (uint32_t)n;
}

/* is_paced tells whether lanes wait, because they have had their part of the accelerator's time and
 * other users want theirs: they get as much time as the others take, by the weights of both, up to
 * a turn of each user. */
static bool is_paced(const struct schedule *s, struct lanes *l)
{
    const int64_t weights = l->weights ? l->weights : LIMIT_WEIGHT;
    const int64_t turn = QUANTUM * weights / LIMIT_WEIGHT;
    const uint64_t before = l->pace.others;
    int64_t earned = share_earned(s, &l->pace, l->worked);
    if (s->beside_lanes)
        earned = earned * weights / s->beside_lanes;
    l->beside = l->pace.others != before ? s->turn : l->beside;
    l->credit += earned < turn ? earned : turn;
    if (l->credit > turn || s->turn - l->beside > ALONE)
        l->credit = turn;
    return l->credit <= 0;
}

/* Jobs beyond FULL run now, so that clients that use lanes have as much of a turn as others; but
 * not longer than QUANTUM, so that others do not wait. */
uint32_t schedule_lanes(struct schedule *s, struct lanes *l)
{
    uint32_t n = 0;
    if (!l->num_jobs && l->num_new == 1 && l->last <= 1) {
        struct task *t = l->new[0]->user;
        if (t->cost <= LONG) {
            l->num_new = 0;
            run_alone(s, l, t);
            return 1;
        }
    }
    if (l->num_new)
        submit(l);
    if (!l->num_jobs || (l->num_jobs < ENOUGH && l->last > 1 && s->now - l->grown < PATIENCE))
        return 0;
    if (is_paced(s, l) && !s->by_table)
        return 0;
    (void)clock_step(s); /* the time before is not the lanes' */
    do
        n += poll(s, l);
    while (l->num_jobs >= FULL && (s->by_table || l->credit > 0));
    return n;
}
