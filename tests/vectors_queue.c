/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a job, run now and in a local queue, in which copies of it fill the lanes. */
#include "vectors.h"
#include <headrace/queue.h>

enum { COPIES = 17 };

/* What a class's case is as a job; out is what the job must write. */
static void job_of(struct hr_job *job, struct bytes *out, struct bytes *tag, const struct vector *v,
                   int op)
{
    static const struct bytes nothing = { NULL, 0 };
    const struct bytes in = op ? v->out : v->in;
    *job = (struct hr_job){ .alg = (uint16_t)v->row->alg,
                            .op = (uint8_t)op,
                            .key_form = v->key.p ? HR_KEY_BYTES : HR_KEY_NONE,
                            .key = v->key.p,
                            .key_len = (uint32_t)v->key.len,
                            .iv = v->iv.p,
                            .iv_len = (uint32_t)v->iv.len,
                            .aad = v->aad.p,
                            .aad_len = (uint32_t)v->aad.len,
                            .in = in.p,
                            .len = in.len };
    *out = op ? v->in : v->out;
    *tag = v->tag;
    if (v->row->cls == HR_CLASS_DIGEST || v->row->cls == HR_CLASS_MAC ||
        v->row->cls == HR_CLASS_NMAC) {
        job->in = v->in.p;
        job->len = v->in.len;
        *tag = v->row->cls == HR_CLASS_NMAC && v->tag.p ? v->tag : v->out;
        *out = nothing;
    }
    job->tag_len = (uint8_t)tag->len;
}

static void run_in_lanes(struct hr_job *jobs)
{
    const size_t size = (hr_queue_local_size(COPIES) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    struct hr_job *list[COPIES], *done[COPIES];
    struct hr_queue *queue;
    for (size_t i = 0; i < COPIES; i++)
        list[i] = &jobs[i];
    if (!memory || hr_queue_local(&queue, memory, size, COPIES) ||
        hr_queue_submit(queue, list, COPIES) != COPIES ||
        hr_queue_poll(queue, done, COPIES, COPIES) != COPIES)
        complain("the local queue");
    else
        hr_queue_close(queue);
    free(memory);
}

/* op: of the job; a tag is an output, or what is compared. */
static void check(const struct vector *v, int op, int tag_is_given)
{
    struct hr_job jobs[COPIES + 1];
    struct bytes out, tag;
    uint8_t tags[COPIES + 1][HR_DIGEST_MAX_OUT] = { { 0 } };
    job_of(&jobs[0], &out, &tag, v, op);
    if (tag.len > sizeof tags[0])
        return;
    uint8_t *outs = malloc((COPIES + 1) * (jobs[0].len + 1));
    for (size_t i = 0; i <= COPIES; i++) {
        jobs[i] = jobs[0];
        jobs[i].out = outs + i * (jobs[0].len + 1);
        jobs[i].tag = tag.p ? tags[i] : NULL;
        if (tag_is_given && tag.len)
            memcpy(tags[i], tag.p, tag.len);
    }
    (void)hr_job_run(&jobs[COPIES]);
    run_in_lanes(jobs);
    for (size_t i = 0; i <= COPIES; i++)
        if (jobs[i].result || (out.len && memcmp(jobs[i].out, out.p, out.len)) ||
            (tag.len && memcmp(tags[i], tag.p, tag.len))) {
            complain("case %u: %s %s: %s", v->number, v->row->name,
                     i == COPIES ? "as a job" : "in a queue", hr_strerror(jobs[i].result));
            break;
        }
    free(outs);
}

/* Only whole messages that must work, without padding, and of AEADs with tags that are tags. */
void run_in_queue(const struct vector *v, const char *op)
{
    const enum hr_class cls = v->row->cls;
    const int tagged = cls == HR_CLASS_AEAD || cls == HR_CLASS_MAC || cls == HR_CLASS_NMAC;
    if (v->result != MUST_WORK || v->pad || strstr(op, "monte") || cls == HR_CLASS_KDF ||
        (cls == HR_CLASS_AEAD && v->tag.len < 4))
        return;
    if (strcmp(op, "decrypt")) {
        check(v, 0, 0);
        if (tagged || !strcmp(op, "both"))
            check(v, 1, tagged);
        return;
    }
    struct vector back = *v;
    back.in = v->out;
    back.out = v->in;
    check(&back, 1, 0);
}
