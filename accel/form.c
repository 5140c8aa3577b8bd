/* SPDX-License-Identifier: Apache-2.0 */
/* What a job is made of, by its class.  Whatever looks wrong runs here, where direct calls say
 * what is wrong with it. */
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

/* Parts of a message: as one, where each may be cut there. */
static int add_segments(struct form *f, const struct hr_algorithm *row)
{
    const struct hr_job *job = f->job;
    if (!job->segments || (row && row->cls == HR_CLASS_XTS))
        return 0;
    const size_t block = row && row->cls == HR_CLASS_CIPHER ? row->block_len : 1;
    f->len = 0;
    for (size_t i = 0; i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        if (part->len > UINT32_MAX - f->len || (block > 1 && part->len % block) ||
            (part->len && (!part->in || (f->has_out && !part->out))))
            return 0;
        f->len += part->len;
    }
    return 1;
}

/* Other than in place, or not at all. */
static int overlaps(const struct hr_job *job)
{
    const uintptr_t in = (uintptr_t)job->in, out = (uintptr_t)job->out;
    return in != out && in < out + job->len && out < in + job->len;
}

static int add_message(struct form *f, const struct hr_algorithm *row)
{
    const struct hr_job *job = f->job;
    f->len = job->len;
    if (job->num_segments)
        return add_segments(f, row);
    return job->len <= UINT32_MAX && (job->in || !job->len) &&
           (!f->has_out || !job->len || (job->out && !overlaps(job)));
}

static int add_key(struct form *f, const struct connection *c)
{
    const struct hr_job *job = f->job;
    f->handle = job->key_form == HR_KEY_HANDLE;
    if (f->handle)
        return !c || key_resolve(&f->number, job->handle, c);
    f->key_len = (uint8_t)job->key_len;
    return job->key_form == HR_KEY_BYTES && job->key && job->key_len && job->key_len <= UINT8_MAX;
}

static int add_tag(struct form *f, const struct hr_algorithm *row)
{
    const struct hr_job *job = f->job;
    const size_t full = row->cls == HR_CLASS_AEAD ? HR_AEAD_MAX_TAG : row->out_len;
    const size_t len = job->tag_len ? job->tag_len : full;
    f->tag_in = job->op == HR_JOB_VERIFY;
    f->tag_len = (uint8_t)len;
    return job->tag && len && len <= full;
}

int form_of(struct form *f, const struct hr_job *job, const struct connection *connection)
{
    const struct hr_algorithm *row = job->alg ? hr_algorithm((hr_alg)job->alg) : NULL;
    const size_t cls = row ? (size_t)row->cls : 0;
    *f = (struct form){ .job = job };
    if ((job->alg && !row) || cls >= sizeof classes / sizeof classes[0] || !classes[cls].known ||
        job->op > 1 || (cls == HR_CLASS_DIGEST && job->op))
        return 0;
    const struct class_form *c = &classes[cls];
    f->has_out = c->out;
    f->iv_len = c->iv ? job->iv_len : 0;
    f->aad_len = c->aad ? job->aad_len : 0;
    if ((job->state_in || job->state_out) &&
        (!c->state || uses_handle(job) || job->state_in_len > HR_DIGEST_MAX_EXPORT))
        return 0;
    return f->iv_len <= UINT8_MAX && (job->iv || !f->iv_len) && (job->aad || !f->aad_len) &&
           (!c->key || add_key(f, connection)) && add_message(f, row) &&
           (!c->tag || job->state_out || add_tag(f, row));
}
