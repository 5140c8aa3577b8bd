/* SPDX-License-Identifier: Apache-2.0 */
/* The queue that threads share for which no sub-ring is left (share.c). */
#ifndef HR_CLIENT_SHARE_H
#define HR_CLIENT_SHARE_H

#include "internal.h"

/* subrings_kept returns how many sub-rings, the last ones, are for share.c alone: none if there is
 * one only. */
static inline uint32_t subrings_kept(const struct connection *c)
{
    return c->geometry.num_rings == 1 ? 0 : c->is_unit ? 2 : 1;
}

enum shared {
    SHARED_TAKEN, /* the host has the job */
    SHARED_FULL,  /* it has no room now */
    SHARED_HERE,  /* the service is no gain for the job */
    SHARED_NONE   /* there is no service */
};
/* share_give gives a job to the queue that threads share. */
enum shared share_give(struct accel_queue *q, struct hr_job *job);
/* share_collect takes jobs that came back, without waiting. */
size_t share_collect(struct accel_queue *q, struct hr_job **done, size_t max);
/* share_wait waits for a job of the queue to come back, or for two milliseconds at most. */
void share_wait(struct accel_queue *q);
/* share_leave ends the use of the shared queue; no job of q is in it. */
void share_leave(struct accel_queue *q);
void share_forget(void); /* in a forked child */

/* ---- queue.c, for share.c ---- */

/* queue_new makes a queue without a connection; NULL: no memory. */
struct accel_queue *queue_new(void);
void queue_free(struct accel_queue *q);
int queue_submit(struct accel_queue *q, struct hr_job *job); /* 1, or 0 if it is full */
/* queue_poll takes finished jobs, without waiting. */
int queue_poll(struct accel_queue *q, struct hr_job **done, size_t max);
/* queue_look_after takes the jobs of a queue back if the service went away. */
void queue_look_after(struct accel_queue *q);
/* queue_wants tells whether a job is to go to the service. */
int queue_wants(const struct accel_queue *q, const struct hr_job *job);

#endif
