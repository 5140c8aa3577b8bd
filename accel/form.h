/* SPDX-License-Identifier: Apache-2.0 */
/* A job as a request sees it.  A job is mostly like the one before it: what follows from its
 * numbers is judged once, by form.c, and kept as a shape; what is its own is judged here, for each:
 * its pointers, the length of its data, a handle. */
#ifndef HR_FORM_H
#define HR_FORM_H

#include "ring.h"
#include <headrace/accel.h>
#include <string.h>

/* Numbers of a job: alg to tag_len, iv_len and aad_len, key_len. */
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

/* What follows from them.  What the job's class does not use is 0. */
struct shape {
    struct numbers of;
    uint8_t plain; /* it was a request, without states, segments and others that follow it */
    uint8_t has_out, key_len, iv_len, tag_len, tag_in, tag_out, handle, states;
    uint32_t aad_len;
    uint32_t cut;        /* segments are of multiples of this; 0: there are none */
    uint32_t inline_end; /* shorter messages than this have room in a descriptor */
    uint64_t head;       /* of a request, but its key_slot and length */
};

/* Any job, its segments as one message. */
struct form {
    const struct hr_job *job;
    const struct shape *shape;
    size_t len;
    uint64_t number; /* of a key, as the service knows it */
};

/* ---- form.c ---- */

struct connection;
/* 0 where the job is no request: impossible, or the service cannot do it; then it runs here.
 * `shape` is zero, or what an earlier job left there, and stays the form's. */
int form_of(struct form *f, struct shape *shape, const struct hr_job *job,
            const struct connection *c);
int uses_handle(const struct hr_job *job); /* it, or one that follows it */

/* ---- what is each job's own ---- */

/* One that is plain, too. */
static inline int is_like_last(const struct shape *s, const struct hr_job *job)
{
    const struct numbers n = numbers_of(job);
    return LIKELY(s->plain &&
                  !((s->of.first ^ n.first) | (s->of.lengths ^ n.lengths) |
                    (s->of.key_len ^ n.key_len) | job->num_segments | (uintptr_t)job->state_in |
                    (uintptr_t)job->state_out | (uintptr_t)job->next));
}

static inline int has_pointers(const struct shape *s, const struct hr_job *job)
{
    return (job->key || !s->key_len) && (job->iv || !s->iv_len) && (job->tag || !s->tag_len) &&
           (job->aad || !s->aad_len);
}

/* Other than in place, or not at all. */
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
