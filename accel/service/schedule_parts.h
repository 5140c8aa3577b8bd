/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of the schedule share. */
#ifndef HR_SCHEDULE_PARTS_H
#define HR_SCHEDULE_PARTS_H

#include "../ticks.h"
#include "schedule.h"

enum {
    QUANTUM = 4000,     /* ns of a user's turn with LIMIT_WEIGHT, and about those of a piece */
    DEEP = 4 * QUANTUM, /* ns of a debt that is paid by the time that others work, not by turns */
    LONG = 2 * QUANTUM, /* ns from which on a job is computed in pieces */
    ALONE = 64,         /* turns without another user's requests after which debts do not count */
    TAKE_RUN = 8,       /* requests of one sub-ring before the next has its turn */
    LANED_BY = 8,       /* the gain by lanes that is expected before any was seen */
};

/* ---- schedule_share.c ---- */

/* share_begin gives a client with requests its credit; `again`: it had it before.  Returns false if
 * its user is in debt, or if others of the user's clients are first. */
bool share_begin(struct schedule *s, struct client *c, bool again);
/* share_end ends what share_begin began with true. */
void share_end(struct client *c);
/* share_note notes that a client wants the accelerator: it has requests, or had a job in the lanes.
 */
void share_note(struct schedule *s, const struct client *c);
/* share_left returns the credit that is left, in ns. */
static inline int64_t share_left(const struct client *c)
{
    const int64_t mine = c->share.credit, users = c->share.user->credit;
    return mine < users ? mine : users;
}
static inline void share_charge(struct client *c, int64_t ns)
{
    c->share.credit -= ns;
    c->share.user->credit -= ns;
}
/* share_charge_lanes charges a client for a job in lanes: at first its estimate, and when it has
 * ended, the difference to the time that it took. */
void share_charge_lanes(struct client *c, int64_t ns);
/* share_work charges a client for the time since the clock was read last; for tests by the table,
 * for `estimate`. */
void share_work(struct schedule *s, struct client *c, int64_t estimate);
/* share_earned returns what a debt shrinks by, for the time since the last call: the time that
 * others have worked, all less `own`; and four times that in which nobody has, so that little is
 * lost where the others want little. */
int64_t share_earned(const struct schedule *s, struct pace *pace, uint64_t own);
/* share_is_throttled tells whether a client is ahead of the rates that the policy sets. */
bool share_is_throttled(struct schedule *s, struct client *c);
void share_charge_rates(struct schedule *s, struct client *c, uint64_t num, uint64_t bytes);

/* ---- schedule.c ---- */

/* clock_step reads the clock into s->now and returns how much later it is, in ns. */
static inline int64_t clock_step(struct schedule *s)
{
    const uint64_t before = s->now;
    s->now = ticks_ns(ticks(), s->scale);
    return (int64_t)(s->now - before);
}

/* schedule_run runs a request's jobs up to one that waits: for lanes, or because it may take longer
 * than `longest` ns.  Then it returns false, else true. */
bool schedule_run(struct schedule *s, struct task *t, const struct view *window, uint64_t longest);
/* schedule_run_one runs a job; schedule_leave_key must follow when a job that waited has ended. */
void schedule_run_one(struct task *t);
static inline void schedule_leave_key(struct task *t)
{
    if (t->key_users)
        keytable_count(t->key_users, UINT32_MAX);
    t->key_users = NULL;
}
/* schedule_finish_waiting answers a request that waited. */
void schedule_finish_waiting(struct schedule *s, struct task *t);
/* schedule_count counts the tally.  After that a client that is being removed may be freed. */
void schedule_count(struct schedule *s);
static inline struct view schedule_window(const struct client *c, uint32_t ring)
{
    return (struct view){ ring_window(c->requests, &c->geometry, ring), c->geometry.window_len };
}

/* ---- schedule_wait.c ---- */

/* wait_put leaves a job for the client's turn, which computes it in pieces. */
void wait_put(struct task *t);
/* wait_go_on computes pieces of the client's long jobs while it has credit, and ends them at once
 * if it is revoked. */
void wait_go_on(struct schedule *s, struct client *c, bool revoked);

#endif
