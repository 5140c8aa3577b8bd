/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a vector as a job by hr_job_run, and as many copies of it in a local queue, which fill the
 * lanes. */
#include "vectors.h"
#include <headrace/classes.h>

enum { COPIES = 17 };

/* job_of makes the case a job of this operation; `out` and `tag` get what the job must write.
 * Operation 1 takes the case's output as its input if it has an output. */
static void job_of(struct hr_job *job, struct bytes *out, struct bytes *tag, const struct vector *v,
                   unsigned op)
{
    const struct hr_class_op *ops = hr_class_of(v->row)->ops;
    const int undoes = op == 1 && ops[op].out;
    const struct bytes nothing = { NULL, 0 }, in = undoes ? v->out : v->in;
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
    *out = ops[op].out ? undoes ? v->in : v->out : nothing;
    *tag = ops[op].out || v->tag.p ? v->tag : v->out;
    job->tag_len = (uint8_t)tag->len;
}

static void run_in_lanes(struct hr_job *jobs)
{
    const size_t size = hr_queue_local_size(COPIES);
    void *memory = malloc(size);
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

static void check(const struct vector *v, unsigned op)
{
    const int tag_is_given = hr_class_of(v->row)->ops[op].tag == HR_TAG_TAKEN;
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

/* run_in_queue runs only whole messages that must work, without padding, and AEADs only with tags
 * of 4 bytes or more. */
void run_in_queue(const struct vector *v, const char *op)
{
    const struct hr_class_op *ops = hr_class_of(v->row)->ops;
    if (v->result != MUST_WORK || v->pad || strstr(op, "monte") || !ops[0].word ||
        (ops[0].out && ops[0].tag && v->tag.len < 4))
        return;
    if (strcmp(op, "decrypt")) {
        check(v, 0);
        if (ops[1].tag || !strcmp(op, "both"))
            check(v, 1);
        return;
    }
    struct vector back = *v;
    back.in = v->out;
    back.out = v->in;
    check(&back, 1);
}

/* ---- a class whose cases have no other reader ---- */

static void check_kernel(const struct vector *v, unsigned op, const union hr_any_key *key,
                         const char *kernel)
{
    struct hr_job job;
    struct bytes out, tag;
    uint8_t got[HR_DIGEST_MAX_OUT] = { 0 };
    job_of(&job, &out, &tag, v, op);
    uint8_t *bytes = malloc(job.len + 1);
    job.key_form = HR_KEY_OBJECT;
    job.key = key;
    job.out = bytes;
    job.tag = got;
    if (hr_class_of(v->row)->ops[op].tag == HR_TAG_TAKEN)
        memcpy(got, tag.p, tag.len);
    const int error = hr_job_run(&job);
    if (v->result == MUST_FAIL ? !error
                               : error || (out.len && memcmp(bytes, out.p, out.len)) ||
                                     (tag.len && memcmp(got, tag.p, tag.len)))
        complain("case %u: %s, %s: %s", v->number, v->row->name, kernel,
                 error ? hr_strerror(error) : "wrong bytes, or accepted");
    free(bytes);
}

int run_job(const struct vector *v, const char *word)
{
    const struct hr_class_info *info = hr_class_of(v->row);
    union hr_any_key key;
    struct hr_kernel kernel;
    unsigned op = 0;
    while (info->ops[op].word && strcmp(hr_class_op_word(&info->ops[op]), word))
        op++;
    if (!info->ops[op].word || !(info->has & HR_HAS_KEY))
        return 0;
    const enum hr_op of = info->ops[op].kernels ? (enum hr_op)op : 0;
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, of, i) == 0; i++)
        if (cannot_run(kernel.needs))
            continue;
        else if (hr_any_key_init_kernel(&key, v->row->alg, of, i, v->key.p, v->key.len))
            complain("case %u: the key is refused", v->number);
        else
            check_kernel(v, op, &key, kernel.name);
    if (v->result == MUST_WORK)
        check(v, op);
    return 1;
}
