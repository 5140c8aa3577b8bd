/* SPDX-License-Identifier: Apache-2.0 */
/* What a job is made of, by its class.  Whatever looks wrong runs here, where direct calls say
 * what is wrong with it.  Of a job that is like the last one in its numbers, only what is its own
 * is judged: pointers, lengths of data, a handle. */
#include "client.h"

static const struct class_form {
    uint8_t known, key, iv, aad, out, tag, state;
} classes[] = {
    [0] = { .known = 1, .out = 1 }, /* HR_ALG_NONE: copies */
    [HR_CLASS_DIGEST] = { .known = 1, .tag = 1, .state = 1 },
    [HR_CLASS_MAC] = { .known = 1, .key = 1, .tag = 1, .state = 1 },
    [HR_CLASS_CIPHER] = { .known = 1, .key = 1, .iv = 1, .out = 1 },
    [HR_CLASS_AEAD] = { .known = 1, .key = 1, .iv = 1, .aad = 1, .out = 1, .tag = 1 },
    [HR_CLASS_NMAC] = { .known = 1, .key = 1, .iv = 1, .tag = 1 },
    [HR_CLASS_XTS] = { .known = 1, .key = 1, .iv = 1, .out = 1 },
};

int uses_handle(const struct hr_job *job)
{
    for (; job; job = job->next)
        if (job->key_form == HR_KEY_HANDLE)
            return 1;
    return 0;
}

static int add_key(struct shape *s, const struct hr_job *job)
{
    s->handle = job->key_form == HR_KEY_HANDLE;
    s->key_len = s->handle ? 0 : (uint8_t)job->key_len;
    return s->handle ||
           (job->key_form == HR_KEY_BYTES && job->key_len && job->key_len <= UINT8_MAX);
}

static int add_tag(struct shape *s, const struct hr_job *job, const struct hr_algorithm *row)
{
    const size_t full = row->cls == HR_CLASS_AEAD ? HR_AEAD_MAX_TAG : row->out_len;
    const size_t len = job->tag_len ? job->tag_len : full;
    s->tag_in = job->op == HR_JOB_VERIFY;
    s->tag_len = (uint8_t)len;
    s->tag_out = s->tag_in ? 0 : s->tag_len;
    return len && len <= full;
}

static uint32_t inline_end(const struct shape *s)
{
    const uint32_t in = (s->handle ? 8u : s->key_len) + s->iv_len + (s->tag_in ? s->tag_len : 0u);
    const uint32_t most = s->has_out && s->tag_out > in ? s->tag_out : in;
    return in > RING_INLINE || s->tag_out > RING_INLINE || s->aad_len || s->states
               ? 0
               : RING_INLINE - most + 1;
}

static uint64_t head_of(const struct shape *s, const struct hr_job *job)
{
    const struct ring_request r = { .alg = job->alg,
                                    .op = job->op,
                                    .flags = s->handle ? RING_HANDLE : 0,
                                    .key_len = s->key_len,
                                    .iv_len = s->iv_len,
                                    .tag_len = s->tag_len };
    uint64_t head;
    _Static_assert(offsetof(struct ring_request, len) == sizeof head, "a head");
    memcpy(&head, &r, sizeof head);
    return head;
}

static int judge(struct shape *s, const struct hr_job *job)
{
    const struct hr_algorithm *row = job->alg ? hr_algorithm((hr_alg)job->alg) : NULL;
    const size_t cls = row ? (size_t)row->cls : 0;
    *s = (struct shape){ .of = numbers_of(job), .states = job->state_in || job->state_out };
    if ((job->alg && !row) || cls >= sizeof classes / sizeof classes[0] || !classes[cls].known ||
        job->op > 1 || (cls == HR_CLASS_DIGEST && job->op))
        return 0;
    const struct class_form *c = &classes[cls];
    if (s->states && (!c->state || job->key_form == HR_KEY_HANDLE))
        return 0;
    if ((c->key && !add_key(s, job)) || (c->tag && !job->state_out && !add_tag(s, job, row)) ||
        (c->iv && job->iv_len > UINT8_MAX))
        return 0;
    s->has_out = c->out;
    s->iv_len = c->iv ? (uint8_t)job->iv_len : 0;
    s->aad_len = c->aad ? job->aad_len : 0;
    s->cut = cls == HR_CLASS_XTS ? 0 : cls == HR_CLASS_CIPHER ? (uint32_t)row->block_len : 1;
    s->inline_end = inline_end(s);
    s->head = head_of(s, job);
    s->plain = !s->states && !job->num_segments && !job->next;
    return 1;
}

/* Parts of a message: as one, where each may be cut there. */
static int add_segments(struct form *f)
{
    const struct hr_job *job = f->job;
    const struct shape *s = f->shape;
    if (!job->segments || !s->cut)
        return 0;
    f->len = 0;
    for (size_t i = 0; i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        if (part->len > UINT32_MAX - f->len || (s->cut > 1 && part->len % s->cut) ||
            (part->len && (!part->in || (s->has_out && !part->out))))
            return 0;
        f->len += part->len;
    }
    return 1;
}

int form_of(struct form *f, struct shape *shape, const struct hr_job *job,
            const struct connection *c)
{
    *f = (struct form){ .job = job, .shape = shape, .len = job->len };
    if (!is_like_last(shape, job) && !judge(shape, job))
        return 0;
    return has_pointers(shape, job) &&
           (job->num_segments ? add_segments(f) : has_message(shape, job)) &&
           (!shape->states || job->state_in_len <= HR_DIGEST_MAX_EXPORT) &&
           (!shape->handle || key_resolve(&f->number, job->handle, c));
}
