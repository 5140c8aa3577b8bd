/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines of OpenSSL 3.5 and later (provider-cipher(7)): one call processes several messages, the
 * pipes, under one key.  For encryption in CBC and CFB128, where each block of a message needs the
 * one before, the pipes share the lanes of a local queue.  The other modes are parallel in one
 * message, so their pipes run one after the other.  If an update fails in one pipe, the state of
 * the others is undefined: only a new init helps. */
#include "cipher.h"
#include <headrace/queue.h>
#include <stdlib.h>

enum { MAX_PIPES = 32 /* EVP_MAX_PIPES */ };

struct pipes {
    size_t num, num_ivs; /* num_ivs: pipes that got IVs in the last init with IVs */
    struct hr_cipher_ctx streams[MAX_PIPES];
    uint8_t ivs[MAX_PIPES][HR_CIPHER_MAX_IV];  /* set by the program */
    uint8_t next[MAX_PIPES][HR_CIPHER_MAX_IV]; /* IVs of the jobs */
    struct hr_job jobs[MAX_PIPES];
    struct hr_queue *queue; /* NULL until it is needed */
    void *memory;           /* memory of the queue */
};

/* ---- memory ---- */

void pipeline_free(struct cipher *c)
{
    if (!c->pipes)
        return;
    hr_queue_close(c->pipes->queue);
    free(c->pipes->memory);
    WIPE(c->pipes);
    free(c->pipes);
    c->pipes = NULL;
}

int pipeline_dup(struct cipher *copy)
{
    const struct pipes *from = copy->pipes;
    if (!from)
        return 1;
    struct pipes *to = copy->pipes = malloc(sizeof *to);
    if (!to)
        return 0;
    *to = *from;
    to->queue = NULL;
    to->memory = NULL;
    for (size_t i = 0; copy->use == PIPES_RUNNING && i < to->num; i++)
        if (hr_cipher_set_key(&to->streams[i], &copy->key))
            return 0;
    return 1;
}

static COLD int open_queue(struct pipes *p)
{
    const size_t size = (hr_queue_local_size(MAX_PIPES) + 63) & ~(size_t)63;
    p->memory = aligned_alloc(64, size);
    if (p->memory && !hr_queue_local(&p->queue, p->memory, size, MAX_PIPES))
        return 1;
    free(p->memory);
    p->memory = NULL;
    return 0;
}

/* ---- init ---- */

/* set_ivs without IVs leaves those that the program gave last, from which the pipes start again. */
static int set_ivs(struct cipher *c, size_t num, const unsigned char **iv, size_t iv_len)
{
    struct pipes *p = c->pipes;
    const size_t want = c->row->iv_len;
    if (!want || !iv)
        return 1;
    p->num_ivs = 0;
    if (iv_len != want)
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH);
    for (size_t i = 0; i < num; i++) {
        if (!iv[i])
            return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH);
        memcpy(p->ivs[i], iv[i], want);
    }
    p->num_ivs = num;
    return 1;
}

static int pipeline_init(struct cipher *c, enum hr_op op, const unsigned char *key, size_t key_len,
                         size_t num, const unsigned char **iv, size_t iv_len,
                         const OSSL_PARAM params[])
{
    c->use = PIPES_ENDED; /* until init succeeds */
    c->running = 0;
    if (!num || num > MAX_PIPES)
        return RAISE(c->provider, PROV_R_NOT_SUPPORTED);
    if (!c->pipes && !(c->pipes = calloc(1, sizeof *c->pipes)))
        return RAISE(c->provider, PROV_R_CIPHER_OPERATION_FAILED);
    if (!set_ivs(c, num, iv, iv_len) || !cipher_set_key(c, key, key_len))
        return 0;
    c->op = (uint8_t)op;
    c->num = 0;
    c->pipes->num = num;
    c->use = PIPES_READY;
    return !params || cipher_set_ctx_params(c, params);
}

int pipeline_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num_pipes,
                          const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[])
{
    return pipeline_init(ctx, HR_OP_ENCRYPT, key, key_len, num_pipes, iv, iv_len, params);
}

int pipeline_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num_pipes,
                          const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[])
{
    return pipeline_init(ctx, HR_OP_DECRYPT, key, key_len, num_pipes, iv, iv_len, params);
}

static int start_pipe(struct cipher *c, size_t i, const uint8_t *iv)
{
    const unsigned flags = c->padding ? HR_CIPHER_PADDING : 0;
    return hr_cipher_init(&c->pipes->streams[i], &c->key, (enum hr_op)c->op, iv, c->row->iv_len,
                          flags);
}

