/* SPDX-License-Identifier: Apache-2.0 */
/* From a completion, which another process wrote, to the outputs of a job. */
#include "client.h"
#include <string.h>

static void scatter(const struct hr_job *job, const uint8_t *bytes)
{
    for (size_t i = 0; i < job->num_segments; i++) {
        if (job->segments[i].len)
            memcpy(job->segments[i].out, bytes, job->segments[i].len);
        bytes += job->segments[i].len;
    }
}

static void copy_out(const struct form *f, const uint8_t *bytes)
{
    if (f->job->num_segments)
        scatter(f->job, bytes);
    else if (f->len)
        memcpy(f->job->out, bytes, f->len);
}

static int decode_state(const struct window *w, const struct ring_completion *c,
                        const struct pending *p)
{
    struct hr_job *job = p->job;
    if (!c->state_len || c->state_len > HR_DIGEST_MAX_EXPORT)
        return 0;
    memcpy(job->state_out, w->base + p->state, c->state_len);
    job->state_out_len = c->state_len;
    job->result = 0;
    return 1;
}

void decode_one(const struct window *w, const struct ring_completion *c, const struct pending *p,
                size_t i, const struct hr_job *job)
{
    struct form f;
    const uint8_t *tag = c->bytes;
    (void)form_of(&f, job, NULL);
    if (f.has_out && p->at[i].out != NOWHERE)
        copy_out(&f, w->base + p->at[i].out);
    if (p->at[i].tag != NOWHERE)
        tag = w->base + p->at[i].tag;
    if (f.tag_len && !f.tag_in)
        memcpy(job->tag, tag, f.tag_len);
}

/* Nothing but bytes: by what was noted when it was sent. */
static void decode_inline(const struct ring_completion *c, const struct pending *p)
{
    const uint8_t out_len = p->inline_out, tag_len = (uint8_t)(p->inline_len - out_len);
    if (LIKELY(out_len == 16))
        memcpy(p->job->out, c->bytes, 16);
    else if (out_len)
        memcpy(p->job->out, c->bytes, out_len);
    if (tag_len)
        memcpy(p->job->tag, c->bytes + out_len, tag_len);
    p->job->result = 0;
}

int decode(const struct window *w, const struct ring_completion *c, const struct pending *p)
{
    size_t i = 0;
    if (c->len != p->inline_len)
        return 0;
    if (!p->far) {
        decode_inline(c, p);
        return 1;
    }
    if (p->state != NOWHERE)
        return decode_state(w, c, p);
    /* In their order: a later one may write over what an earlier one wrote. */
    for (struct hr_job *job = p->job; job; job = job->next) {
        decode_one(w, c, p, i++, job);
        job->result = 0;
    }
    return 1;
}
