/* SPDX-License-Identifier: Apache-2.0 */
/* From a job of public key to a request, and from its completion to the job.  What does not have
 * the usual form runs in this process. */
#include "../public_key.h"
#include "internal.h"
#include <headrace/classes.h>
#include <headrace/rsa.h>
#include <string.h>

/* A job as a request: its options, its context, and its lengths. */
struct shape_of_job {
    struct ring_options options;
    const uint8_t *context;
    uint32_t context_len;
    uint32_t len, tag_in; /* of the message, and of a signature behind it */
    uint32_t most;        /* of the result */
};

/* ---- options ---- */

static int take_rsa_options(struct shape_of_job *s, const struct hr_rsa_options *o)
{
    if (!o || o->random || o->label_len > PK_CONTEXT || (o->label_len && !o->label) ||
        (unsigned)o->padding > UINT8_MAX || (unsigned)o->digest > UINT16_MAX ||
        (unsigned)o->mgf_digest > UINT16_MAX)
        return 0;
    s->context = o->label;
    s->context_len = (uint32_t)o->label_len;
    s->options = (struct ring_options){
        .padding = (uint8_t)o->padding,
        .flags =
            (uint8_t)((o->raise_errors ? RING_RAISE_ERRORS : 0) | (o->strict ? RING_STRICT : 0)),
        .digest = (uint16_t)o->digest,
        .mgf_digest = (uint16_t)o->mgf_digest,
        .client_version = o->client_version,
        .negotiated_version = o->negotiated_version,
        .salt_len = o->salt_len,
    };
    return 1;
}

static int take_sign_options(struct shape_of_job *s, const struct hr_sign_options *o)
{
    if (!o)
        return 1;
    if (o->random || o->flags > UINT8_MAX || o->context_len > PK_CONTEXT ||
        (o->context_len && !o->context) || (unsigned)o->digest > UINT16_MAX)
        return 0;
    s->context = o->context;
    s->context_len = (uint32_t)o->context_len;
    s->options = (struct ring_options){ .flags = (uint8_t)o->flags, .digest = (uint16_t)o->digest };
    return 1;
}

static int take_options(struct shape_of_job *s, const struct hr_job *job)
{
    switch (job->alg >> 8) {
    case HR_CLASS_RSA:
        return take_rsa_options(s, job->options);
    case HR_CLASS_SIGN:
        return take_sign_options(s, job->options);
    default:
        return !job->options;
    }
}

/* ---- encoding ---- */

/* shape returns 0 for a job that the service does not take. */
static int shape(struct shape_of_job *s, const struct hr_job *job, const struct lent_facts *k)
{
    const struct hr_class_op *op = hr_class_pk(hr_class_info(job->alg >> 8), job->op);
    memset(s, 0, sizeof *s);
    if (!op || job->next || job->num_segments || job->state_in || job->state_out || !job->tag ||
        (!job->key && job->key_form == HR_KEY_OBJECT))
        return 0;
    const int encapsulates = op->out == HR_OUT_CIPHERTEXT;
    if ((encapsulates && (job->len < k->cipher_len || !job->out)) ||
        (!encapsulates && (job->len > PK_MESSAGE || (job->len && !job->in))))
        return 0;
    if (job->op != HR_JOB_PK_DECRYPT && job->tag_len && job->tag_len != k->result_len)
        return 0;
    s->len = encapsulates ? 0 : (uint32_t)job->len;
    s->tag_in = op->tag == HR_TAG_TAKEN ? k->result_len : 0;
    s->most = s->tag_in ? 0 : k->result_len + (encapsulates ? k->cipher_len : 0);
    return take_options(s, job);
}

static uint32_t up(uint32_t len)
{
    return (len + 15) & ~15u;
}

static void fill(struct ring_request *r, const struct shape_of_job *s, const struct hr_job *job,
                 uint16_t alg, uint64_t number, uint32_t at)
{
    const uint32_t context = at + up(s->len + s->tag_in);
    const struct ring_request head = {
        .alg = alg, .op = job->op, .flags = RING_FAR | RING_HANDLE, .iv_len = sizeof s->options
    };
    memcpy(r, &head, offsetof(struct ring_request, len));
    r->len = s->len;
    r->u.far = (struct ring_far){ .in = at,
                                  .out = context + up(s->context_len),
                                  .aad = s->context_len ? context : 0,
                                  .aad_len = s->context_len,
                                  .handle = number,
                                  .key = (uint32_t)(ticks_clock() / 1000) };
    memcpy(r->u.far.iv, &s->options, sizeof s->options);
}

static void copy_in(uint8_t *base, const struct ring_request *r, const struct shape_of_job *s,
                    const struct hr_job *job)
{
    if (s->len)
        memcpy(base + r->u.far.in, job->in, s->len);
    if (s->tag_in)
        memcpy(base + r->u.far.in + s->len, job->tag, s->tag_in);
    if (s->context_len)
        memcpy(base + r->u.far.aad, s->context, s->context_len);
}

