/* SPDX-License-Identifier: Apache-2.0 */
/* A job as direct calls: one row of `classes` for each class of algorithms.  A message in segments,
 * or in several jobs, goes through a context. */
#include "job.h"
#include "aead.h"
#include "batch_run.h"
#include "hmac.h"
#include "nmac.h"
#include "xts.h"

/* What a job reads and writes as a list, where it has no segments. */
struct parts {
    const struct hr_segment *parts;
    size_t num;
    struct hr_segment whole;
};

static void job_parts(struct parts *p, const struct hr_job *job)
{
    p->whole = (struct hr_segment){ job->in, job->out, job->len };
    p->parts = job->num_segments ? job->segments : &p->whole;
    p->num = job->num_segments ? job->num_segments : 1;
}

static size_t tag_len(const struct hr_job *job, size_t out_len)
{
    return job->tag_len ? job->tag_len : out_len;
}

/* The first bytes of a whole tag. */
static int store_tag(const struct hr_job *job, const uint8_t *tag, size_t out_len)
{
    const size_t len = tag_len(job, out_len);
    if (!job->tag)
        return HR_EINVAL;
    if (len > out_len)
        return HR_ETAGLEN;
    memcpy(job->tag, tag, len);
    return 0;
}

static int verify_tag(const struct hr_job *job, const uint8_t *tag, size_t out_len)
{
    const size_t len = tag_len(job, out_len);
    if (!job->tag)
        return HR_EINVAL;
    if (len > out_len)
        return HR_ETAGLEN;
    uint32_t differ = 0;
    for (size_t i = 0; i < len; i++)
        differ |= tag[i] ^ job->tag[i];
    differ = ct_hide(differ);
    CT_PUBLIC(&differ, sizeof differ); /* whether they are equal is the answer */
    return differ ? HR_EMAC : 0;
}

static int tag_done(const struct hr_job *job, const uint8_t *tag, size_t out_len)
{
    return job->op == HR_JOB_VERIFY ? verify_tag(job, tag, out_len) : store_tag(job, tag, out_len);
}

/* ---- digests ---- */

static int digest_parts(struct hr_digest_ctx *ctx, struct hr_job *job)
{
    struct parts p;
    job_parts(&p, job);
    int error = 0;
    for (size_t i = 0; !error && i < p.num; i++)
        error = hr_digest_update(ctx, p.parts[i].in, p.parts[i].len);
    return error;
}

static const struct digest_impl *digest_of(const void *ctx)
{
    return ((const struct digest_ctx *)ctx)->impl;
}

static int run_digest(struct hr_job *job, const void *key)
{
    struct hr_digest_ctx ctx;
    uint8_t tag[HR_DIGEST_MAX_OUT];
    const hr_alg alg = (hr_alg)job->alg;
    size_t state_len = 0;
    int error = job->op != HR_JOB_DIGEST ? HR_EINVAL
                : job->state_in          ? hr_digest_import(&ctx, job->state_in, job->state_in_len)
                                         : hr_digest_init(&ctx, alg);
    if (!error && digest_of(&ctx) != digest_impl(alg))
        error = HR_EALG;
    if (!error)
        error = digest_parts(&ctx, job);
    if (!error && job->state_out) {
        error = hr_digest_export(&ctx, job->state_out, HR_DIGEST_MAX_EXPORT, &state_len);
        job->state_out_len = (uint32_t)state_len;
    } else if (!error) {
        error = hr_digest_final(&ctx, tag);
        if (!error)
            error = store_tag(job, tag, hr_algorithm(alg)->out_len);
    }
    WIPE(&ctx);
    WIPE(&tag);
    return error;
}

/* ---- HMAC ---- */

static int hmac_stream(struct hr_job *job, const struct hr_hmac_key *key, uint8_t *tag)
{
    struct hr_hmac_ctx ctx;
    struct parts p;
    size_t state_len = 0;
    int error = job->state_in ? hr_hmac_import(&ctx, key, job->state_in, job->state_in_len)
                              : hr_hmac_init(&ctx, key);
    job_parts(&p, job);
    for (size_t i = 0; !error && i < p.num; i++)
        error = hr_hmac_update(&ctx, p.parts[i].in, p.parts[i].len);
    if (!error && job->state_out) {
        error = hr_hmac_export(&ctx, job->state_out, HR_HMAC_MAX_EXPORT, &state_len);
        job->state_out_len = (uint32_t)state_len;
    } else if (!error) {
        error = hr_hmac_final(&ctx, tag);
    }
    WIPE(&ctx);
    return error;
}

