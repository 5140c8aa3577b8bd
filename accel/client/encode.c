/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes a job as a request in its slot.  A slot is shared memory, written and never read. */
#include "internal.h"
#include <string.h>

/* key_slot returns the hint for ring_request.key_slot.  It depends on the key's address and row,
 * not on its bytes. */
static uint8_t key_slot(const struct form *f)
{
    const uint64_t place = (uintptr_t)f->job->key ^ (uint64_t)f->job->alg << 48;
    return (uint8_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 56) | 1;
}

static void head(struct ring_request *r, const struct form *f)
{
    memcpy(r, &f->shape->head, sizeof f->shape->head);
    if (f->shape->key_len)
        r->key_slot = key_slot(f);
    r->len = (uint32_t)f->len;
}

/* ---- inline ---- */

static inline uint8_t *append(uint8_t *at, const void *bytes, size_t len)
{
    copy_bytes(at, bytes, len);
    return at + len;
}

static inline enum encoded encode_inline(struct ring_request *r, struct pending *p,
                                         const struct form *f)
{
    const struct hr_job *job = f->job;
    const struct shape *s = f->shape;
    uint8_t *at = r->u.bytes;
    p->block_len = 0;
    p->far = p->handle = 0;
    p->tag_len[0] = s->tag_out;
    p->inline_len = (uint8_t)((s->has_out ? f->len : 0) + s->tag_out);
    head(r, f);
    memset(r->u.bytes, 0, sizeof r->u.bytes); /* no bytes of an earlier request stay */
    if (s->handle)
        at = append(at, &f->number, sizeof f->number);
    at = append(at, job->key, s->key_len);
    at = append(at, job->iv, s->iv_len);
    at = append(at, job->in, f->len);
    if (s->tag_in)
        append(at, job->tag, s->tag_len);
    return ENCODED;
}

/* ---- far ---- */

static uint32_t or_zero(uint32_t at)
{
    return at == NOWHERE ? 0 : at;
}

static void describe_more(uint8_t *to, const struct form *f, const struct places *at)
{
    const struct hr_job *job = f->job;
    struct ring_more more = { .state_in = or_zero(at->state_in),
                              .state_in_len = job->state_in ? job->state_in_len : 0,
                              .state_out = or_zero(at->state_out),
                              .iv = or_zero(at->iv),
                              .tag = or_zero(at->tag),
                              .next = or_zero(at->next) };
    if (at->parts) {
        more.num_parts = (uint32_t)job->num_segments;
        memcpy(more.parts, at->parts, job->num_segments * sizeof *at->parts);
    }
    memcpy(to, &more, sizeof more);
}

void encode_request(struct ring_request *r, const struct form *f, const struct places *at,
                    uint8_t *base)
{
    const struct shape *s = f->shape;
    const int has_more = at->more != NOWHERE;
    struct ring_far *far = &r->u.far;
    head(r, f);
    r->flags = (uint8_t)((s->handle ? RING_HANDLE : 0) | RING_FAR | (has_more ? RING_MORE : 0));
    far->in = or_zero(at->in);
    far->out = or_zero(at->out);
    far->aad = or_zero(at->aad);
    far->aad_len = s->aad_len;
    far->handle = f->number;
    far->key = or_zero(at->key);
    far->more = or_zero(at->more);
    memset(far->iv, 0, sizeof far->iv);
    if (s->iv_len <= sizeof far->iv)
        append(far->iv, f->job->iv, s->iv_len);
    if (has_more && base)
        describe_more(base + at->more, f, at);
}

/* The block of the window for one request: its parts, one after the other.  block_lay makes their
 * places absolute when the block has been allocated. */
struct block {
    uint32_t num, len;
    struct {
        uint32_t *at;
        const void *bytes; /* NULL: only room is needed */
        size_t len;
    } parts[10];
};

static inline void block_add(struct block *b, uint32_t *at, const void *bytes, size_t len)
{
    *at = b->len;
    b->parts[b->num].at = at;
    b->parts[b->num].bytes = bytes;
    b->parts[b->num++].len = len;
    b->len += (uint32_t)(len + 15) & ~15u;
}

