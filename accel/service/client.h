/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all threads of the service.  The control thread makes clients and hands them to
 * an accelerator, a thread on a core of its own, which alone looks at their rings. */
#ifndef HR_CLIENT_H
#define HR_CLIENT_H

#include "../ring.h"
#include "counts.h"
#include "fault.h"
#include "keycache.h"
#include "keytable.h"
#include "limits.h"
#include "memory.h"
#include "request.h"
#include "slices.h"

/* The service's position in a sub-ring, in its own memory. */
struct ring_position {
    uint32_t next;      /* number of the request that comes next */
    uint32_t completed; /* completions written */
};

/* A pace is the clock, all work and the work of others when share_earned was called last, in ns. */
struct pace {
    uint64_t now, worked, others;
};

/* A user of an accelerator: its processes share what the user gets. */
struct user {
    uint32_t uid, num_clients; /* 0 clients: the place is free */
    uint32_t in_lanes;         /* its jobs in the lanes that clients share */
    uint32_t tasks;            /* its requests that were taken and wait */
    uint32_t private_tasks;    /* those of them that use private memory */
    int64_t credit;            /* the rest of its turn, in ns */
    uint64_t turn;             /* in which it had requests last */
    /* of its clients with requests, in the last turn and in this one: the sum of their weights, and
     * the greatest weight */
    uint32_t weights, next_weights, heaviest, next_heaviest;
    int64_t lanes;            /* its part of the lanes' time in the last turn, in ns */
    uint32_t resume;          /* clients before this place have had their part of the turn */
    uint32_t highest;         /* the last place of a client with requests in this turn */
    uint32_t last_place;      /* the client that wanted the accelerator last, */
    uint64_t changed;         /* and the turn in which that was another one */
    uint64_t worked;          /* ns of work for it, ever; in lanes, what its jobs are charged */
    uint64_t worked_in;       /* the turn of the last of it outside of lanes */
    uint32_t weight_in_lanes; /* as the lanes count it */
    int64_t paid;             /* what its credit rose by in this turn, in ns */
    struct pace pace;
};

/* The state of a client that its accelerator keeps between turns. */
struct share {
    struct user *user;
    uint32_t place;          /* its number among the accelerator's clients */
    int64_t credit;          /* the rest of its turn, in ns */
    uint64_t requests_until; /* ns: when the allowed rate will have caught up */
    uint64_t bytes_until;
    uint64_t hot, seen;         /* bits of sub-rings that had requests recently */
    uint64_t answered;          /* bits of sub-rings with completions since schedule_wake */
    uint32_t first;             /* sub-ring that is looked at first */
    uint32_t idle;              /* consecutive looks that found no request */
    _Atomic uint32_t num_tasks; /* requests taken and not answered */
};

struct client {
    uint32_t number;
    struct ring_geometry geometry;
    void *requests, *completions; /* maps of the memories */
    _Atomic bool revoked; /* as `state` of the completions, which the service does not read */
    _Atomic bool held;    /* none of its requests are taken: it is about to be moved */
    struct memory memories[FAULT_MEMORIES];
    int fault;    /* their number in fault.h */
    int doorbell; /* an eventfd; never read, for a client could make a read block */
    int socket;
    struct ring_position rings[RING_MAX_RINGS];
    struct share share;
    struct keycache *cache;
    struct slices *slices;  /* its long job, behind the cache in the same memory */
    struct task *long_ones; /* requests whose jobs are long: that of the first is in `slices` */
    struct task *last_long_one;
    uint32_t user;               /* who shares time with other users: the user id, or its owner's */
    struct lanes *lanes;         /* its own, or its accelerator's */
    struct limits limits;        /* written by the control thread */
    struct client_counts counts; /* written by the accelerator */
    struct keytable *_Atomic keys; /* NULL until it has its first key */
    /* A client may be spread over several accelerators.  Each has a struct client of its own for
     * its part of the sub-rings; the memories and the keys are those of the first. */
    uint32_t part, num_parts;
    uint64_t mask; /* the sub-rings of this part */
    struct keytable *_Atomic *all_keys;
};

/* ---- client.c ---- */

/* client_make makes, maps and seals a client's memories; fds gets three descriptors for the client,
 * of which the caller closes the first two.  Returns 0, or HR_ESYSTEM and leaves nothing behind. */
int client_make(struct client *c, const struct ring_geometry *geometry, int fds[3]);
/* client_make_ring does the same without memory for secrets, for a ring that the unit serves. */
int client_make_ring(struct client *c, const struct ring_geometry *geometry, int fds[3]);
/* client_make_part makes part i of `num` of a client, and the client its part 0.  Returns NULL if
 * there is no memory.  client_free_part frees it when no accelerator has it. */
struct client *client_make_part(struct client *whole, uint32_t i, uint32_t num);
void client_free_part(struct client *part);
/* client_empty wipes the memories of a client that has gone and frees their pages, even if another
 * process still holds the memories. */
void client_empty(struct client *c);
/* client_retire frees all but the memories, for a client that may still read them. */
void client_retire(struct client *c);
/* client_free frees what there is, and leaves the memories as they are. */
void client_free(struct client *c);

/* ---- accelerator.c ---- */

enum { ACCELERATOR_CLIENTS = 256 };

struct accelerator;
/* accelerator_start starts a thread, bound to a CPU unless cpu is -1.  Returns NULL with errno on
 * failure. */
struct accelerator *accelerator_start(int cpu);
/* accelerator_stop ends the thread, which has no clients any more. */
void accelerator_stop(struct accelerator *a);
/* accelerator_add returns 0, HR_EBUFFER if it has ACCELERATOR_CLIENTS clients, or HR_ESYSTEM. */
int accelerator_add(struct accelerator *a, struct client *c);
/* accelerator_remove returns when the thread will not touch the client any more. */
void accelerator_remove(struct accelerator *a, struct client *c);
/* accelerator_move moves a client that `from` has to `to`.  Requests that were taken are answered
 * before, and the others stay in their ring.  Returns 0; HR_EBUFFER: there is no place, or those
 * requests take longer than wait_ms, and nothing has changed; HR_ESYSTEM: neither has the
 * client. */
int accelerator_move(struct accelerator *from, struct accelerator *to, struct client *c,
                     unsigned wait_ms);
/* accelerator_kick wakes the thread if it sleeps: after a key was removed, for example. */
void accelerator_kick(struct accelerator *a);
struct accelerator_counts *accelerator_counts(struct accelerator *a);
/* accelerator_asleep_ns returns how long the thread has slept, including the present sleep.  The
 * result never decreases: a clock that was read just before the thread fell asleep would otherwise
 * give less than the sum of the sleeps before.  Called by one thread. */
uint64_t accelerator_asleep_ns(struct accelerator *a);

#endif
