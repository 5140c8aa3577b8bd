/* SPDX-License-Identifier: Apache-2.0 */
/* A digest or an HMAC is a chain of jobs that hand on their state.  XTS advances a key, and the
 * other classes go through their contexts. */
#include "slices.h"
#include <string.h>

enum { XTS_BLOCK = 16, XTS_MOST = 1 << 24 /* bytes of a data unit */ };

/* A class's way to begin, to compute a piece, and to end.  Each returns 0 or an error. */
struct method {
    int (*begin)(struct slices *s);
    int (*piece)(struct slices *s, const struct hr_segment *piece, bool last);
    int (*end)(struct slices *s);
};

static int nothing(struct slices *s)
{
    (void)s;
    return 0;
}

/* ---- digests, HMAC ---- */

static int state_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    struct hr_job job = *s->job;
    uint8_t next[HR_DIGEST_MAX_EXPORT];
    job.segments = NULL;
    job.num_segments = 0;
    job.in = piece->in;
    job.len = piece->len;
    if (s->state_len) {
        job.state_in = s->u.state;
        job.state_in_len = s->state_len;
    }
    if (!last)
        job.state_out = next;
    const int error = hr_job_run(&job);
    if (last) {
        s->job->state_out_len = job.state_out_len;
    } else if (!error) {
        memcpy(s->u.state, next, job.state_out_len);
        s->state_len = job.state_out_len;
    }
    explicit_bzero(next, sizeof next);
    return error;
}

/* ---- ciphers ---- */

static int cipher_begin(struct slices *s)
{
    const struct hr_job *job = s->job;
    return hr_cipher_init(&s->u.cipher, job->key, (enum hr_op)job->op, job->iv, job->iv_len, 0);
}

static int cipher_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    size_t len;
    (void)last;
    return hr_cipher_update(&s->u.cipher, piece->out, piece->len, &len, piece->in, piece->len);
}

/* ---- AEADs ---- */

static size_t tag_len(const struct hr_job *job)
{
    return job->tag_len ? job->tag_len : hr_algorithm((hr_alg)job->alg)->out_len;
}

static int aead_begin(struct slices *s)
{
    const struct hr_job *job = s->job;
    int error = hr_aead_init(&s->u.aead, job->key, (enum hr_op)job->op, job->iv, job->iv_len);
    return error ? error : hr_aead_lengths(&s->u.aead, job->aad_len, job->len, tag_len(job));
}

static int aead_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    (void)last;
    return hr_aead_update(&s->u.aead, piece->out, piece->in, piece->len);
}

static int aead_end(struct slices *s)
{
    const struct hr_job *job = s->job;
    if (job->op == HR_JOB_ENCRYPT)
        return hr_aead_final(&s->u.aead, job->tag, tag_len(job));
    return hr_aead_verify(&s->u.aead, job->tag, tag_len(job));
}

/* ---- MACs with a nonce, CMAC ---- */

static int nmac_begin(struct slices *s)
{
    return hr_nmac_init(&s->u.nmac, s->job->key, s->job->iv, s->job->iv_len);
}

static int nmac_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    (void)last;
    return hr_nmac_update(&s->u.nmac, piece->in, piece->len);
}

static int cmac_begin(struct slices *s)
{
    return hr_cmac_init(&s->u.cmac, s->job->key);
}

static int cmac_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    (void)last;
    return hr_cmac_update(&s->u.cmac, piece->in, piece->len);
}

/* differ takes a time that depends on the length only. */
static bool differ(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint8_t bits = 0;
    for (size_t i = 0; i < len; i++) {
        bits |= a[i] ^ b[i];
        __asm__("" : "+r"(bits));
    }
    return bits;
}

/* Writes or compares a tag that was computed without this error, and wipes it. */
static int give_tag(const struct hr_job *job, uint8_t *tag, size_t tag_size, int error)
{
    const size_t len = tag_len(job);
    if (!error && job->op == HR_JOB_VERIFY)
        error = differ(tag, job->tag, len) ? HR_EMAC : 0;
    else if (!error)
        memcpy(job->tag, tag, len);
    explicit_bzero(tag, tag_size);
    return error;
}

static int nmac_end(struct slices *s)
{
    uint8_t tag[HR_NMAC_MAX_OUT];
    return give_tag(s->job, tag, sizeof tag, hr_nmac_final(&s->u.nmac, tag));
}

static int cmac_end(struct slices *s)
{
    uint8_t tag[HR_CMAC_MAX_OUT];
    return give_tag(s->job, tag, sizeof tag, hr_cmac_final(&s->u.cmac, tag));
}

/* ---- XTS ---- */

/* xts_begin copies the key, because each piece advances it. */
static int xts_begin(struct slices *s)
{
    const struct hr_job *job = s->job;
    if (job->key != &s->own)
        memcpy(&s->own.xts, job->key, hr_xts_key_size((hr_alg)job->alg));
    return 0;
}

static int xts_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    const struct hr_job *job = s->job;
    struct hr_xts_key *key = &s->own.xts;
    const int error = (job->op == HR_JOB_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(
        piece->out, piece->in, piece->len, key, job->iv);
    return error || last ? error : hr_xts_key_advance(key, job->iv, piece->len / XTS_BLOCK);
}