static void block_lay(const struct block *b, uint8_t *base, uint32_t at)
{
    for (uint32_t i = 0; i < b->num; i++) {
        *b->parts[i].at += at;
        if (b->parts[i].bytes)
            append(base + *b->parts[i].at, b->parts[i].bytes, b->parts[i].len);
    }
}

/* parts_there tells whether all segments lie in the window, and their outputs apart from each other
 * and from all inputs, so that they need no copy. */
static int parts_there(struct ring_part parts[RING_MAX_PARTS], const struct window *w,
                       const struct form *f)
{
    const struct hr_job *job = f->job;
    const size_t num = job->num_segments;
    if (num > RING_MAX_PARTS)
        return 0;
    for (size_t i = 0; i < num; i++) {
        const struct hr_segment *s = &job->segments[i];
        parts[i] = (struct ring_part){ .len = (uint32_t)s->len };
        parts[i].in = window_offset(w, s->in, s->len);
        if (f->shape->has_out)
            parts[i].out = window_offset(w, s->out, s->len);
        if (!s->len || parts[i].in == NOWHERE || parts[i].out == NOWHERE)
            return 0;
    }
    for (size_t i = 0; f->shape->has_out && i < num; i++)
        for (size_t k = 0; k < num; k++)
            if ((parts[i].out < parts[k].in + parts[k].len &&
                 parts[k].in < parts[i].out + parts[i].len) ||
                (i != k && parts[i].out < parts[k].out + parts[k].len &&
                 parts[k].out < parts[i].out + parts[i].len))
                return 0;
    return 1;
}

/* add_message finds places for data and output: where they are, if that is in the window, else in
 * the block. */
static void add_message(struct block *b, struct places *at, struct outputs *outputs,
                        const struct window *w, const struct form *f)
{
    const struct hr_job *job = f->job;
    const struct shape *s = f->shape;
    const size_t tag_in = s->tag_in ? s->tag_len : 0;
    const int gathered = job->num_segments || tag_in; /* see copy_message */
    const int apart = f->len && !job->num_segments && !(s->has_out && job->in == job->out);
    if (apart && !gathered)
        at->in = window_offset(w, job->in, f->len);
    if (at->in == NOWHERE)
        block_add(b, &at->in, gathered ? NULL : job->in, f->len + tag_in);
    if (!s->has_out)
        return;
    if (apart)
        at->out = window_offset(w, job->out, f->len);
    if (at->out == NOWHERE)
        block_add(b, &outputs->out, NULL, f->len);
}

static void add_parts(struct block *b, struct places *at, struct pending *p, const struct window *w,
                      const struct form *f)
{
    const struct hr_job *job = f->job;
    const struct shape *s = f->shape;
    if (s->states || at->parts || s->iv_len > 16)
        block_add(b, &at->more, NULL, sizeof(struct ring_more));
    if (s->key_len)
        block_add(b, &at->key, job->key, s->key_len);
    if (s->iv_len > 16)
        block_add(b, &at->iv, job->iv, s->iv_len);
    if (s->aad_len)
        block_add(b, &at->aad, job->aad, s->aad_len);
    if (job->state_in)
        block_add(b, &at->state_in, job->state_in, job->state_in_len);
    if (job->state_out)
        block_add(b, &p->state, NULL, HR_DIGEST_MAX_EXPORT);
    if (at->parts && s->tag_in)
        block_add(b, &at->tag, job->tag, s->tag_len);
    if (!at->parts)
        add_message(b, at, &p->at[0], w, f);
    if (!s->tag_in && s->tag_len > RING_INLINE) /* never an AEAD's, which is shorter */
        block_add(b, &p->at[0].tag, NULL, s->tag_len);
    else
        p->inline_len = s->tag_out;
}

/* copy_message copies the message, from all its segments, and an input tag after it. */
static void copy_message(uint8_t *to, const struct form *f)
{
    const struct hr_job *job = f->job;
    const struct hr_segment whole = { .in = job->in, .len = job->len };
    const struct hr_segment *parts = job->num_segments ? job->segments : &whole;
    const size_t num = job->num_segments ? job->num_segments : 1;
    for (size_t i = 0; i < num; i++) {
        if (parts[i].len)
            memcpy(to, parts[i].in, parts[i].len);
        to += parts[i].len;
    }
    if (f->shape->tag_in)
        memcpy(to, job->tag, f->shape->tag_len);
}

