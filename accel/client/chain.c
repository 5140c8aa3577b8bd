/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes a chain: jobs that run one after the other in one request.  A later job may read the
 * output of an earlier one, alone or with bytes around it: a MAC over a header and the ciphertext,
 * say.  So ranges of the caller's memory that overlap keep their distances in the window: an extent
 * is the union of such ranges.  If a job is in place, its input or its output must lie outside the
 * extents, because a request may not write memory that it reads. */
#include "internal.h"
#include <string.h>

enum { MAX_RANGES = 4 * RING_MAX_CHAIN };

enum role { ROLE_IN, ROLE_AAD, ROLE_TAG, ROLE_OUT, NUM_ROLES };

struct range {
    const uint8_t *bytes;
    size_t len;
    uint8_t job, role, writes;
    uint8_t alone; /* has a place of its own, outside the extents */
    uint32_t at;
};

/* struct layout fills a block from its start.  With base NULL it only counts the length. */
struct layout {
    uint8_t *base;
    uint32_t at;
};

struct chain {
    struct form forms[RING_MAX_CHAIN];
    struct shape shapes[RING_MAX_CHAIN];
    size_t num_jobs, num_ranges;
    struct range ranges[MAX_RANGES];
};

static uint32_t layout_put(struct layout *l, const void *bytes, size_t len)
{
    const uint32_t at = l->at;
    if (l->base && bytes && len)
        memcpy(l->base + at, bytes, len);
    l->at += (uint32_t)(len + 15) & ~15u;
    return at;
}

static int touch(const struct range *a, const void *bytes, size_t len)
{
    const uintptr_t x = (uintptr_t)a->bytes, y = (uintptr_t)bytes;
    return len && x < y + len && y < x + a->len;
}

static void add(struct chain *c, size_t job, enum role role, const void *bytes, size_t len,
                int writes)
{
    if (len)
        c->ranges[c->num_ranges++] = (struct range){ .bytes = bytes,
                                                     .len = len,
                                                     .job = (uint8_t)job,
                                                     .role = (uint8_t)role,
                                                     .writes = (uint8_t)writes,
                                                     .at = NOWHERE };
}

/* collect lists the ranges of all jobs in the order of the jobs and, for one job, of the roles.  It
 * returns 0 if the service cannot take the chain. */
static int collect(struct chain *c, const struct subring *s, const struct hr_job *job)
{
    size_t total = 0;
    for (; job; job = job->next) {
        if (c->num_jobs == RING_MAX_CHAIN)
            return 0;
        struct form *f = &c->forms[c->num_jobs];
        struct shape *shape = &c->shapes[c->num_jobs];
        form_of(f, shape, job, s->connection);
        if (!f->is_request || job->num_segments || job->state_in || job->state_out ||
            f->len > window_len(&s->window) || shape->aad_len > window_len(&s->window))
            return 0;
        total += f->len + shape->aad_len;
        add(c, c->num_jobs, ROLE_IN, job->in, f->len, 0);
        add(c, c->num_jobs, ROLE_AAD, job->aad, shape->aad_len, 0);
        add(c, c->num_jobs, ROLE_TAG, job->tag, shape->tag_len, !shape->tag_in);
        add(c, c->num_jobs, ROLE_OUT, job->out, shape->has_out ? f->len : 0, 1);
        c->num_jobs++;
    }
    return total <= window_len(&s->window);
}

static int in_place(const struct range *a, const struct range *b)
{
    return a->role == ROLE_IN && b->role == ROLE_OUT && a->bytes == b->bytes;
}

/* touched tells whether a job before that of range r writes into the range or, if `before` is 0,
 * whether a job after it has a range that overlaps. */
static int touched(const struct chain *c, const struct range *r, int before)
{
    for (size_t i = 0; i < c->num_ranges; i++) {
        const struct range *other = &c->ranges[i];
        if ((before ? other->job < r->job && other->writes : other->job > r->job) &&
            touch(other, r->bytes, r->len))
            return 1;
    }
    return 0;
}

/* separate takes a range of a job in place out of the extents: the input if no earlier job writes
 * it, or the output if no later job uses it.  It returns 0 if neither is possible. */
static int separate(const struct chain *c, struct range *in, struct range *out)
{
    if (!touched(c, in, 1))
        in->alone = 1;
    else if (!touched(c, out, 0))
        out->alone = 1;
    else
        return 0;
    return 1;
}

/* written tells whether a job writes into these bytes.  No job may write into a key or an IV,
 * because they are copied before the first job runs. */
static int written(const struct chain *c, const void *bytes, size_t len)
{
    for (size_t i = 0; i < c->num_ranges; i++)
        if (c->ranges[i].writes && touch(&c->ranges[i], bytes, len))
            return 1;
    return 0;
}