static COLD int start(struct cipher *c)
{
    struct pipes *p = c->pipes;
    if (!c->key_set)
        return RAISE(c->provider, PROV_R_NO_KEY_SET);
    if (c->row->iv_len && p->num_ivs != p->num)
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH);
    if (c->tls_version)
        return RAISE(c->provider, PROV_R_NOT_SUPPORTED);
    int error = 0;
    for (size_t i = 0; !error && i < p->num; i++) {
        error = start_pipe(c, i, p->ivs[i]);
        if (!error && c->num)
            error = hr_cipher_set_num(&p->streams[i], c->num);
    }
    if (error)
        return RAISE_HR(c->provider, error);
    c->use = PIPES_RUNNING;
    return 1;
}

/* runs tells whether `num` pipes can take a call, and starts them at the first one.  OpenSSL 3.5
 * passes 0 if an init named the cipher of a context that was used before. */
static int runs(struct cipher *c, size_t num)
{
    if ((c->use != PIPES_READY && c->use != PIPES_RUNNING) || (num && num != c->pipes->num))
        return RAISE(c->provider, PROV_R_INVALID_STATE);
    return c->use == PIPES_RUNNING || start(c);
}

int pipeline_set_padding(struct cipher *c)
{
    for (size_t i = 0; i < c->pipes->num; i++)
        if (hr_cipher_set_padding(&c->pipes->streams[i], c->padding))
            return 0;
    return 1;
}

/* ---- data ---- */

/* struct piece is the rest of one pipe's update that is still to be processed. */
struct piece {
    unsigned char *out;
    const unsigned char *in;
    size_t out_size, in_len;
};

static int stream(struct hr_cipher_ctx *stream, struct piece *piece, size_t *out_len, size_t len)
{
    size_t wrote = 0;
    const int error = hr_cipher_update(stream, piece->out, piece->out_size, &wrote, piece->in, len);
    piece->out += wrote;
    piece->out_size -= wrote;
    piece->in += len;
    piece->in_len -= len;
    *out_len += wrote;
    return error;
}

/* check_piece checks, before any output is written, that a pipe of a chained mode has room, and
 * buffers that overlap only as hr_cipher_update allows.  It returns 0, HR_EBUFFER or
 * HR_EOVERLAP. */
static int check_piece(const struct cipher *c, const struct piece *piece, size_t waiting)
{
    const uintptr_t out = (uintptr_t)piece->out, in = (uintptr_t)piece->in;
    if (c->row->block_len == 1)
        waiting = 0;
    const size_t all = waiting + piece->in_len, ready = all - all % c->row->block_len;
    if (piece->in_len > SIZE_MAX - HR_CIPHER_MAX_BLOCK || piece->out_size < ready)
        return HR_EBUFFER;
    if (ready && out != in - waiting && out < in + piece->in_len && in < out + ready)
        return HR_EOVERLAP;
    return 0;
}

/* begin_piece ends the block that the stream has begun, and makes a job of the whole blocks that
 * follow. */
static int begin_piece(struct cipher *c, size_t i, struct piece *piece, size_t *out_len)
{
    struct pipes *p = c->pipes;
    const size_t used = (size_t)hr_cipher_get_num(&p->streams[i]), unit = cipher_unit(c->row);
    const size_t left = used ? unit - used : 0;
    int error = stream(&p->streams[i], piece, out_len, left < piece->in_len ? left : piece->in_len);
    const size_t len = piece->in_len & ~(unit - 1);
    p->jobs[i] = (struct hr_job){
        .alg = (uint16_t)c->row->alg,
        .op = HR_JOB_ENCRYPT,
        .key_form = HR_KEY_OBJECT,
        .key = &c->key,
        .iv = p->next[i],
        .iv_len = c->row->iv_len,
        .in = piece->in,
        .out = piece->out,
        .len = len,
    };
    if (!error && len)
        error = hr_cipher_get_iv(&p->streams[i], p->next[i], c->row->iv_len);
    return error;
}

/* end_piece makes the stream continue after the job. */
static int end_piece(struct cipher *c, size_t i, struct piece *piece, size_t *out_len)
{
    const size_t len = c->pipes->jobs[i].len;
    if (len) {
        piece->out += len;
        piece->out_size -= len;
        piece->in += len;
        piece->in_len -= len;
        *out_len += len;
        const int error = start_pipe(c, i, piece->out - cipher_unit(c->row));
        if (error)
            return error;
    }
    return stream(&c->pipes->streams[i], piece, out_len, piece->in_len);
}

