/* SPDX-License-Identifier: Apache-2.0 */
/* Runs jobs by the calls of their classes (class.h). */
#include "job.h"
#include "batch_run.h"
#include "class.h"

/* ---- what classes share ---- */

void job_parts(struct parts *p, const struct hr_job *job)
{
    p->whole = (struct hr_segment){ job->in, job->out, job->len };
    p->parts = job->num_segments ? job->segments : &p->whole;
    p->num = job->num_segments ? job->num_segments : 1;
}

static int verify_tag(const struct hr_job *job, const uint8_t *tag, size_t len)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < len; i++)
        differ |= tag[i] ^ job->tag[i];
    differ = ct_hide(differ);
    CT_PUBLIC(&differ, sizeof differ); /* whether they are equal is the answer */
    return differ ? HR_EMAC : 0;
}

int job_tag_done(const struct hr_job *job, const uint8_t *tag)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    const size_t len = job_tag_len(job, row->out_len);
    if (!job->tag)
        return HR_EINVAL;
    if (len > row->out_len)
        return HR_ETAGLEN;
    if (hr_class_of(row)->ops[job->op].tag == HR_TAG_TAKEN)
        return verify_tag(job, tag, len);
    memcpy(job->tag, tag, len);
    return 0;
}

/* ---- any class ---- */

static int run_copy(struct hr_job *job, const void *no_key)
{
    struct parts p;
    job_parts(&p, job);
    for (size_t i = 0; i < p.num; i++) {
        if (p.parts[i].len && (!p.parts[i].out || !p.parts[i].in))
            return HR_EINVAL;
        if (overlap(p.parts[i].out, p.parts[i].in, p.parts[i].len))
            return HR_EOVERLAP;
        if (p.parts[i].len && p.parts[i].out != p.parts[i].in)
            memcpy(p.parts[i].out, p.parts[i].in, p.parts[i].len);
    }
    return 0;
}

const struct class_calls copy_class = { .run = run_copy };

static int run_with_bytes(struct hr_job *job, const struct class_calls *calls)
{
    union hr_any_key key;
    int error = hr_any_key_init(&key, (hr_alg)job->alg, job->key, job->key_len);
    if (!error)
        error = calls->run(job, &key);
    WIPE(&key);
    return error;
}

static int run_with_key(struct hr_job *job, const struct class_calls *calls)
{
    switch (job->key_form) {
    case HR_KEY_OBJECT:
        return !job->key                              ? HR_EINVAL
               : calls->key_alg(job->key) != job->alg ? HR_ESTATE
                                                      : calls->run(job, job->key);
    case HR_KEY_BYTES:
        return run_with_bytes(job, calls);
    default:
        return job->key_form == HR_KEY_HANDLE ? HR_EHANDLE : HR_EINVAL;
    }
}

/* Public key: the key is an object, and the message is one part. */
static int run_pk(struct hr_job *job, const struct class_calls *calls)
{
    if (job->num_segments || job->state_in || job->state_out)
        return HR_EINVAL;
    return job->key_form == HR_KEY_BYTES ? HR_EINVAL : run_with_key(job, calls);
}

static int run(struct hr_job *job)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    const struct hr_class_info *info = hr_class_of(row);
    const struct class_calls *calls = class_calls(row ? row->cls : HR_CLASS_COPY);
    if ((job->alg && !row) || !calls->run)
        return HR_EALG;
    if (hr_class_pk(info, job->op))
        return run_pk(job, calls);
    if (!hr_class_op(info, job->op) ||
        (!(info->has & HR_HAS_STATES) && (job->state_in || job->state_out)))
        return HR_EINVAL;
    return info->has & HR_HAS_KEY ? run_with_key(job, calls) : calls->run(job, NULL);
}

int job_run_one(struct hr_job *job)
{
    return job->result = job->num_segments && !job->segments ? HR_EINVAL : run(job);
}

static int run_chain(struct hr_job *job)
{
    int error = job_run_one(job);
    for (struct hr_job *next = job->next; next; next = next->next) {
        if (error)
            next->result = HR_ESTATE;
        else
            error = job_run_one(next);
    }
    return error;
}

/* ---- what is just a direct call ---- */

static int is_whole_tag(const struct hr_job *job, const struct lanes_row *row)
{
    return !job->op && (!job->tag_len || job->tag_len == row->out_len);
}

static int is_one_part(const struct hr_job *job)
{
    return !((uintptr_t)job->next | job->num_segments | (uintptr_t)job->state_in |
             (uintptr_t)job->state_out);
}

static int has_cipher_key(const struct hr_job *job)
{
    const struct cipher_key *key = job->key;
    return job->key_form == HR_KEY_OBJECT && key && key->alg == job->alg;
}

/* A job of 16 bytes is over in 6 ns, and the way through run_chain() takes as long, so simple jobs
 * go to their direct calls from here. */
int hr_job_run(struct hr_job *job)
{
    if (!job)
        return HR_EINVAL;
    const struct lanes_row *row = lanes_row(job->alg);
    if (row->digest && digest_batch_takes(job, row) && is_whole_tag(job, row) &&
        (!row->mac || job->key_form == HR_KEY_OBJECT))
        return job->result = row->mac ? hr_hmac(job->tag, job->in, job->len, job->key)
                                      : (lanes_digest(row)->direct(job->tag, job->in, job->len), 0);
    if (row->unit && is_one_part(job) && has_cipher_key(job) && job->op <= HR_JOB_DECRYPT)
        return job->result = (job->op ? hr_cipher_decrypt : hr_cipher_encrypt)(
                   job->out, job->in, job->len, job->key, job->iv, job->iv_len);
    return run_chain(job);
}
