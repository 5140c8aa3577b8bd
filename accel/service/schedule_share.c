/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the accelerator's time, by deficit round robin (Shreedhar and Varghese, 1995) in two
 * levels.  A turn gives a user QUANTUM, in proportion to its weight, and the user's clients parts
 * of that.  Who has taken more is in debt, and waits for as many turns.
 *
 * Time is charged twice: first what the cost table says, so that nobody takes too much before the
 * clock has been read, then the difference to what the clock says. */
#include "schedule_parts.h"

enum {
    LONG_ALONE = 200000,  /* ns without another's requests, for deep debts */
    LANES_MOST = 1000000, /* ns of lanes that count for one turn; more is a preempted thread */
    BURST = 50000000,     /* ns that a client may be ahead of its rate */
    FASTEST_REQUEST = 20, /* ns; no request takes less */
    FASTEST_BYTES = 64,   /* in a ns; no algorithm takes more */
};

/* ---- users ---- */

static struct user *user_of(struct schedule *s, uint32_t uid)
{
    struct user *empty = NULL;
    for (uint32_t i = 0; i < ACCELERATOR_CLIENTS; i++) {
        struct user *u = &s->users[i];
        if (u->num_clients && u->uid == uid)
            return u;
        if (!u->num_clients)
            empty = u;
    }
    if (empty)
        *empty = (struct user){ .uid = uid };
    return empty; /* there are as many as clients */
}

void schedule_join(struct schedule *s, struct client *c, uint32_t place)
{
    c->share.user = user_of(s, c->user);
    c->share.user->num_clients++;
    c->share.place = place;
}

void schedule_leave(struct client *c)
{
    c->share.user->num_clients--;
}

/* ---- turns ---- */

static uint32_t weight_of(struct client *c)
{
    const uint32_t weight = atomic_load_explicit(&c->limits.weight, memory_order_relaxed);
    return weight ? weight : LIMIT_WEIGHT;
}

/* part_of returns the part of some time that belongs to a weight among others.  A turn in which
 * lanes have worked has been longer.  So that enough jobs come for the next one,
 * its users get parts of that time too, and a user's clients. */
static int64_t part_of(int64_t ns, uint32_t weight, uint32_t weights)
{
    return ns * weight / (weights > weight ? weights : weight);
}

static int64_t user_turn(const struct user *u)
{
    return (int64_t)QUANTUM * u->heaviest / LIMIT_WEIGHT + u->lanes;
}

/* client_turn returns the credit for a client's turn.  But for the lanes' time it may be as much as
 * its user's: then the next client begins the user's next turn. */
static int64_t client_turn(const struct user *u, uint32_t weight)
{
    return (int64_t)QUANTUM * weight / LIMIT_WEIGHT + part_of(u->lanes, weight, u->weights);
}

static void add_credit(int64_t *credit, int64_t more)
{
    *credit += more;
    if (*credit > more)
        *credit = more;
}

int64_t share_earned(const struct schedule *s, struct pace *pace, uint64_t own)
{
    struct pace now = { s->now, s->worked, s->worked - own };
    int64_t others = (int64_t)(now.others - pace->others);
    const int64_t idle = (int64_t)(now.now - pace->now) - (int64_t)(now.worked - pace->worked);
    if (others < 0) { /* its jobs in lanes were charged before they ran */
        now.others = pace->others;
        others = 0;
    }
    *pace = now;
    return others + (idle > 0 ? 4 * idle : 0);
}

void share_charge_lanes(struct client *c, int64_t ns)
{
    c->share.user->worked += (uint64_t)ns;
    share_charge(c, ns);
}

void share_work(struct schedule *s, struct client *c, int64_t estimate)
{
    const int64_t ns = clock_step(s);
    struct user *u = c->share.user;
    s->worked += (uint64_t)ns;
    u->worked += (uint64_t)ns;
    if (u->worked_in != s->turn)
        s->next_beside_lanes += u->heaviest;
    u->worked_in = s->turn;
    share_charge(c, s->by_table ? estimate : ns);
}

/* pay raises a user's credit for a turn. */
static void pay(const struct schedule *s, struct user *u)
{
    const int64_t turn = user_turn(u), earned = share_earned(s, &u->pace, u->worked);
    u->paid = u->credit < -DEEP && earned < turn && !s->by_table ? earned : turn;
    add_credit(&u->credit, u->paid);
}

/* note_turn begins to count for a turn.  The lanes' time of turns in which nobody had requests is
 * no part of it, nor that in which the system took the thread's CPU away. */
static void note_turn(struct schedule *s)
{
    if (s->counted_turn == s->turn)
        return;
    const bool is_next = s->counted_turn + 1 == s->turn && !s->by_table;
    s->counted_turn = s->turn;
    s->lanes_ns = !is_next ? 0 : s->next_lanes_ns < LANES_MOST ? s->next_lanes_ns : LANES_MOST;
    s->weights = s->next_weights;
    s->beside_lanes = s->next_beside_lanes;
    s->next_lanes_ns = s->next_weights = s->next_beside_lanes = 0;
}

