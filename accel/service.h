/* SPDX-License-Identifier: Apache-2.0 */
/* What the service's threads share: the control thread makes clients and hands them to an
 * accelerator, a thread on a core of its own, which alone looks at their rings. */
#ifndef HR_SERVICE_H
#define HR_SERVICE_H

#include "keycache.h"
#include "keytable.h"
#include "request.h"
#include "ring.h"
#include "served.h"

/* One side of a sub-ring, in the service's own memory. */
struct sub_ring {
    uint32_t next;      /* number of the request that comes next */
    uint32_t completed; /* completions written */
};

/* What an accelerator keeps of a client from one look to the next. */
struct share {
    int64_t credit;          /* in the costs of serve.c; what is left of its turn */
    uint64_t requests_until; /* ns: by then the allowed rate has caught up */
    uint64_t bytes_until;
    uint64_t hot, seen;         /* sub-rings with requests of late */
    uint64_t answered;          /* sub-rings with completions since the last look who sleeps */
    uint32_t first;             /* sub-ring that is looked at first */
    uint32_t idle;              /* looks in vain */
    _Atomic uint32_t num_tasks; /* requests taken and not answered */
};

struct client {
    uint32_t number;
    struct ring_geometry geometry;
    void *requests, *completions; /* the two memories, mapped here */
    int doorbell;                 /* an eventfd; never read, for the client could make that block */
    int socket;
    struct sub_ring rings[RING_MAX_RINGS];
    struct share share;
    struct keycache *cache;
    struct lanes *lanes;           /* its own, or its accelerator's */
    struct limits limits;          /* the control thread writes */
    struct client_counts counts;   /* the accelerator writes */
    struct keytable *_Atomic keys; /* NULL while it has had none */
};

/* ---- attach.c ---- */

/* Makes the memories, maps and seals them; fds gets three descriptors for the client.  0, or
 * HR_ESYSTEM: nothing is left behind. */
int client_make(struct client *c, const struct ring_geometry *geometry, int fds[3]);
/* Of a client that has gone: nobody reads its memories any more. */
void client_wipe(struct client *c);
/* Unmaps.  A client that is only left may still be reading a completion. */
void client_free(struct client *c);

/* ---- accelerator.c ---- */

enum { ACCELERATOR_CLIENTS = 256 };

struct accelerator;
/* Starts a thread; cpu -1: not pinned.  NULL: errno says why. */
struct accelerator *accelerator_start(int cpu);
/* Ends the thread, which serves nobody any more. */
void accelerator_stop(struct accelerator *a);
/* HR_EBUFFER: it serves ACCELERATOR_CLIENTS already; HR_ESYSTEM. */
int accelerator_add(struct accelerator *a, struct client *c);
/* Returns when the thread will not touch the client any more. */
void accelerator_remove(struct accelerator *a, struct client *c);
/* Wakes the thread, where it sleeps: a key was removed. */
void accelerator_kick(struct accelerator *a);
struct accelerator_counts *accelerator_counts(struct accelerator *a);
uint64_t accelerator_asleep_ns(struct accelerator *a); /* with the sleep that goes on now */

#endif