static int run_hmac(struct hr_job *job, const void *key)
{
    uint8_t tag[HR_DIGEST_MAX_OUT];
    const int whole = !job->state_in && !job->state_out && !job->num_segments;
    int error = whole ? hr_hmac(tag, job->in, job->len, key) : hmac_stream(job, key, tag);
    if (!error && !job->state_out)
        error = tag_done(job, tag, hr_algorithm((hr_alg)job->alg)->out_len);
    WIPE(&tag);
    return error;
}

static hr_alg alg_of_hmac(const void *key)
{
    return (hr_alg)((const struct hmac_key *)key)->alg;
}

static int init_hmac(union job_key *key, const struct hr_job *job)
{
    return hr_hmac_key_init(&key->hmac, (hr_alg)job->alg, job->key, job->key_len);
}

/* ---- ciphers ---- */

/* Parts may end inside a block: what waits in the context comes out with a later part, and what
 * does not fit a part's end would have to wait there too; so only streams may be cut anywhere. */
static int run_cipher(struct hr_job *job, const void *key)
{
    const enum hr_op op = (enum hr_op)job->op;
    struct hr_cipher_ctx ctx;
    if (!job->num_segments)
        return (op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
            job->out, job->in, job->len, key, job->iv, job->iv_len);
    int error = hr_cipher_init(&ctx, key, op, job->iv, job->iv_len, 0);
    for (size_t i = 0; !error && i < job->num_segments; i++) {
        const struct hr_segment *part = &job->segments[i];
        size_t out_len = 0;
        if (part->len % hr_algorithm((hr_alg)job->alg)->block_len)
            error = HR_ELENGTH;
        else
            error = hr_cipher_update(&ctx, part->out, part->len, &out_len, part->in, part->len);
    }
    WIPE(&ctx);
    return error;
}

static hr_alg alg_of_cipher(const void *key)
{
    return (hr_alg)((const struct cipher_key *)key)->alg;
}

static int init_cipher(union job_key *key, const struct hr_job *job)
{
    return hr_cipher_key_init(&key->cipher, (hr_alg)job->alg, job->key, job->key_len);
}

/* ---- AEADs ---- */

/* What was decrypted and has a wrong tag is wiped. */
static int aead_parts(struct hr_job *job, const struct hr_aead_key *key)
{
    struct hr_aead_ctx ctx;
    const size_t len = tag_len(job, HR_AEAD_MAX_TAG);
    uint64_t total = 0;
    size_t done = 0;
    for (size_t i = 0; i < job->num_segments; i++)
        total += job->segments[i].len;
    int error = hr_aead_init(&ctx, key, (enum hr_op)job->op, job->iv, job->iv_len);
    if (!error)
        error = hr_aead_lengths(&ctx, job->aad_len, total, len);
    if (!error && job->aad_len)
        error = hr_aead_aad(&ctx, job->aad, job->aad_len);
    for (; !error && done < job->num_segments; done++)
        error = hr_aead_update(&ctx, job->segments[done].out, job->segments[done].in,
                               job->segments[done].len);
    if (!error)
        error = job->op == HR_JOB_ENCRYPT ? hr_aead_final(&ctx, job->tag, len)
                                          : hr_aead_verify(&ctx, job->tag, len);
    if (error && job->op == HR_JOB_DECRYPT)
        for (size_t i = 0; i < done; i++)
            wipe_bytes(job->segments[i].out, job->segments[i].len);
    WIPE(&ctx);
    return error;
}

static int run_aead(struct hr_job *job, const void *key)
{
    const size_t len = tag_len(job, HR_AEAD_MAX_TAG);
    if (!job->tag)
        return HR_EINVAL;
    if (job->num_segments)
        return aead_parts(job, key);
    if (job->op == HR_JOB_ENCRYPT)
        return hr_aead_encrypt(job->out, job->tag, len, job->in, job->len, job->aad, job->aad_len,
                               key, job->iv, job->iv_len);
    return hr_aead_decrypt(job->out, job->tag, len, job->in, job->len, job->aad, job->aad_len, key,
                           job->iv, job->iv_len);
}

static hr_alg alg_of_aead(const void *key)
{
    return (hr_alg)((const struct aead_key *)key)->alg;
}

static int init_aead(union job_key *key, const struct hr_job *job)
{
    return hr_aead_key_init(&key->aead, (hr_alg)job->alg, job->key, job->key_len);
}

/* ---- MACs with a nonce ---- */

