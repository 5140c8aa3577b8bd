/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator's thread takes, computes and answers requests with these functions.  No other
 * thread calls them.
 *
 * This is the unit for ciphers and hashes.  That for public keys, whose requests take a thousand
 * times as long, has threads of its own (unit/unit.h). */
#ifndef HR_SCHEDULE_H
#define HR_SCHEDULE_H

#include "client.h"
#include "cost.h"
#include <stdbool.h>

/* A user alone has four fifths of the tasks: as many as the widest lanes of most CPUs. */
enum { MAX_TASKS = 320, NUM_SLABS = 4 };

/* A request that was taken. */
struct task {
    struct request request;
    struct client *client;
    uint32_t ring, slab;
    uint8_t *private; /* its part of the slab */
    size_t private_len;
    _Atomic uint32_t *key_users; /* count of users of the key that its job uses */
    uint64_t bytes, taken;       /* length of its data; when it was taken, in ns */
    uint32_t batch;              /* number of requests that were computed together */
    uint64_t cost;     /* estimate of its job, or of all its jobs, computed alone, in ns */
    int64_t charged;   /* for its job in lanes, in ns */
    struct task *next; /* in the list of a client's long ones */
};

/* Private memory for at least one request.  All of it becomes free when it has no users. */
struct slab {
    struct arena arena;
    uint32_t users;
};

/* A local queue, whose jobs share the lanes of kernels, and the jobs that go into it next. */
struct lanes {
    struct hr_queue *queue;
    size_t memory_len;
    uint32_t num_jobs; /* in the queue */
    uint32_t last;     /* in the queue at the last poll that finished any */
    uint64_t grown;    /* ns: when the last job came */
    uint64_t cost;     /* of the jobs in the queue, estimated */
    uint64_t spent;    /* ns of work that no client has been charged for yet */
    uint64_t rate;     /* ns for a ns of these estimates, times 2^20, lately */
    int64_t credit;    /* the rest of their part of the time, in ns */
    uint64_t worked;   /* ns, ever */
    struct pace pace;
    uint64_t beside;  /* the turn in which others worked last */
    uint32_t weights; /* sum of those of users with jobs in the queue; 0: a client's own lanes */
    uint32_t num_new;
    struct hr_job *new[MAX_TASKS];
};

/* Requests that were answered and are not counted yet; none at the end of a turn. */
struct tally {
    struct client *client;
    uint64_t taken, bytes;
    uint32_t num, batch;
};

struct schedule {
    uint64_t now, scale; /* time of the present turn in ns; ticks_scale() */
    uint64_t turn;
    uint64_t worked; /* ns of work for requests, ever */
    struct slab slabs[NUM_SLABS];
    uint32_t slab;
    uint32_t num_free;
    bool short_of_room; /* a request was left where it is: no task or no memory was free */
    bool others_wait;   /* another client waits for room */
    bool throttled;     /* a request was left because of its client's rate */
    bool pending;       /* a client has requests that may be served now or soon */
    struct {
        uint64_t bytes; /* of the requests that have just been taken, */
        uint64_t bytes_waiting;
        uint32_t waiting; /* and how many of them wait */
        int64_t cost;     /* of those of them that ran at once, in ns, estimated, */
        int64_t lanes;    /* and what those in lanes are charged */
    } taken;
    bool by_table;       /* for tests: requests cost what the table says, whatever the clock says */
    struct lanes *lanes; /* shared by clients */
    struct user users[ACCELERATOR_CLIENTS];
    const struct user *last_user; /* that wanted the accelerator, */
    /* the lanes' time in ns, and the sum of the weights of users with requests: in the turn before
     * the one in which a user had requests last, and in that one */
    uint64_t lanes_ns, next_lanes_ns, counted_turn;
    uint32_t weights, next_weights;
    uint32_t beside_lanes, next_beside_lanes; /* of users for whom work was done outside of lanes */
    uint64_t changed, changed_ns; /* and the turn, and the time, in which that was another one */
    struct accelerator_counts counts;
    struct client *answered[ACCELERATOR_CLIENTS]; /* clients with answers since schedule_wake */
    uint32_t num_answered;
    struct tally tally;
    bool laned[ROW_NUMBERS]; /* by number of an algorithm: its first operation has lanes */
    struct task *free[MAX_TASKS];
    struct task tasks[MAX_TASKS];
};

/* schedule_new returns NULL with errno on failure. */
struct schedule *schedule_new(void);
void schedule_free(struct schedule *s);
struct lanes *schedule_lanes_new(void);
void schedule_lanes_free(struct lanes *l);

/* schedule_join counts a client, with its place among the accelerator's clients, to its user, and
 * schedule_leave no more.  The control thread calls them, for a client that the accelerator does
 * not have. */
void schedule_join(struct schedule *s, struct client *c, uint32_t place);
void schedule_leave(struct client *c);

/* schedule_client gives a client its turn: it takes requests for as much as its credit is worth,
 * and runs those that do not wait for lanes.  `whole`: it looks at all sub-rings, not mainly at
 * those that had requests recently.  `again`: the turn goes on, without new credit.  Returns the
 * number of requests taken, or 1 if none was because the client is in debt. */
uint32_t schedule_client(struct schedule *s, struct client *c, bool whole, bool again);
/* schedule_lanes does some work on the lanes, unless more jobs are likely to come soon.  Returns
 * the number of jobs that ended. */
uint32_t schedule_lanes(struct schedule *s, struct lanes *l);
/* schedule_wake wakes the clients' threads that sleep and have answers now. */
void schedule_wake(struct schedule *s);

#endif
