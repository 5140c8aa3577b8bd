/* SPDX-License-Identifier: Apache-2.0 */
/* What an accelerator's thread does with its clients' requests.  No other thread calls these.
 *
 * This is the unit of ciphers and hashes.  One of public keys, whose requests take a thousand times
 * as long, would have threads of its own: where run() puts a job into the lanes it would put one
 * into that unit's queue, an hr_queue like theirs, and serve_lanes would poll that one too. */
#ifndef HR_SERVE_H
#define HR_SERVE_H

#include "service.h"
#include <stdbool.h>

enum { MAX_TASKS = 256, NUM_SLABS = 4 };

/* A request that was taken. */
struct task {
    struct request request;
    struct client *client;
    uint32_t ring, slab;
    uint8_t *private; /* of the slab */
    size_t private_len;
    uint32_t *key_users;   /* of the key that its job uses */
    uint64_t bytes, taken; /* its data; ns */
    uint32_t batch;        /* how many were computed together */
};

/* Private memory for any one request at least, given back all at once when nobody uses any. */
struct slab {
    struct arena arena;
    uint32_t users;
};

/* A local queue and what goes into it next: jobs that share the lanes of vectors. */
struct lanes {
    struct hr_queue *queue;
    size_t memory_len;
    uint32_t num_jobs; /* in the queue */
    uint32_t last;     /* how many ended in the batch before */
    uint64_t grown;    /* ns: when the last came */
    uint32_t num_new;
    struct hr_job *new[MAX_TASKS];
};

/* Requests that were answered and are not counted yet; none at the end of a turn. */
struct tally {
    struct client *client;
    uint64_t taken, num, bytes;
    uint32_t batch, num_tasks; /* num_tasks: of its share, to be taken off */
};

struct server {
    uint64_t now, scale; /* ns, of the present turn; and ticks' */
    uint64_t turn;
    struct slab slabs[NUM_SLABS];
    uint32_t slab;
    uint32_t num_free;
    bool short_of_room;  /* a request was left where it is: no task or no memory was free */
    bool throttled;      /* or because of its client's rate */
    bool pending;        /* somebody has requests there who may be served now or soon */
    struct lanes *lanes; /* shared by clients */
    struct accelerator_counts counts;
    struct client *answered[ACCELERATOR_CLIENTS]; /* since the last look who sleeps */
    uint32_t num_answered;
    struct tally tally;
    bool laned[4096]; /* by number of an algorithm: its first operation has lanes */
    struct task *free[MAX_TASKS];
    struct task tasks[MAX_TASKS];
};

/* NULL: errno says why. */
struct server *server_new(void);
void server_free(struct server *s);
struct lanes *lanes_new(void);
void lanes_free(struct lanes *l);

/* A client's turn: takes requests, to the worth of its credit, and runs those that no lanes wait
 * for.  `whole`: looks at all its sub-rings, and not mainly where something was of late; `again`:
 * the turn goes on, and gets no new credit.  Returns how many were taken. */
uint32_t serve_client(struct server *s, struct client *c, bool whole, bool again);
/* Does some work on the lanes, unless more may come at once.  Returns how many requests ended. */
uint32_t serve_lanes(struct server *s, struct lanes *l);
/* Wakes threads of clients that sleep until what was answered. */
void serve_wake(struct server *s);

#endif
