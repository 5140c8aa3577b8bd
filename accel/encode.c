/* SPDX-License-Identifier: Apache-2.0 */
/* From a job to a request and, when it comes back, from a completion to the job's outputs. */
#include "client.h"
#include <string.h>

uint32_t layout_put(struct layout *l, const void *bytes, size_t len)
{
    const uint32_t at = l->at;
    if (l->base && bytes && len)
        memcpy(l->base + at, bytes, len);
    l->at += (uint32_t)(len + 15) & ~15u;
    return at;
}

/* Equal keys have equal slots if they are at the same place.  The bytes decide nothing. */
static uint8_t key_slot(const struct hr_job *job)
{
    const uint64_t place = (uintptr_t)job->key ^ (uint64_t)job->alg << 48 ^ job->key_len;
    return (uint8_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 56) | 1;
}

static void head(struct ring_request *r, const struct form *f)
{
    const struct hr_job *job = f->job;
    r->alg = job->alg;
    r->op = job->op;
    r->flags = f->handle ? RING_HANDLE : 0;
    r->key_len = f->key_len;
    r->iv_len = (uint8_t)f->iv_len;
    r->tag_len = f->tag_len;
    r->key_slot = f->key_len ? key_slot(job) : 0;
    r->len = (uint32_t)f->len;
}

/* ---- inline ---- */

static int fits_inline(const struct form *f)
{
    const size_t in = (f->handle ? sizeof f->number : f->key_len) + (size_t)f->iv_len + f->len +
                      (f->tag_in ? f->tag_len : 0);
    const size_t out = (f->has_out ? f->len : 0) + (f->tag_in ? 0 : f->tag_len);
    const struct hr_job *job = f->job;
    return f->len <= RING_INLINE && in <= RING_INLINE && out <= RING_INLINE && !f->aad_len &&
           !job->state_in && !job->state_out && !job->num_segments;
}

/* Keys, IVs and blocks of 16 bytes are what there is most of. */
static uint8_t *append(uint8_t *at, const void *bytes, size_t len)
{
    if (LIKELY(len == 16))
        memcpy(at, bytes, 16);
    else if (len)
        memcpy(at, bytes, len);
    return at + len;
}

static void encode_inline(struct ring_request *r, const struct form *f)
{
    const struct hr_job *job = f->job;
    uint8_t *at = r->u.bytes;
    if (f->handle)
        at = append(at, &f->number, sizeof f->number);
    at = append(at, job->key, f->key_len);
    at = append(at, job->iv, f->iv_len);
    at = append(at, job->in, f->len);
    if (f->tag_in)
        append(at, job->tag, f->tag_len);
}

/* ---- far ---- */

static uint32_t or_zero(uint32_t at)
{
    return at == NOWHERE ? 0 : at;
}

void describe(struct ring_request *r, const struct form *f, const struct places *at,
              struct layout *l)
{
    const struct hr_job *job = f->job;
    struct ring_far far = { .in = or_zero(at->in),
                            .out = or_zero(at->out),
                            .aad = or_zero(at->aad),
                            .aad_len = f->aad_len,
                            .handle = f->number,
                            .key = or_zero(at->key),
                            .more = or_zero(at->more) };
    head(r, f);
    r->flags |= RING_FAR | (at->more == NOWHERE ? 0 : RING_MORE);
    if (f->iv_len && f->iv_len <= sizeof far.iv)
        memcpy(far.iv, job->iv, f->iv_len);
    memcpy(&r->u.far, &far, sizeof far);
    if (at->more == NOWHERE || !l->base)
        return;
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
    memcpy(l->base + at->more, &more, sizeof more);
}

/* The message, from all its segments. */
static void gather(const struct layout *l, uint32_t at, const struct hr_job *job)
{
    if (!l->base)
        return;
    for (size_t i = 0; i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        if (part->len)
            memcpy(l->base + at, part->in, part->len);
        at += (uint32_t)part->len;
    }
}

/* Segments that are all in the window already, apart from each other, need no copy. */
static int parts_there(struct ring_part parts[RING_MAX_PARTS], const struct window *w,
                       const struct form *f)
{
    const struct hr_job *job = f->job;
    const size_t num = job->num_segments;
    if (!num || num > RING_MAX_PARTS)
        return 0;
    for (size_t i = 0; i < num; i++) {
        const struct hr_segment *s = &job->segments[i];
        parts[i] = (struct ring_part){ .len = (uint32_t)s->len };
        parts[i].in = window_offset(w, s->in, s->len);
        if (f->has_out)
            parts[i].out = window_offset(w, s->out, s->len);
        if (!s->len || parts[i].in == NOWHERE || parts[i].out == NOWHERE)
            return 0;
    }
    for (size_t i = 0; f->has_out && i < num; i++)
        for (size_t k = 0; k < num; k++)
            if ((parts[i].out < parts[k].in + parts[k].len &&
                 parts[k].in < parts[i].out + parts[i].len) ||
                (i != k && parts[i].out < parts[k].out + parts[k].len &&
                 parts[k].out < parts[i].out + parts[i].len))
                return 0;
    return 1;
}