/* ---- jobs that cannot be cut ---- */

static int whole_piece(struct slices *s, const struct hr_segment *piece, bool last)
{
    (void)piece;
    (void)last;
    return hr_job_run(s->job);
}

static const struct method whole = { nothing, whole_piece, nothing };
static const struct method by_state = { nothing, state_piece, nothing };
static const struct method of_cipher = { cipher_begin, cipher_piece, nothing };
static const struct method of_aead = { aead_begin, aead_piece, aead_end };
static const struct method of_nmac = { nmac_begin, nmac_piece, nmac_end };
static const struct method of_cmac = { cmac_begin, cmac_piece, cmac_end };
static const struct method of_xts = { xts_begin, xts_piece, nothing };

/* ---- any class ---- */

/* class_method returns the method for a job that can be cut, or NULL. */
static const struct method *class_method(const struct hr_job *job)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    if (!row)
        return NULL;
    switch (row->cls) {
    case HR_CLASS_DIGEST:
    case HR_CLASS_MAC:
        return &by_state;
    case HR_CLASS_CIPHER:
        return &of_cipher;
    case HR_CLASS_AEAD:
        return &of_aead;
    case HR_CLASS_NMAC:
        return &of_nmac;
    case HR_CLASS_CMAC:
        return &of_cmac;
    case HR_CLASS_XTS:
        return &of_xts;
    default:
        return NULL;
    }
}

static bool overlap(const struct hr_segment *part)
{
    const uint8_t *in = part->in, *out = part->out;
    return out && in != out && in < out + part->len && out < in + part->len;
}

static struct hr_segment part_of(const struct hr_job *job, size_t i)
{
    return job->num_segments ? job->segments[i]
                             : (struct hr_segment){ job->in, job->out, job->len };
}

static size_t num_parts(const struct hr_job *job)
{
    return job->num_segments ? job->num_segments : 1;
}

static bool is_xts_unit(const struct hr_job *job, const struct hr_algorithm *row)
{
    return !job->num_segments && job->iv_len == row->iv_len && job->len <= XTS_MOST;
}

bool slices_may_cut(const struct hr_job *job)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)job->alg);
    if (!class_method(job) || (row->cls == HR_CLASS_XTS && !is_xts_unit(job, row)))
        return false;
    const size_t block = row->cls == HR_CLASS_CIPHER && row->block_len ? row->block_len : 1;
    for (size_t i = 0; i < num_parts(job); i++) {
        const struct hr_segment part = part_of(job, i);
        if (overlap(&part) || part.len % block)
            return false;
    }
    return true;
}

/* Makes the key, if there are only its bytes. */
static int own_key(struct slices *s)
{
    struct hr_job *job = s->job;
    if (job->key_form != HR_KEY_BYTES)
        return 0;
    const int error = hr_any_key_init(&s->own, (hr_alg)job->alg, job->key, job->key_len);
    job->key = &s->own;
    job->key_form = HR_KEY_OBJECT;
    job->key_len = 0;
    return error;
}

void slices_begin(struct slices *s, struct hr_job *job, size_t piece)
{
    const bool may_cut = slices_may_cut(job);
    piece -= piece % SLICES_UNIT;
    s->job = job;
    s->method = may_cut ? class_method(job) : &whole;
    s->piece = !may_cut ? SIZE_MAX : piece ? piece : SLICES_UNIT;
    s->aad_at = s->part = s->at = s->state_len = 0;
    job->result = may_cut ? own_key(s) : 0;
    if (!job->result)
        job->result = s->method->begin(s);
}

/* Absorbs a piece of the AAD, which only AEADs have. */
static int aad_step(struct slices *s)
{
    const size_t left = s->job->aad_len - s->aad_at, len = left < s->piece ? left : s->piece;
    const int error = hr_aead_aad(&s->u.aead, s->job->aad + s->aad_at, len);
    s->aad_at += len;
    return error;
}

/* Computes a piece of the present segment.  A segment of length 0 is a piece too.  The last piece
 * has SLICES_UNIT bytes more at most, so that XTS has two blocks to steal ciphertext from. */
static int part_step(struct slices *s, bool *ended)
{
    const struct hr_segment part = part_of(s->job, s->part);
    const size_t left = part.len - s->at;
    const size_t len = left > s->piece && left - s->piece >= SLICES_UNIT ? s->piece : left;
    const struct hr_segment piece = { (const uint8_t *)part.in + s->at,
                                      part.out ? (uint8_t *)part.out + s->at : NULL, len };
    *ended = s->method == &whole || (len == left && s->part + 1 == num_parts(s->job));
    const int error = s->method->piece(s, &piece, *ended);
    s->at += len;
    if (s->at == part.len) {
        s->part++;
        s->at = 0;
    }
    return error || !*ended ? error : s->method->end(s);
}

bool slices_step(struct slices *s)
{
    struct hr_job *job = s->job;
    bool ended = false;
    if (!job->result && s->method == &of_aead && s->aad_at < job->aad_len)
        job->result = aad_step(s);
    else if (!job->result)
        job->result = part_step(s, &ended);
    if (!job->result && !ended)
        return false;
    slices_drop(s);
    return true;
}

void slices_drop(struct slices *s)
{
    explicit_bzero(s, sizeof *s);
}
