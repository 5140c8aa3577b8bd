/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pk_request.h"
#include "../check.h"
#include "custody.h"
#include <headrace/classes.h>
#include <string.h>

/* ---- the descriptor ---- */

static struct ring_options options_of(const struct ring_request *q)
{
    struct ring_options o;
    memcpy(&o, q->u.far.iv, sizeof o);
    return o;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
    uint8_t any = 0;
    for (size_t i = 0; i < len; i++)
        any |= bytes[i];
    return !any;
}

static int judge_options(const struct ring_request *q, unsigned cls)
{
    const struct ring_options o = options_of(q);
    if (cls == HR_CLASS_RSA)
        return o.padding > HR_RSA_TLS || o.flags & ~(RING_RAISE_ERRORS | RING_STRICT) || o.reserved
                   ? HR_EINVAL
                   : 0;
    if (cls != HR_CLASS_SIGN)
        return q->u.far.aad_len || !is_zero(q->u.far.iv, sizeof q->u.far.iv) ? HR_EINVAL : 0;
    return o.padding || o.mgf_digest || o.client_version || o.negotiated_version || o.reserved ||
                   o.salt_len
               ? HR_EINVAL
               : 0;
}

int pk_request_judge(const struct ring_request *q)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)q->alg);
    if (!row || !hr_class_info(row->cls)->pk[0].word)
        return HR_EALG;
    if (!hr_class_pk(hr_class_info(row->cls), q->op) || q->flags != (RING_FAR | RING_HANDLE) ||
        q->key_len || q->iv_len != sizeof(struct ring_options) || q->tag_len || q->key_slot ||
        q->u.far.more)
        return HR_EINVAL;
    if (q->len > PK_MESSAGE || q->u.far.aad_len > PK_CONTEXT)
        return HR_ELENGTH;
    return judge_options(q, row->cls);
}

/* ---- the job ---- */

/* The lengths of a request's signature to verify, and of its results. */
struct lens {
    uint32_t tag_in, tag_out, out;
};

static struct lens lens_of(const struct pk_request *r)
{
    const struct lent_made *key = &r->key->made;
    const struct hr_class_op *op =
        hr_class_pk(hr_class_of(hr_algorithm((hr_alg)r->q.alg)), r->q.op);
    return (struct lens){
        .tag_in = op->tag == HR_TAG_TAKEN ? key->result_len : 0,
        .tag_out = op->tag == HR_TAG_GIVEN ? key->result_len : 0,
        .out = op->out == HR_OUT_CIPHERTEXT ? key->cipher_len : 0,
    };
}

static int judge_places(const struct ring_request *q, const struct lens *lens, uint32_t size)
{
    struct spans s;
    s.num_in = s.num_out = 0;
    spans_in(&s, q->u.far.in, (uint64_t)q->len + lens->tag_in);
    spans_in(&s, q->u.far.aad, q->u.far.aad_len);
    spans_out(&s, q->u.far.out, (uint64_t)lens->out + lens->tag_out);
    return spans_check(&s, size);
}

static void copy_in(struct pk_request *r, const struct lens *lens, const struct view *window)
{
    const struct ring_far *far = &r->q.u.far;
    if (r->q.len)
        memcpy(r->message, window->base + far->in, r->q.len);
    if (lens->tag_in)
        memcpy(r->tag, window->base + far->in + r->q.len, lens->tag_in);
    if (far->aad_len)
        memcpy(r->context, window->base + far->aad, far->aad_len);
    SETTLE();
}

static void set_rsa_options(struct pk_request *r)
{
    const struct ring_options o = options_of(&r->q);
    r->options.rsa = (struct hr_rsa_options){
        .padding = (enum hr_rsa_padding)o.padding,
        .digest = (hr_alg)o.digest,
        .mgf_digest = (hr_alg)o.mgf_digest,
        .salt_len = o.salt_len,
        .label = r->q.u.far.aad_len ? r->context : NULL,
        .label_len = r->q.u.far.aad_len,
        .client_version = o.client_version,
        .negotiated_version = o.negotiated_version,
        .raise_errors = (o.flags & RING_RAISE_ERRORS) != 0,
        .strict = (o.flags & RING_STRICT) != 0,
    };
    r->job.options = &r->options.rsa;
}

static void set_sign_options(struct pk_request *r)
{
    const struct ring_options o = options_of(&r->q);
    r->options.sign = (struct hr_sign_options){
        .flags = o.flags,
        .digest = (hr_alg)o.digest,
        .context = r->q.u.far.aad_len ? r->context : NULL,
        .context_len = r->q.u.far.aad_len,
    };
    r->job.options = &r->options.sign;
}

static void set_options(struct pk_request *r)
{
    switch ((int)hr_algorithm((hr_alg)r->q.alg)->cls) {
    case HR_CLASS_RSA:
        set_rsa_options(r);
        break;
    case HR_CLASS_SIGN:
        set_sign_options(r);
        break;
    default:
        break;
    }
}

int pk_request_decode(struct pk_request *r, const struct view *window)
{
    const struct lens lens = lens_of(r);
    r->job = (struct hr_job){ .alg = r->q.alg,
                              .op = r->q.op,
                              .key_form = HR_KEY_OBJECT,
                              .key = r->key->made.object,
                              .in = r->message,
                              .len = lens.out ? lens.out : r->q.len,
                              .out = lens.out ? r->out : NULL,
                              .tag = r->tag,
                              .tag_len = r->key->made.result_len,
                              .user = r };
    if (lens.out && r->q.len)
        return r->job.result = HR_ELENGTH;
    r->job.result = judge_places(&r->q, &lens, window->len);
    if (r->job.result)
        return r->job.result;
    copy_in(r, &lens, window);
    set_options(r);
    if (r->key->made.named)
        r->job.result = custody_judge(r, r->key->made.named);
    return r->job.result;
}

/* ---- the result ---- */

uint32_t pk_request_result_len(const struct pk_request *r)
{
    const struct lens lens = lens_of(r);
    if (r->job.result || !lens.tag_out)
        return 0;
    return lens.out + (r->job.tag_len < lens.tag_out ? r->job.tag_len : lens.tag_out);
}

void pk_request_publish(const struct pk_request *r, const struct view *window)
{
    const struct lens lens = lens_of(r);
    uint8_t *out = window->base + r->q.u.far.out;
    const uint32_t len = pk_request_result_len(r);
    if (!len)
        return;
    if (lens.out)
        memcpy(out, r->out, lens.out);
    memcpy(out + lens.out, r->tag, len - lens.out);
}

void pk_request_complete(struct ring_completion *out, uint32_t number, int32_t result, uint32_t len,
                         uint32_t load)
{
    const uint32_t numbers[] = { len, load };
    out->result = result;
    out->request = number;
    out->len = result ? 0 : sizeof numbers;
    out->state_len = 0;
    out->done = !result;
    memset(out->bytes, 0, sizeof out->bytes);
    if (!result)
        memcpy(out->bytes, numbers, sizeof numbers);
}

void pk_request_wipe(struct pk_request *r)
{
    const struct lens lens = lens_of(r);
    explicit_bzero(r->message, r->q.len);
    explicit_bzero(r->context, r->q.u.far.aad_len);
    explicit_bzero(r->tag, lens.tag_in + lens.tag_out);
    explicit_bzero(r->out, lens.out);
}
