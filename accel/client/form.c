/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a job and derives its shape and form (form.h) from its class.  A job that looks wrong runs
 * in this process, where the direct calls report the error.  If a job has the numbers of the last
 * one, only its pointers, its length and its handle are checked. */
#include "internal.h"
#include <headrace/classes.h>

static int add_key(struct shape *s, const struct hr_job *job)
{
    s->handle = job->key_form == HR_KEY_HANDLE;
    s->key_len = s->handle ? 0 : (uint8_t)job->key_len;
    return s->handle ||
           (job->key_form == HR_KEY_BYTES && job->key_len && job->key_len <= UINT8_MAX);
}

static int add_tag(struct shape *s, const struct hr_job *job, const struct hr_class_op *op,
                   const struct hr_algorithm *row)
{
    const size_t len = job->tag_len ? job->tag_len : row->out_len;
    s->tag_in = op->tag == HR_TAG_TAKEN;
    s->tag_len = (uint8_t)len;
    s->tag_out = s->tag_in ? 0 : s->tag_len;
    return len && len <= row->out_len;
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
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    const struct hr_class_info *info = hr_class_of(row);
    const struct hr_class_op *op = hr_class_op(info, job->op);
    *s = (struct shape){ .of = numbers_of(job), .states = job->state_in || job->state_out };
    if ((job->alg && !row) || !op)
        return 0;
    if (s->states && (!(info->has & HR_HAS_STATES) || job->key_form == HR_KEY_HANDLE))
        return 0;
    if ((info->has & HR_HAS_KEY && !add_key(s, job)) ||
        (op->tag && !job->state_out && !add_tag(s, job, op, row)) ||
        (info->has & HR_HAS_IV && job->iv_len > UINT8_MAX))
        return 0;
    s->has_out = op->out != HR_OUT_NONE;
    s->iv_len = info->has & HR_HAS_IV ? (uint8_t)job->iv_len : 0;
    s->aad_len = info->has & HR_HAS_AAD ? job->aad_len : 0;
    s->has_states = (info->has & HR_HAS_STATES) != 0;
    s->has_parts = (info->has & HR_HAS_PARTS) != 0;
    s->inline_end = inline_end(s);
    s->head = head_of(s, job);
    s->plain = !s->states && !job->num_segments && !job->next;
    return 1;
}

/* add_segments adds up the lengths of the segments.  It returns 0 if the service cannot take them:
 * the class has none, the sum is too long, or a pointer is missing. */
static int add_segments(struct form *f)
{
    const struct hr_job *job = f->job;
    const struct shape *s = f->shape;
    if (!job->segments || !s->has_parts)
        return 0;
    f->len = 0;
    for (size_t i = 0; i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        if (part->len > UINT32_MAX - f->len ||
            (part->len && (!part->in || (s->has_out && !part->out))))
            return 0;
        f->len += part->len;
    }
    return 1;
}

void form_of(struct form *f, struct shape *shape, const struct hr_job *job,
             const struct connection *c)
{
    *f = (struct form){ .job = job, .shape = shape, .len = job->len, .handle = has_handle(job) };
    if (!is_like_last(shape, job) && !judge(shape, job))
        return;
    f->is_request = has_pointers(shape, job) &&
                    (job->num_segments ? add_segments(f) : has_message(shape, job)) &&
                    (!shape->states || job->state_in_len <= HR_DIGEST_MAX_EXPORT) &&
                    (!shape->handle || key_resolve(&f->number, job->handle, c));
}