/* note_user gives a user its credit when the first of its clients with requests has a turn. */
static void note_user(struct schedule *s, struct user *u, uint32_t weight, bool again)
{
    note_turn(s);
    if (u->turn == s->turn)
        return;
    u->turn = s->turn;
    u->weights = u->next_weights;
    u->heaviest = u->next_heaviest > weight ? u->next_heaviest : weight;
    s->next_weights += u->heaviest;
    u->lanes = part_of((int64_t)s->lanes_ns, u->heaviest, s->weights);
    if (u->credit > 0 || u->resume > u->highest)
        u->resume = 0; /* in the last turn all its clients had their part */
    u->next_weights = u->next_heaviest = u->highest = 0;
    u->paid = 0;
    if (!again)
        pay(s, u);
}

void share_note(struct schedule *s, const struct client *c)
{
    struct user *u = c->share.user;
    if (s->last_user != u) {
        s->last_user = u;
        s->changed = s->turn;
        s->changed_ns = s->now;
    }
    if (u->last_place != c->share.place) {
        u->last_place = c->share.place;
        u->changed = s->turn;
    }
}

/* forgive forgets the debts of a user, and of a client, that nobody else has waited for lately. */
static void forgive(const struct schedule *s, struct client *c, int64_t turn)
{
    struct user *u = c->share.user;
    if (s->turn - s->changed <= ALONE || (u->credit < -DEEP && s->now - s->changed_ns < LONG_ALONE))
        return;
    u->credit = u->credit < 0 ? user_turn(u) : u->credit;
    if (s->turn - u->changed > ALONE && c->share.credit < 0)
        c->share.credit = turn;
}

bool share_begin(struct schedule *s, struct client *c, bool again)
{
    struct user *u = c->share.user;
    const uint32_t weight = weight_of(c), place = c->share.place;
    note_user(s, u, weight, again);
    u->next_weights += weight;
    u->next_heaviest = weight > u->next_heaviest ? weight : u->next_heaviest;
    u->highest = place > u->highest ? place : u->highest;
    share_note(s, c);
    const int64_t turn = client_turn(u, weight);
    forgive(s, c, turn);
    if (u->credit <= 0 && c->share.credit < 0) /* both pay for what it took: at the same time */
        add_credit(&c->share.credit, part_of(u->paid, weight, u->weights));
    if (u->credit <= 0 || place < u->resume)
        return false;
    if (!again)
        add_credit(&c->share.credit, turn);
    return true;
}

void share_end(struct client *c)
{
    struct user *u = c->share.user;
    if (u->credit <= 0)
        u->resume = c->share.place + (c->share.credit <= 0);
}

/* ---- rates ---- */

/* over tells whether a client is ahead of its rate.  It limits the debt to what a turn takes at
 * most, because the debt may be from before a reload that raised the rate. */
static bool over(uint64_t rate, uint64_t *until, uint64_t most, uint64_t now)
{
    if (!rate || *until <= now + BURST)
        return false;
    const unsigned __int128 longest = BURST + (unsigned __int128)most * 1000000000 / rate;
    if (*until - now > longest)
        *until = now + (uint64_t)longest;
    return *until > now + BURST;
}

bool share_is_throttled(struct schedule *s, struct client *c)
{
    const uint64_t rate = atomic_load_explicit(&c->limits.rate, memory_order_relaxed);
    const uint64_t bytes = atomic_load_explicit(&c->limits.bytes, memory_order_relaxed);
    const uint64_t ns = (uint64_t)user_turn(c->share.user);
    const bool wait =
        over(rate, &c->share.requests_until, ns / FASTEST_REQUEST + TAKE_RUN, s->now) ||
        over(bytes, &c->share.bytes_until, ns * FASTEST_BYTES + RING_MAX_BYTES, s->now);
    s->throttled |= wait;
    return wait;
}

static void charge_rate(uint64_t *until, uint64_t rate, uint64_t n, uint64_t now)
{
    if (rate)
        *until =
            (*until > now ? *until : now) + (uint64_t)((unsigned __int128)n * 1000000000 / rate);
}

void share_charge_rates(struct schedule *s, struct client *c, uint64_t num, uint64_t bytes)
{
    const uint64_t rate = atomic_load_explicit(&c->limits.rate, memory_order_relaxed);
    const uint64_t bytes_rate = atomic_load_explicit(&c->limits.bytes, memory_order_relaxed);
    charge_rate(&c->share.requests_until, rate, num, s->now);
    charge_rate(&c->share.bytes_until, bytes_rate, bytes, s->now);
}
