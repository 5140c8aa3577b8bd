/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the numbers that a client wrote.  The functions read only their arguments, which are
 * out of the client's reach.  Places and lengths are added as 64-bit numbers, so that no sum wraps;
 * only `returned` can, in an inline request that check_inline then refuses. */
#ifndef HR_CHECK_H
#define HR_CHECK_H

#include "../ring.h"
#include <headrace/classes.h>
#include <stdbool.h>

/* ---- what a class of algorithms has (headrace/classes.def) ---- */

struct rules {
    unsigned has; /* enum hr_has */
    struct hr_class_op op;
    bool is_cipher; /* a message in one part is a call of hr_cipher_encrypt or hr_cipher_decrypt */
};

/* rules_out_len returns the length of the output for len bytes of data. */
static inline uint64_t rules_out_len(const struct rules *rules, uint64_t len)
{
    return rules->op.out == HR_OUT_SAME ? len : 0;
}

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

/* All places of a request in its window, without the empty ones. */
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

/* spans_check returns HR_EINVAL if a place is not inside the window, HR_EOVERLAP if an output
 * overlaps another place, else 0. */
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

/* The place of a request's tag, and the number of bytes that the completion returns. */
struct tag_place {
    uint32_t tag_len; /* 0: the request has no tag */
    uint32_t returned;
    uint64_t tag_at;
    bool tag_is_input, tag_in_window; /* else an input is inline, an output in the completion */
};

static inline int check_flags(const struct ring_request *q, const struct rules *rules)
{
    if (q->flags & ~(RING_FAR | RING_HANDLE | RING_MORE) || !rules->op.word)
        return HR_EINVAL;
    if (q->flags & RING_MORE && !(q->flags & RING_FAR))
        return HR_EINVAL;
    if (!(rules->has & HR_HAS_KEY) && (q->flags & RING_HANDLE || q->key_len))
        return HR_EINVAL;
    if ((q->flags & RING_HANDLE && q->key_len) || (!(rules->has & HR_HAS_IV) && q->iv_len))
        return HR_EINVAL;
    return 0;
}

static inline int check_far(const struct ring_request *q, const struct rules *rules)
{
    const struct ring_far *far = &q->u.far;
    if ((!(q->flags & RING_HANDLE) && far->handle) || (!(q->flags & RING_MORE) && far->more))
        return HR_EINVAL;
    if (far->more % 8 || (!(rules->has & HR_HAS_AAD) && far->aad_len))
        return HR_EINVAL;
    return 0;
}