enum encoded unit_encode_job(struct subring *s, struct hr_job *job, uint64_t number,
                             const struct lent_facts *facts)
{
    struct pending *p = &s->pending[s->next % RING_DEPTH];
    struct ring_request *slot = &s->requests[s->next % RING_DEPTH];
    struct shape_of_job shaped;
    struct ring_request r;
    if (!shape(&shaped, job, facts))
        return ENCODED_HERE;
    if (subring_outstanding(s) >= RING_DEPTH || p->job)
        return ENCODED_FULL;
    p->block_len = up(shaped.len + shaped.tag_in) + up(shaped.context_len) + up(shaped.most);
    p->block = p->block_len ? window_take(&s->window, p->block_len) : 0;
    if (p->block == NOWHERE)
        return subring_outstanding(s) ? ENCODED_FULL : ENCODED_HERE;
    fill(&r, &shaped, job, facts->alg, number, p->block);
    copy_in(s->window.base, &r, &shaped, job);
    memcpy(slot, &r, offsetof(struct ring_request, seq));
    memcpy(&slot->u, &r.u, sizeof slot->u);
    p->job = job;
    p->number = s->next;
    p->at[0].out = r.u.far.out;
    p->at[0].tag = shaped.most;
    p->state = facts->cipher_len;
    job->result = HR_EPENDING;
    ring_publish(&slot->seq, ++s->next); /* the whole request, then its number */
    return ENCODED;
}

/* ---- decoding ---- */

/* take_result writes the outputs of a job, whose result has len bytes. */
static enum taken take_result(const struct subring *s, const struct pending *p, uint32_t len)
{
    struct hr_job *job = p->job;
    const uint8_t *from = s->window.base + p->at[0].out;
    const uint32_t most = p->at[0].tag;
    const int decrypts = job->alg >> 8 == HR_CLASS_RSA && job->op == HR_JOB_PK_DECRYPT;
    const int encapsulates = job->alg >> 8 == HR_CLASS_KEM && job->op == HR_JOB_ENCAPSULATE;
    if (len > most || (len != most && !decrypts))
        return TAKEN_BROKEN;
    if (decrypts && job->tag_len && len > job->tag_len)
        return TAKEN_HERE; /* where the direct call says that the buffer is too small */
    const uint32_t out = encapsulates ? p->state : 0;
    if (out)
        memcpy(job->out, from, out);
    if (len > out)
        memcpy(job->tag, from + out, len - out);
    if (decrypts)
        job->tag_len = len;
    job->result = 0;
    return TAKEN_DONE;
}

/* is_final tells whether an error says something of the job's data, and not of the service.  What
 * the service says of a job whose key it alone has is final, unless it does not know the key. */
static int is_final(const struct hr_job *job, int32_t result)
{
    if (is_named(job))
        return result != HR_EHANDLE;
    return (result == HR_EMAC && job->op == HR_JOB_VERIFY) ||
           (result == HR_EPADDING && job->op == HR_JOB_PK_DECRYPT);
}

/* note_key notes whether the service knew the key of a job that is_named. */
static void note_key(const struct subring *s, const struct pending *p, int32_t result)
{
    if (result == HR_EHANDLE)
        key_forgotten(p->job, p->key, s->connection);
    else
        key_works(p->job);
}

enum taken unit_decode(struct subring *s, struct hr_job **job)
{
    if (!subring_outstanding(s) || !subring_ready(s))
        return TAKEN_NONE;
    const struct ring_completion *c = &s->completions[s->completed % RING_DEPTH];
    const uint32_t number = c->request;
    const int32_t result = c->result;
    uint32_t numbers[2]; /* the result's length, and the load */
    memcpy(numbers, c->bytes, sizeof numbers);
    struct pending *p = &s->pending[number % RING_DEPTH];
    enum taken taken = TAKEN_HERE;
    __asm__ volatile("" : : : "memory"); /* the copies are checked, and nothing is read again */
    if (!p->job || p->number != number || !is_result(result))
        return TAKEN_BROKEN;
    if (!result && (taken = take_result(s, p, numbers[0])) == TAKEN_BROKEN)
        return TAKEN_BROKEN;
    if (!result && taken == TAKEN_HERE && is_named(p->job)) {
        p->job->result = HR_EBUFFER;
        taken = TAKEN_DONE;
    }
    if (result && is_final(p->job, result)) {
        p->job->result = result;
        taken = TAKEN_DONE;
    }
    if (is_named(p->job))
        note_key(s, p, result);
    else if (!result)
        unit_pace_load(p->pace, numbers[1]);
    if (p->begun && s->waited) /* else the caller may have come late */
        unit_pace_took(p->pace, ticks() - p->begun);
    if (p->block_len) {
        explicit_bzero(s->window.base + p->block, p->block_len);
        window_give(&s->window, p->block, p->block_len);
    }
    *job = p->job;
    p->job = NULL;
    s->completed++;
    return taken;
}
