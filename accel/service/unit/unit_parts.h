/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of the unit share.  The lock protects struct unit, and clients but
 * for their memories.  A struct unit_thread is its thread's own. */
#ifndef HR_UNIT_PARTS_H
#define HR_UNIT_PARTS_H

#include "../../ticks.h"
#include "unit.h"
#include <pthread.h>

enum {
    UNIT_WAITING = 512, /* requests that a thread chooses among */
    UNIT_WARM = 32,     /* clients that are told at once who sleeps */
};

/* A request that waits at the head of its sub-ring. */
struct unit_waiting {
    struct unit_client *client;
    uint32_t ring;
    struct ring_request q; /* a copy, which was judged */
    struct lent_key *key;
    struct unit_operation *operation;
    bool is_long;
};

/* A request of a batch. */
struct unit_task {
    struct unit_client *client;
    uint32_t ring;
    uint64_t charged; /* ns */
    struct pk_request *request;
};

struct unit_thread {
    struct unit *unit;
    pthread_t thread;
    int cpu; /* -1: any */
    uint32_t num;
    bool is_long;
    struct unit_operation *operation;
    uint64_t taken;                    /* ns */
    struct unit_task tasks[UNIT_MANY]; /* the batch; each always has its request */
    struct pk_request *requests;       /* UNIT_MANY, in memory of secrets.h */
    struct hr_queue *queue;
    void *queue_memory;
    size_t queue_len;
    uint64_t worked, spin, crowded, last; /* ns, of the thread's own */
    uint32_t load;                        /* requests of the operation that were there */
    uint32_t gathered;                    /* requests that waited before it let others run, or 0 */
    const struct unit_operation *gathers; /* of this operation */
    bool gathers_long;
    uint32_t vain, skip; /* see unit_gather.c */
};

struct unit {
    pthread_mutex_t lock;
    pthread_cond_t left; /* a client's last request is done */
    int epoll, kick;
    int nice;
    _Atomic uint32_t stop;
    uint32_t ready; /* threads that run */
    int error;      /* of a thread that could not be bound to its CPU, or 0 */
    uint64_t scale;
    uint32_t num_threads, most_long;
    uint32_t num_long;          /* threads that compute long operations */
    uint32_t looking, sleeping; /* threads that look at the rings now, and that sleep */
    uint32_t gathering;         /* threads that let others run before a batch of long operations */
    uint32_t asleep;            /* what the words of warm clients say */
    uint32_t next_warm;
    struct unit_client *warm[UNIT_WARM]; /* that had requests lately; NULL: none */
    bool throttled;                      /* a request was left because of its client's rate */
    struct unit_client *clients, *first; /* first: where the next look begins */
    uint32_t num_clients;
    struct unit_user *users;
    uint64_t virtual; /* the virtual time when the last batch began */
    uint32_t num_waiting;
    struct unit_waiting waiting[UNIT_WAITING];
    uint32_t num_keys;
    struct unit_counts counts;
    struct unit_thread threads[UNIT_THREADS];
};

static inline uint64_t unit_now(const struct unit *u)
{
    return ticks_ns(ticks(), u->scale);
}
static inline struct view unit_window(const struct unit_client *c, uint32_t ring)
{
    return (struct view){ ring_window(c->ring.requests, &c->ring.geometry, ring),
                          c->ring.geometry.window_len };
}

/* ---- unit_share.c ---- */

/* unit_share_join finds or makes the user of a client.  Returns 0 or HR_ESYSTEM. */
int unit_share_join(struct unit *u, struct unit_client *c, uint32_t uid);
void unit_share_leave(struct unit *u, struct unit_client *c);
void unit_share_end(struct unit *u); /* when there are no clients any more */
/* unit_share_before tells whether a client has had less than another: its user, then itself. */
bool unit_share_before(const struct unit_client *a, const struct unit_client *b);
/* unit_share_wake lets a client that has requests not claim the time in which it had none. */
void unit_share_wake(const struct unit *u, struct unit_client *c);
/* unit_share_first notes the virtual time when a batch begins: that of its first client. */
void unit_share_first(struct unit *u, const struct unit_client *c);
/* unit_share_take charges a client for a request that is taken. */
void unit_share_take(struct unit_client *c, uint64_t ns, uint64_t bytes, uint64_t now);
/* unit_share_done corrects that by the time that the request took. */
void unit_share_done(struct unit_client *c, uint64_t charged, uint64_t ns);
/* unit_share_throttled tells whether a client is ahead of the rates that the policy sets. */
bool unit_share_throttled(const struct unit_client *c, uint64_t now);

/* ---- unit_sleep.c ---- */

/* unit_say_asleep tells clients for which requests they have to ring.  It returns true if that may
 * concern requests which are there already: then the caller looks once more. */
bool unit_say_asleep(struct unit *u);
/* unit_warm notes that a client has requests, and unit_cool that it has none for now. */
void unit_warm(struct unit *u, struct unit_client *c);
void unit_cool(struct unit *u, struct unit_client *c);

/* ---- unit_gather.c ---- */

/* unit_gather_wants tells whether the thread should let others run before it takes a batch of the
 * operation of `w`, and then notes that it will. */
bool unit_gather_wants(struct unit_thread *t, const struct unit_waiting *w);
/* unit_gather lets others run.  It is called, and returns, with the lock. */
void unit_gather(struct unit *u, const struct unit_thread *t);
/* unit_gather_taken notes how many requests wait when the thread takes a batch of an operation. */
void unit_gather_taken(struct unit_thread *t, const struct unit_operation *o);

/* ---- unit_take.c ---- */

/* unit_take takes a batch, if requests wait that the thread may compute.  Returns their number, or
 * 0, too, if the thread is to gather more (t->gathered). */
uint32_t unit_take(struct unit *u, struct unit_thread *t);
/* unit_take_is_any tells whether requests wait that a thread may compute now. */
bool unit_take_is_any(struct unit *u);
/* unit_complete writes a completion. */
void unit_complete(struct unit_client *c, uint32_t ring, uint32_t number, int32_t result,
                   uint32_t len, uint32_t load);
/* unit_wake wakes the client's thread that sleeps for this sub-ring. */
void unit_wake(struct unit_client *c, uint32_t ring);

#endif