static inline int check_parts(const struct ring_request *q, const struct ring_more *more,
                              const struct rules *rules)
{
    uint64_t sum = 0;
    if (!more->num_parts)
        return 0;
    if (more->num_parts > RING_MAX_PARTS || !(rules->has & HR_HAS_PARTS) || q->u.far.in ||
        q->u.far.out)
        return HR_EINVAL;
    for (uint32_t i = 0; i < more->num_parts; i++) {
        if (!more->parts[i].len)
            return HR_ELENGTH;
        if (!rules->op.out && more->parts[i].out)
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
    if (!(rules->has & HR_HAS_STATES))
        return HR_EINVAL;
    if (!more->state_in != !more->state_in_len || more->state_in_len > HR_DIGEST_MAX_EXPORT)
        return HR_EFORMAT;
    if (more->state_out && (q->tag_len || more->tag || rules->op.tag != HR_TAG_GIVEN))
        return HR_EINVAL;
    return q->flags & RING_HANDLE ? HR_EHANDLE : 0; /* a state is as secret as its key */
}

/* check_more checks a copy of the struct, which has its first num_parts parts, at most
 * RING_MAX_PARTS. */
static inline int check_more(const struct ring_request *q, const struct ring_more *more,
                             const struct rules *rules)
{
    if (more->reserved || more->next % 8)
        return HR_EINVAL;
    if (!more->state_in && !more->state_out && !more->iv && !more->tag && !more->next &&
        !more->num_parts)
        return HR_EINVAL;
    if ((more->iv && !q->iv_len) || (more->tag && !rules->op.tag))
        return HR_EINVAL;
    const int error = check_parts(q, more, rules);
    return error ? error : check_states(q, more, rules);
}

/* tag_place_make finds out where the tag is and how much the completion returns.  row_tag is the
 * length of the row's longest tag.  Returns 0, HR_ETAGLEN or HR_EINVAL. */
static inline int tag_place_make(struct tag_place *place, const struct ring_request *q,
                                 const struct ring_more *more, const struct rules *rules,
                                 uint32_t row_tag)
{
    const bool far = q->flags & RING_FAR;
    *place = (struct tag_place){ 0 };
    if (q->tag_len > (rules->op.tag ? row_tag : 0))
        return rules->op.tag ? HR_ETAGLEN : HR_EINVAL;
    if (rules->op.tag && !(more && more->state_out))
        place->tag_len = q->tag_len ? q->tag_len : row_tag;
    place->tag_is_input = place->tag_len && rules->op.tag == HR_TAG_TAKEN;
    if (!far)
        place->returned =
            (uint32_t)rules_out_len(rules, q->len) + (place->tag_is_input ? 0 : place->tag_len);
    if (!far || !place->tag_len)
        return 0;
    place->tag_in_window = true;
    if (more && more->tag)
        place->tag_at = more->tag;
    else if (more && more->num_parts && (place->tag_is_input || place->tag_len > RING_INLINE))
        return HR_EINVAL;
    else if (place->tag_is_input)
        place->tag_at = (uint64_t)q->u.far.in + q->len;
    else if (place->tag_len > RING_INLINE)
        place->tag_at = q->u.far.out;
    else {
        place->tag_in_window = false;
        place->returned = place->tag_len;
    }
    return 0;
}

static inline int check_inline(const struct ring_request *q, const struct tag_place *place)
{
    const uint64_t key_len = q->flags & RING_HANDLE ? 8 : q->key_len;
    const uint64_t tag_in = place->tag_is_input ? place->tag_len : 0;
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
        spans_out(s, more->parts[i].out, rules_out_len(rules, more->parts[i].len));
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

/* check_few_places checks the places of a far request without a struct ring_more, which has one
 * output at most. */
static inline int check_few_places(const struct ring_request *q, const struct rules *rules,
                                   const struct tag_place *place, uint64_t size)
{
    const struct ring_far *far = &q->u.far;
    const uint64_t tag_in = place->tag_is_input ? place->tag_len : 0;
    const uint64_t tag_out = place->tag_in_window && !place->tag_is_input ? place->tag_len : 0;
    const struct span in = { far->in, q->len + tag_in }, aad = { far->aad, far->aad_len };
    const struct span key = { far->key, q->key_len };
    const struct span out = { far->out, rules->op.out ? rules_out_len(rules, q->len) : tag_out };
    if (q->iv_len > sizeof far->iv)
        return HR_EIVLEN;
    if (!span_fits(in, size) || !span_fits(aad, size) || !span_fits(key, size) ||
        !span_fits(out, size))
        return HR_EINVAL;
    return span_touch(out, in) || span_touch(out, aad) || span_touch(out, key) ? HR_EOVERLAP : 0;
}

/* check_places checks the places of a far request in its window of `size` bytes.  Returns 0,
 * HR_EIVLEN, HR_EINVAL or HR_EOVERLAP. */
static inline int check_places(const struct ring_request *q, const struct ring_more *more,
                               const struct rules *rules, const struct tag_place *place,
                               uint64_t size)
{
    const struct ring_far *far = &q->u.far;
    struct spans s;
    s.num_in = s.num_out = 0;
    if (!more)
        return check_few_places(q, rules, place, size);
    if (q->iv_len > sizeof far->iv && !more->iv)
        return HR_EIVLEN;
    spans_of_more(&s, q, more, rules);
    if (!more->num_parts) {
        spans_in(&s, far->in, q->len);
        spans_out(&s, far->out, rules_out_len(rules, q->len));
    }
    spans_in(&s, far->aad, far->aad_len);
    spans_in(&s, far->key, q->key_len);
    if (place->tag_in_window)
        (place->tag_is_input ? spans_in : spans_out)(&s, place->tag_at, place->tag_len);
    return spans_check(&s, size);
}

/* ---- a ring ---- */

/* ring_may_take tells whether there is a free completion for one more request. */
static inline bool ring_may_take(uint32_t next, uint32_t completed)
{
    return next - completed < RING_DEPTH;
}

/* rings_claimed clears the bits of sub-rings that do not exist from a client's word. */
static inline uint64_t rings_claimed(uint64_t claimed, uint32_t num_rings)
{
    return num_rings < 64 ? claimed & ((UINT64_C(1) << num_rings) - 1) : claimed;
}

#endif