static int run_nmac(struct hr_job *job, const void *key)
{
    uint8_t tag[HR_NMAC_MAX_OUT];
    struct hr_nmac_ctx ctx;
    struct parts p;
    int error = hr_nmac_init(&ctx, key, job->iv, job->iv_len);
    job_parts(&p, job);
    for (size_t i = 0; !error && i < p.num; i++)
        error = hr_nmac_update(&ctx, p.parts[i].in, p.parts[i].len);
    if (!error)
        error = hr_nmac_final(&ctx, tag);
    if (!error)
        error = tag_done(job, tag, hr_algorithm((hr_alg)job->alg)->out_len);
    WIPE(&ctx);
    WIPE(&tag);
    return error;
}

static hr_alg alg_of_nmac(const void *key)
{
    return (hr_alg)((const struct nmac_key *)key)->alg;
}

static int init_nmac(union job_key *key, const struct hr_job *job)
{
    return hr_nmac_key_init(&key->nmac, (hr_alg)job->alg, job->key, job->key_len);
}

/* ---- XTS ---- */

static int run_xts(struct hr_job *job, const void *key)
{
    if (job->num_segments)
        return HR_EINVAL;
    if (job->iv_len != 16)
        return HR_EIVLEN;
    return (job->op == HR_JOB_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(job->out, job->in,
                                                                         job->len, key, job->iv);
}

static hr_alg alg_of_xts(const void *key)
{
    return (hr_alg)((const struct xts_key *)key)->alg;
}

static int init_xts(union job_key *key, const struct hr_job *job)
{
    return hr_xts_key_init(&key->xts, (hr_alg)job->alg, job->key, job->key_len);
}

/* ---- any ---- */

static int run_copy(struct hr_job *job)
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

static const struct {
    int (*run)(struct hr_job *job, const void *key);
    int (*init)(union job_key *key, const struct hr_job *job); /* NULL: no key */
    hr_alg (*alg_of)(const void *key);
    int states; /* may come in several jobs */
} classes[] = {
    [HR_CLASS_DIGEST] = { run_digest, NULL, NULL, 1 },
    [HR_CLASS_MAC] = { run_hmac, init_hmac, alg_of_hmac, 1 },
    [HR_CLASS_CIPHER] = { run_cipher, init_cipher, alg_of_cipher, 0 },
    [HR_CLASS_AEAD] = { run_aead, init_aead, alg_of_aead, 0 },
    [HR_CLASS_NMAC] = { run_nmac, init_nmac, alg_of_nmac, 0 },
    [HR_CLASS_XTS] = { run_xts, init_xts, alg_of_xts, 0 },
};

static int run_row(struct hr_job *job)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    union job_key key;
    if (!row || (size_t)row->cls >= COUNT(classes) || !classes[row->cls].run)
        return HR_EALG;
    if (job->op > 1 || (!classes[row->cls].states && (job->state_in || job->state_out)))
        return HR_EINVAL;
    if (!classes[row->cls].init)
        return classes[row->cls].run(job, NULL);
    if (job->key_form == HR_KEY_HANDLE)
        return HR_EHANDLE;
    if (job->key_form == HR_KEY_OBJECT)
        return !job->key ? HR_EINVAL
               : classes[row->cls].alg_of(job->key) != row->alg
                   ? HR_ESTATE
                   : classes[row->cls].run(job, job->key);
    if (job->key_form != HR_KEY_BYTES)
        return HR_EINVAL;
    int error = classes[row->cls].init(&key, job);
    if (!error)
        error = classes[row->cls].run(job, &key);
    WIPE(&key);
    return error;
}

int job_run_one(struct hr_job *job)
{
    if (job->num_segments && !job->segments)
        return job->result = HR_EINVAL;
    return job->result = job->alg == HR_ALG_NONE ? run_copy(job) : run_row(job);
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

/* A job of 16 bytes is over in 6 ns, and a walk through the table above takes as long. */
int hr_job_run(struct hr_job *job)
{
    if (!job)
        return HR_EINVAL;
    const struct lanes_row *row = lanes_row(job->alg);
    if (row->impl && digest_batch_takes(job, row) && is_whole_tag(job, row) &&
        (!row->mac || job->key_form == HR_KEY_OBJECT))
        return job->result = row->mac ? hr_hmac(job->tag, job->in, job->len, job->key)
                                      : (row->impl->direct(job->tag, job->in, job->len), 0);
    if (row->unit && is_one_part(job) && has_cipher_key(job) && job->op <= HR_JOB_DECRYPT)
        return job->result = (job->op ? hr_cipher_decrypt : hr_cipher_encrypt)(
                   job->out, job->in, job->len, job->key, job->iv, job->iv_len);
    return run_chain(job);
}