static int untangle(struct chain *c)
{
    for (size_t i = 0; i < c->num_jobs; i++)
        if (written(c, c->forms[i].job->key, c->shapes[i].key_len) ||
            written(c, c->forms[i].job->iv, c->shapes[i].iv_len))
            return 0;
    for (size_t i = 0; i < c->num_ranges; i++)
        for (size_t k = i + 1; k < c->num_ranges && c->ranges[k].job == c->ranges[i].job; k++) {
            struct range *a = &c->ranges[i], *b = &c->ranges[k];
            if ((!a->writes && !b->writes) || !touch(a, b->bytes, b->len))
                continue;
            if (!in_place(a, b) || !separate(c, a, b))
                return 0;
        }
    return 1;
}

static uintptr_t start_of(const struct range *r)
{
    return (uintptr_t)r->bytes;
}

/* sort lists the indices of the ranges in extents by address, and returns their number. */
static size_t sort(uint8_t order[MAX_RANGES], const struct chain *c)
{
    size_t num = 0;
    for (size_t i = 0; i < c->num_ranges; i++) {
        size_t at = num;
        if (c->ranges[i].alone)
            continue;
        for (; at && start_of(&c->ranges[order[at - 1]]) > start_of(&c->ranges[i]); at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
        num++;
    }
    return num;
}

static void lay_extents(struct chain *c, struct layout *l)
{
    uint8_t order[MAX_RANGES];
    const size_t num = sort(order, c);
    for (size_t i = 0; i < num;) {
        const uintptr_t start = start_of(&c->ranges[order[i]]);
        uintptr_t end = start;
        for (; i < num && (end == start || start_of(&c->ranges[order[i]]) < end); i++) {
            struct range *r = &c->ranges[order[i]];
            r->at = l->at + (uint32_t)(start_of(r) - start);
            if (start_of(r) + r->len > end)
                end = start_of(r) + r->len;
        }
        (void)layout_put(l, NULL, (size_t)(end - start));
    }
}

static void lay_ranges(struct chain *c, struct layout *l)
{
    lay_extents(c, l);
    for (size_t i = 0; i < c->num_ranges; i++) {
        struct range *r = &c->ranges[i];
        if (r->alone)
            r->at = layout_put(l, NULL, r->len);
        if (l->base && !r->writes)
            memcpy(l->base + r->at, r->bytes, r->len);
    }
}

static void lay(struct ring_request *r, struct pending *p, struct chain *c, struct layout *l)
{
    struct places at[RING_MAX_CHAIN];
    uint32_t next[RING_MAX_CHAIN + 1] = { 0 };
    for (size_t i = 0; i < c->num_jobs; i++) {
        const struct form *f = &c->forms[i];
        const struct shape *shape = f->shape;
        at[i] = (struct places){ NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
                                 NOWHERE, NOWHERE, NOWHERE, NOWHERE, NULL };
        if (shape->tag_len || shape->iv_len > 16 || i + 1 < c->num_jobs)
            at[i].more = layout_put(l, NULL, sizeof(struct ring_more));
        if (i)
            next[i] = layout_put(l, NULL, sizeof *r);
        if (shape->key_len)
            at[i].key = layout_put(l, f->job->key, shape->key_len);
        if (shape->iv_len > 16)
            at[i].iv = layout_put(l, f->job->iv, shape->iv_len);
        p->at[i] = (struct outputs){ NOWHERE, NOWHERE };
        p->tag_len[i] = shape->tag_out;
    }
    lay_ranges(c, l);
    for (size_t i = 0; i < c->num_ranges; i++) {
        const struct range *range = &c->ranges[i];
        struct places *place = &at[range->job];
        *(uint32_t *[NUM_ROLES]){ &place->in, &place->aad, &place->tag, &place->out }[range->role] =
            range->at;
        if (range->writes)
            *(range->role == ROLE_TAG ? &p->at[range->job].tag : &p->at[range->job].out) =
                range->at;
    }
    for (size_t i = 0; i < c->num_jobs; i++) {
        struct ring_request link = { 0 };
        at[i].next = next[i + 1] ? next[i + 1] : NOWHERE;
        encode_request(i ? &link : r, &c->forms[i], &at[i], l->base);
        if (i && l->base)
            memcpy(l->base + next[i], &link, sizeof link);
    }
}

enum encoded chain_encode(struct subring *s, struct ring_request *r, struct pending *p)
{
    struct window *w = &s->window;
    struct chain c = { .num_jobs = 0 };
    struct layout l = { NULL, 0 };
    if (!collect(&c, s, p->job) || !untangle(&c))
        return ENCODED_HERE;
    lay(r, p, &c, &l);
    if (l.at > window_len(w))
        return ENCODED_HERE;
    p->state = NOWHERE;
    p->far = 1;
    p->inline_len = 0;
    p->block_len = l.at;
    p->block = window_take(w, l.at);
    if (p->block == NOWHERE)
        return ENCODED_FULL;
    l = (struct layout){ w->base, p->block };
    lay(r, p, &c, &l);
    return ENCODED;
}
