/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a job before it becomes a request.  Most jobs are like the one before, so form.c
 * checks a job's numbers once and keeps the results as a shape.  The functions here check the
 * properties that differ from job to job: pointers, the length of the data, a handle. */
#ifndef HR_FORM_H
#define HR_FORM_H

#include "../ring.h"
#include <headrace/accel.h>
#include <string.h>

/* The numbers of a job: its members alg to tag_len, iv_len and aad_len, and key_len. */
struct numbers {
    uint64_t first, lengths;
    uint32_t key_len;
};
_Static_assert(offsetof(struct hr_job, alg) == 0 && offsetof(struct hr_job, op) < 8 &&
                   offsetof(struct hr_job, key_form) < 8 && offsetof(struct hr_job, tag_len) < 8 &&
                   offsetof(struct hr_job, result) == 8 &&
                   offsetof(struct hr_job, aad_len) == offsetof(struct hr_job, iv_len) + 4,
               "as numbers_of reads them");

static inline struct numbers numbers_of(const struct hr_job *job)
{
    struct numbers n = { .key_len = job->key_len };
    memcpy(&n.first, job, sizeof n.first);
    memcpy(&n.lengths, &job->iv_len, sizeof n.lengths);
    return n;
}

/* The properties that follow from a job's numbers.  Those that its class does not use are 0. */
struct shape {
    struct numbers of;
    uint8_t plain; /* the numbers are right; no states, no segments, no next job */
    uint8_t has_out, key_len, iv_len, tag_len, tag_in, tag_out, handle, states;
    uint8_t has_states; /* the message may come in several jobs */
    uint8_t has_parts;  /* it may come in segments */
    uint32_t aad_len;
    uint32_t inline_end; /* shorter messages than this have room in a descriptor */
    uint64_t head;       /* of a request; its key_slot is 0 */
};

/* A job and the results of its check.  Its segments count as one message. */
struct form {
    const struct hr_job *job;
    const struct shape *shape;
    size_t len;
    uint64_t number;    /* the service's number of the key */
    uint8_t is_request; /* 0: the job is impossible, or the service cannot do it; it runs here */
    uint8_t handle;     /* the key of the job, or of a later one in its chain, is a handle */
};

/* ---- form.c ---- */

struct connection;
/* form_of checks a job, but no later one in its chain.  `shape` is zero, or the shape of an earlier
 * job; the form points to it. */
void form_of(struct form *f, struct shape *shape, const struct hr_job *job,
             const struct connection *c);

/* ---- checks of each job ---- */

/* is_like_last tells whether a job, and the shape's job, are plain and have equal numbers. */
static inline int is_like_last(const struct shape *s, const struct hr_job *job)
{
    const struct numbers n = numbers_of(job);
    return LIKELY(s->plain &&
                  !((s->of.first ^ n.first) | (s->of.lengths ^ n.lengths) |
                    (s->of.key_len ^ n.key_len) | job->num_segments | (uintptr_t)job->state_in |
                    (uintptr_t)job->state_out | (uintptr_t)job->next));
}

/* has_handle tells whether the key of a job, or of a later one in its chain, is a handle. */
static inline uint8_t has_handle(const struct hr_job *job)
{
    while (job->key_form != HR_KEY_HANDLE && job->next)
        job = job->next;
    return job->key_form == HR_KEY_HANDLE;
}

static inline int has_pointers(const struct shape *s, const struct hr_job *job)
{
    return (job->key || !s->key_len) && (job->iv || !s->iv_len) && (job->tag || !s->tag_len) &&
           (job->aad || !s->aad_len);
}

/* overlaps tells whether input and output overlap without being in place. */
static inline int overlaps(const struct hr_job *job)
{
    const uintptr_t in = (uintptr_t)job->in, out = (uintptr_t)job->out;
    return in != out && in < out + job->len && out < in + job->len;
}

static inline int has_message(const struct shape *s, const struct hr_job *job)
{
    return !job->len ||
           (job->len <= UINT32_MAX && job->in && (!s->has_out || (job->out && !overlaps(job))));
}

#endif