/* run_jobs runs all jobs that have data, side by side in lanes, or one after the other if there is
 * no memory for a queue. */
static int run_jobs(struct pipes *p)
{
    struct hr_job *list[MAX_PIPES];
    size_t num = 0;
    for (size_t i = 0; i < p->num; i++)
        if (p->jobs[i].len)
            list[num++] = &p->jobs[i];
    if (num > 1 && (p->queue || open_queue(p))) {
        const int taken = hr_queue_submit(p->queue, list, num);
        struct hr_job *done[MAX_PIPES];
        if (taken != (int)num || hr_queue_poll(p->queue, done, num, num) != taken)
            return HR_ESTATE;
    } else {
        for (size_t i = 0; i < num; i++)
            (void)hr_job_run(list[i]);
    }
    for (size_t i = 0; i < num; i++)
        if (list[i]->result)
            return list[i]->result;
    return 0;
}

static int update_chained(struct cipher *c, struct piece *pieces, size_t *out_len)
{
    struct pipes *p = c->pipes;
    int error = 0;
    for (size_t i = 0; !error && i < p->num; i++)
        error = check_piece(c, &pieces[i], (size_t)hr_cipher_get_num(&p->streams[i]));
    for (size_t i = 0; !error && i < p->num; i++)
        error = begin_piece(c, i, &pieces[i], &out_len[i]);
    if (!error)
        error = run_jobs(p);
    for (size_t i = 0; !error && i < p->num; i++)
        error = end_piece(c, i, &pieces[i], &out_len[i]);
    return error;
}

static int update_each(struct cipher *c, struct piece *pieces, size_t *out_len)
{
    int error = 0;
    for (size_t i = 0; !error && i < c->pipes->num; i++)
        error = stream(&c->pipes->streams[i], &pieces[i], &out_len[i], pieces[i].in_len);
    return error;
}

static int chained(const struct cipher *c)
{
    return c->op == HR_OP_ENCRYPT &&
           (c->row->mode == HR_MODE_CBC || c->row->mode == HR_MODE_CFB128);
}

int pipeline_update(void *ctx, size_t num_pipes, unsigned char **out, size_t *out_len,
                    const size_t *out_size, const unsigned char **in, const size_t *in_len)
{
    struct cipher *c = ctx;
    struct piece pieces[MAX_PIPES];
    if (!runs(c, num_pipes))
        return 0;
    if (!out || !out_size) /* AAD of an AEAD */
        return RAISE(c->provider, PROV_R_NOT_SUPPORTED);
    for (size_t i = 0; i < c->pipes->num; i++) {
        pieces[i] = (struct piece){ out[i], in[i], out_size[i], in_len[i] };
        out_len[i] = 0;
    }
    const int error = (chained(c) ? update_chained : update_each)(c, pieces, out_len);
    if (error) {
        c->use = PIPES_ENDED;
        return RAISE_HR(c->provider, error);
    }
    for (size_t i = 0; i < c->pipes->num; i++)
        if (in_len[i])
            served_add(&c->served, in_len[i]);
    return 1;
}

static int final_pipe(struct cipher *c, struct hr_cipher_ctx *stream, unsigned char *out,
                      size_t *out_len, size_t out_size)
{
    if (c->padding)
        return hr_cipher_final(stream, out, out_size, out_len);
    return hr_cipher_get_num(stream) ? HR_ELENGTH : 0;
}

/* pipeline_final ends all pipes, even if the padding of one is bad. */
int pipeline_final(void *ctx, size_t num_pipes, unsigned char **out, size_t *out_len,
                   const size_t *out_size)
{
    struct cipher *c = ctx;
    int error = 0;
    if (!runs(c, num_pipes))
        return 0;
    for (size_t i = 0; i < c->pipes->num; i++) {
        out_len[i] = 0;
        if (c->row->block_len == 1)
            continue;
        const int of_pipe = final_pipe(c, &c->pipes->streams[i], out ? out[i] : NULL, &out_len[i],
                                       out && out_size ? out_size[i] : 0);
        error = error ? error : of_pipe;
    }
    c->use = PIPES_ENDED;
    WIPE(&c->pipes->streams);
    return error ? RAISE_HR(c->provider, error) : 1;
}
