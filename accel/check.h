/* SPDX-License-Identifier: Apache-2.0 */
/* Judging numbers that a client wrote: no memory but the arguments, which it cannot reach, and no
 * sum that can wrap, for all are of 32-bit numbers in 64 bits. */
#ifndef HR_CHECK_H
#define HR_CHECK_H

#include "ring.h"
#include <headrace/headrace.h>
#include <stdbool.h>

/* ---- what a class of algorithms has ---- */

struct rules {
    uint8_t ops; /* bit i: operation i of enum hr_job_op */
    bool keyed, iv, aad, out, tag, states, parts;
    bool copied; /* data is copied before it is worked on: see request.c */
    bool cipher; /* a message in one part is a call of hr_cipher_encrypt or hr_cipher_decrypt */
};

/* ---- places ---- */

struct span {
    uint64_t at, len;
};

static inline bool span_inside(struct span s, uint64_t size)
{
    return s.at <= size && s.len <= size - s.at;
}

static inline bool span_apart(struct span a, struct span b)
{
    return a.at + a.len <= b.at || b.at + b.len <= a.at;
}

/* All that a request touches in its window; nothing in it is empty. */
struct spans {
    uint32_t num_in, num_out;
    struct span in[RING_MAX_PARTS + 8], out[RING_MAX_PARTS + 2];
};

static inline void spans_in(struct spans *s, uint64_t at, uint64_t len)
{
    if (len)
        s->in[s->num_in++] = (struct span){ at, len };
}

static inline void spans_out(struct spans *s, uint64_t at, uint64_t len)
{
    if (len)
        s->out[s->num_out++] = (struct span){ at, len };
}

/* All inside, and no output on anything else. */
static inline int spans_check(const struct spans *s, uint64_t size)
{
    for (uint32_t i = 0; i < s->num_in; i++)
        if (!span_inside(s->in[i], size))
            return HR_EINVAL;
    for (uint32_t i = 0; i < s->num_out; i++)
        if (!span_inside(s->out[i], size))
            return HR_EINVAL;
    for (uint32_t i = 0; i < s->num_out; i++) {
        for (uint32_t j = 0; j < s->num_in; j++)
            if (!span_apart(s->out[i], s->in[j]))
                return HR_EOVERLAP;
        for (uint32_t j = 0; j < i; j++)
            if (!span_apart(s->out[i], s->out[j]))
                return HR_EOVERLAP;
    }
    return 0;
}

/* ---- a request ---- */

/* What follows from a request's numbers. */
struct plan {
    uint32_t tag_len; /* 0: neither in nor out */
    uint32_t returned;
    uint64_t tag_at;
    bool tag_is_input, tag_in_window; /* else an input is inline, an output in the completion */
};

static inline int check_flags(const struct ring_request *q, const struct rules *rules)
{
    if (q->flags & ~(RING_FAR | RING_HANDLE | RING_MORE) || q->op > 1 || !(rules->ops >> q->op & 1))
        return HR_EINVAL;
    if (q->flags & RING_MORE && !(q->flags & RING_FAR))
        return HR_EINVAL;
    if (!rules->keyed && (q->flags & RING_HANDLE || q->key_len))
        return HR_EINVAL;
    if ((q->flags & RING_HANDLE && q->key_len) || (!rules->iv && q->iv_len))
        return HR_EINVAL;
    return 0;
}

static inline int check_far(const struct ring_request *q, const struct rules *rules)
{
    const struct ring_far *far = &q->u.far;
    if ((!(q->flags & RING_HANDLE) && far->handle) || (!(q->flags & RING_MORE) && far->more))
        return HR_EINVAL;
    if (far->more % 8 || (!rules->aad && far->aad_len))
        return HR_EINVAL;
    return 0;
}

static inline int check_parts(const struct ring_request *q, const struct ring_more *more,
                              const struct rules *rules)
{
    uint64_t sum = 0;
    if (!more->num_parts)
        return 0;
    if (more->num_parts > RING_MAX_PARTS || !rules->parts || q->u.far.in || q->u.far.out)
        return HR_EINVAL;
    for (uint32_t i = 0; i < more->num_parts; i++) {
        if (!more->parts[i].len)
            return HR_ELENGTH;
        if (!rules->out && more->parts[i].out)
            return HR_EINVAL;
        sum += more->parts[i].len;
    }
    return sum == q->len ? 0 : HR_ELENGTH;
}

static inline int check_states(const struct ring_request *q, const struct ring_more *more,
                               const struct rules *rules)
{
    if (!more->state_in && !more->state_out)
        return more->state_in_len ? HR_EINVAL : 0;
    if (!rules->states)
        return HR_EINVAL;
    if (!more->state_in != !more->state_in_len || more->state_in_len > HR_DIGEST_MAX_EXPORT)
        return HR_EFORMAT;
    if (more->state_out && (q->tag_len || more->tag || q->op))
        return HR_EINVAL;
    return q->flags & RING_HANDLE ? HR_EHANDLE : 0; /* a state is as secret as its key */
}

/* `more` is a copy, of which the first num_parts parts are there, at most RING_MAX_PARTS. */
static inline int check_more(const struct ring_request *q, const struct ring_more *more,
                             const struct rules *rules)
{
    if (more->reserved || more->next % 8)
        return HR_EINVAL;
    if (!more->state_in && !more->state_out && !more->iv && !more->tag && !more->next &&
        !more->num_parts)
        return HR_EINVAL;
    if ((more->iv && !q->iv_len) || (more->tag && !rules->tag))
        return HR_EINVAL;
    const int error = check_parts(q, more, rules);
    return error ? error : check_states(q, more, rules);
}