/* Data and output: where they are, or in the block. */
static void lay_message(struct places *at, struct pending *p, const struct window *w,
                        const struct form *f, struct layout *l)
{
    const struct hr_job *job = f->job;
    const size_t tag_in = f->tag_in ? f->tag_len : 0;
    const int apart = !f->has_out || job->in != job->out;
    if (at->parts)
        return;
    if (job->num_segments) {
        at->in = layout_put(l, NULL, f->len + tag_in);
        gather(l, at->in, job);
    } else {
        at->in = f->len && apart && !tag_in ? window_offset(w, job->in, f->len) : NOWHERE;
        if (at->in == NOWHERE)
            at->in = layout_put(l, NULL, f->len + tag_in);
        if (l->base && f->len && w->base + at->in != job->in)
            memcpy(l->base + at->in, job->in, f->len);
    }
    if (l->base && tag_in)
        memcpy(l->base + at->in + f->len, job->tag, tag_in);
    if (!f->has_out)
        return;
    if (!job->num_segments && apart && f->len)
        at->out = window_offset(w, job->out, f->len);
    if (at->out == NOWHERE)
        p->at[0].out = at->out = layout_put(l, NULL, f->len);
}

static void lay(struct ring_request *r, struct pending *p, const struct window *w,
                const struct form *f, const struct ring_part *parts, struct layout *l)
{
    const struct hr_job *job = f->job;
    struct places at = { NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
                         NOWHERE, NOWHERE, NOWHERE, NOWHERE, parts };
    p->at[0].out = p->at[0].tag = p->state = NOWHERE;
    p->far = 1;
    p->inline_len = 0;
    if (job->state_in || job->state_out || parts || f->iv_len > 16)
        at.more = layout_put(l, NULL, sizeof(struct ring_more));
    if (f->key_len)
        at.key = layout_put(l, job->key, f->key_len);
    if (f->iv_len > 16)
        at.iv = layout_put(l, job->iv, f->iv_len);
    if (f->aad_len)
        at.aad = layout_put(l, job->aad, f->aad_len);
    if (job->state_in)
        at.state_in = layout_put(l, job->state_in, job->state_in_len);
    if (job->state_out)
        p->state = at.state_out = layout_put(l, NULL, HR_DIGEST_MAX_EXPORT);
    if (parts && f->tag_in)
        at.tag = layout_put(l, job->tag, f->tag_len);
    lay_message(&at, p, w, f, l);
    if (!f->tag_in && f->tag_len > RING_INLINE) /* an AEAD's is shorter */
        p->at[0].tag = at.out = layout_put(l, NULL, f->tag_len);
    else if (!f->tag_in)
        p->inline_len = f->tag_len;
    describe(r, f, &at, l);
}

static enum encoded encode_far(struct window *w, struct ring_request *r, struct pending *p,
                               const struct form *f)
{
    struct ring_part parts[RING_MAX_PARTS];
    const int there = parts_there(parts, w, f);
    struct layout l = { NULL, 0 };
    if (f->len > window_len(w) || f->aad_len > window_len(w))
        return ENCODED_HERE;
    lay(r, p, w, f, there ? parts : NULL, &l);
    if (l.at > window_len(w))
        return ENCODED_HERE;
    p->block_len = l.at;
    p->block = l.at ? window_take(w, l.at) : 0;
    if (p->block == NOWHERE)
        return ENCODED_FULL;
    l = (struct layout){ w->base, p->block };
    lay(r, p, w, f, there ? parts : NULL, &l);
    return ENCODED;
}

enum encoded encode(struct subring *s, struct ring_request *r, struct pending *p)
{
    struct form f;
    if (UNLIKELY(p->job->next != NULL))
        return encode_chain(s, r, p);
    if (UNLIKELY(!form_of(&f, p->job, s->connection)))
        return ENCODED_HERE;
    if (!fits_inline(&f))
        return encode_far(&s->window, r, p, &f);
    p->block_len = 0;
    p->far = 0;
    p->inline_out = f.has_out ? (uint8_t)f.len : 0;
    p->inline_len = (uint8_t)(p->inline_out + (f.tag_in ? 0 : f.tag_len));
    p->state = p->at[0].out = p->at[0].tag = NOWHERE;
    head(r, &f);
    encode_inline(r, &f);
    return ENCODED;
}