static enum encoded encode_far(struct window *w, struct ring_request *r, struct pending *p,
                               const struct form *f)
{
    struct ring_part parts[RING_MAX_PARTS];
    struct places at = { NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
                         NOWHERE, NOWHERE, NOWHERE, NOWHERE, NULL };
    struct block b;
    b.num = b.len = 0;
    if (f->len > window_len(w) || f->shape->aad_len > window_len(w))
        return ENCODED_HERE;
    if (f->job->num_segments && parts_there(parts, w, f))
        at.parts = parts;
    p->far = 1;
    p->handle = 0;
    p->inline_len = 0;
    p->state = NOWHERE;
    p->at[0] = (struct outputs){ NOWHERE, NOWHERE };
    p->tag_len[0] = f->shape->tag_out;
    add_parts(&b, &at, p, w, f);
    if (b.len > window_len(w))
        return ENCODED_HERE;
    p->block_len = b.len;
    p->block = b.len ? window_take(w, b.len) : 0;
    if (p->block == NOWHERE)
        return ENCODED_FULL;
    block_lay(&b, w->base, p->block);
    if (!at.parts && (f->job->num_segments || f->shape->tag_in))
        copy_message(w->base + at.in, f);
    at.state_out = p->state;
    if (at.out == NOWHERE) /* a request has an output or a long tag, not both */
        at.out = p->at[0].out != NOWHERE ? p->at[0].out : p->at[0].tag;
    encode_request(r, f, &at, w->base);
    return ENCODED;
}

/* ---- submit ---- */

/* encode_any checks a job and encodes it.  For a chain, chain.c checks each of its jobs. */
APART static enum encoded encode_any(struct subring *s, struct ring_request *r, struct pending *p)
{
    struct form *f = &s->form;
    enum encoded encoded = ENCODED_HERE;
    if (p->job->next) {
        *f = (struct form){ .job = p->job, .handle = has_handle(p->job) };
        encoded = chain_encode(s, r, p);
    } else {
        form_of(f, &s->shape, p->job, s->connection);
        if (f->is_request)
            encoded = s->shape.plain && f->len < s->shape.inline_end
                          ? encode_inline(r, p, f)
                          : encode_far(&s->window, r, p, f);
    }
    p->handle = f->handle;
    return encoded;
}

/* form_like_last makes the form of a job that has the last job's shape and that form_of would
 * accept. */
static inline struct form form_like_last(const struct subring *s, const struct hr_job *job)
{
    return (struct form){ .job = job, .shape = &s->shape, .len = job->len, .is_request = 1 };
}

APART static enum encoded encode_far_like_last(struct subring *s, struct ring_request *r,
                                               struct pending *p)
{
    s->form = form_like_last(s, p->job);
    return encode_far(&s->window, r, p, &s->form);
}

static inline enum encoded encode(struct subring *s, struct ring_request *r, struct pending *p)
{
    const struct hr_job *job = p->job;
    const struct shape *shape = &s->shape;
    const struct form f = form_like_last(s, job);
    if (UNLIKELY(!is_like_last(shape, job) || shape->handle || !has_pointers(shape, job) ||
                 !has_message(shape, job)))
        return encode_any(s, r, p);
    if (LIKELY(job->len < shape->inline_end))
        return encode_inline(r, p, &f);
    return encode_far_like_last(s, r, p);
}

enum encoded encode_job(struct subring *s, struct hr_job *job)
{
    struct pending *p = &s->pending[s->next % RING_DEPTH];
    struct ring_request *slot = &s->requests[s->next % RING_DEPTH];
    if (subring_outstanding(s) >= RING_DEPTH || p->job)
        return ENCODED_FULL;
    p->job = job;
    const enum encoded encoded = encode(s, slot, p);
    if (UNLIKELY(encoded != ENCODED)) {
        p->job = NULL;
        return encoded == ENCODED_FULL && !subring_outstanding(s) ? ENCODED_HERE : encoded;
    }
    __builtin_prefetch(&s->requests[(s->next + AHEAD) % RING_DEPTH], 1);
    p->number = s->next;
    job->result = HR_EPENDING;
    ring_publish(&slot->seq, ++s->next); /* the whole request, then its number */
    return ENCODED;
}