/* Where the tag is and what the completion returns.  row_tag is the row's longest tag. */
static inline int plan_make(struct plan *plan, const struct ring_request *q,
                            const struct ring_more *more, const struct rules *rules,
                            uint32_t row_tag)
{
    const bool far = q->flags & RING_FAR;
    *plan = (struct plan){ 0 };
    if (q->tag_len > (rules->tag ? row_tag : 0))
        return rules->tag ? HR_ETAGLEN : HR_EINVAL;
    if (rules->tag && !(more && more->state_out))
        plan->tag_len = q->tag_len ? q->tag_len : row_tag;
    plan->tag_is_input = plan->tag_len && q->op;
    if (!far)
        plan->returned = (rules->out ? q->len : 0) + (plan->tag_is_input ? 0 : plan->tag_len);
    if (!far || !plan->tag_len)
        return 0;
    plan->tag_in_window = true;
    if (more && more->tag)
        plan->tag_at = more->tag;
    else if (more && more->num_parts && (plan->tag_is_input || plan->tag_len > RING_INLINE))
        return HR_EINVAL;
    else if (plan->tag_is_input)
        plan->tag_at = (uint64_t)q->u.far.in + q->len;
    else if (plan->tag_len > RING_INLINE)
        plan->tag_at = q->u.far.out;
    else {
        plan->tag_in_window = false;
        plan->returned = plan->tag_len;
    }
    return 0;
}

static inline int check_inline(const struct ring_request *q, const struct plan *plan)
{
    const uint64_t key_len = q->flags & RING_HANDLE ? 8 : q->key_len;
    const uint64_t tag_in = plan->tag_is_input ? plan->tag_len : 0;
    return key_len + q->iv_len + q->len + tag_in <= RING_INLINE ? 0 : HR_ELENGTH;
}

static inline void spans_of_more(struct spans *s, const struct ring_request *q,
                                 const struct ring_more *more, const struct rules *rules)
{
    spans_in(s, q->u.far.more, sizeof *more);
    spans_in(s, more->state_in, more->state_in_len);
    if (more->iv)
        spans_in(s, more->iv, q->iv_len);
    if (more->state_out)
        spans_out(s, more->state_out, HR_DIGEST_MAX_EXPORT);
    for (uint32_t i = 0; i < more->num_parts && i < RING_MAX_PARTS; i++) {
        spans_in(s, more->parts[i].in, more->parts[i].len);
        if (rules->out)
            spans_out(s, more->parts[i].out, more->parts[i].len);
    }
}

static inline bool span_fits(struct span s, uint64_t size)
{
    return !s.len || span_inside(s, size);
}

static inline bool span_touch(struct span a, struct span b)
{
    return a.len && b.len && !span_apart(a, b);
}

/* Of a far request without a struct ring_more: it has one output at most. */
static inline int check_few_places(const struct ring_request *q, const struct rules *rules,
                                   const struct plan *plan, uint64_t size)
{
    const struct ring_far *far = &q->u.far;
    const uint64_t tag_in = plan->tag_is_input ? plan->tag_len : 0;
    const uint64_t tag_out = plan->tag_in_window && !plan->tag_is_input ? plan->tag_len : 0;
    const struct span in = { far->in, q->len + tag_in }, aad = { far->aad, far->aad_len };
    const struct span key = { far->key, q->key_len };
    const struct span out = { far->out, rules->out ? q->len : tag_out };
    if (q->iv_len > sizeof far->iv)
        return HR_EIVLEN;
    if (!span_fits(in, size) || !span_fits(aad, size) || !span_fits(key, size) ||
        !span_fits(out, size))
        return HR_EINVAL;
    return span_touch(out, in) || span_touch(out, aad) || span_touch(out, key) ? HR_EOVERLAP : 0;
}

/* Of a far request. */
static inline int check_places(const struct ring_request *q, const struct ring_more *more,
                               const struct rules *rules, const struct plan *plan, uint64_t size)
{
    const struct ring_far *far = &q->u.far;
    struct spans s;
    s.num_in = s.num_out = 0;
    if (!more)
        return check_few_places(q, rules, plan, size);
    if (q->iv_len > sizeof far->iv && !more->iv)
        return HR_EIVLEN;
    spans_of_more(&s, q, more, rules);
    if (!more->num_parts) {
        spans_in(&s, far->in, q->len);
        if (rules->out)
            spans_out(&s, far->out, q->len);
    }
    spans_in(&s, far->aad, far->aad_len);
    spans_in(&s, far->key, q->key_len);
    if (plan->tag_in_window)
        (plan->tag_is_input ? spans_in : spans_out)(&s, plan->tag_at, plan->tag_len);
    return spans_check(&s, size);
}

/* ---- a ring ---- */

/* Whether one more request may be taken: completions have as many places as requests. */
static inline bool ring_may_take(uint32_t next, uint32_t completed)
{
    return next - completed < RING_DEPTH;
}

/* The sub-rings of a client's word that there are. */
static inline uint64_t rings_claimed(uint64_t claimed, uint32_t num_rings)
{
    return num_rings < 64 ? claimed & ((UINT64_C(1) << num_rings) - 1) : claimed;
}

#endif
