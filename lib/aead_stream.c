/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated encryption of a message in pieces: the order of calls, and the limits. */
#include "aead.h"

/* The phase tells which inputs were given so far; a context never returns to an earlier one. */
enum phase { LENGTHS, AAD, TEXT };

void aead_start(struct aead_ctx *ctx, const struct aead_key *key, enum hr_op op, const uint8_t *iv,
                size_t iv_len)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->key = key;
    ctx->op = (uint8_t)op;
    ctx->aad_total = AEAD_MAX_AAD;
    ctx->total = key->mode->max_len(iv_len);
    key->mode->start(ctx, iv, iv_len);
}

int hr_aead_init(struct hr_aead_ctx *public, const struct hr_aead_key *public_key, enum hr_op op,
                 const uint8_t *iv, size_t iv_len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    const struct aead_key *key = (const struct aead_key *)public_key;
    if (!ctx || !key || (iv_len && !iv) || (unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    const struct hr_algorithm *row = aead_row((hr_alg)key->alg);
    if (!row)
        return HR_ESTATE;
    if (!key->mode->max_len(iv_len))
        return HR_EIVLEN;
    aead_start(ctx, key, op, iv, iv_len);
    ctx->phase = key->mode->lengths ? LENGTHS : AAD;
    return 0;
}

static void announce(struct aead_ctx *ctx, uint64_t aad_len, uint64_t len, size_t tag_len)
{
    ctx->aad_total = aad_len;
    ctx->total = len;
    ctx->tag_len = (uint8_t)tag_len;
    ctx->key->mode->lengths(ctx);
}

/* Whether AAD, or AAD and text, are as long as they were announced, if they had to be. */
static int aad_complete(const struct aead_ctx *ctx)
{
    return !ctx->key->mode->lengths || ctx->aad_len == ctx->aad_total;
}

static int complete(const struct aead_ctx *ctx)
{
    return aad_complete(ctx) && (!ctx->key->mode->lengths || ctx->len == ctx->total);
}

int hr_aead_lengths(struct hr_aead_ctx *public, uint64_t aad_len, uint64_t len, size_t tag_len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    if (!ctx)
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    const struct aead_mode *const mode = ctx->key->mode;
    if (!mode->lengths)
        return 0;
    if (ctx->phase != LENGTHS)
        return HR_ESTATE;
    if (!mode->good_tag_len(tag_len))
        return HR_ETAGLEN;
    if (len > ctx->total || aad_len > ctx->aad_total)
        return HR_ELENGTH;
    announce(ctx, aad_len, len, tag_len);
    ctx->phase = AAD;
    return 0;
}

int hr_aead_aad(struct hr_aead_ctx *public, const uint8_t *aad, size_t aad_len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    if (!ctx || (aad_len && !aad))
        return HR_EINVAL;
    if (!ctx->key || ctx->phase != AAD)
        return HR_ESTATE;
    if (aad_len > ctx->aad_total - ctx->aad_len)
        return HR_ELENGTH;
    ctx->aad_len += aad_len;
    if (aad_len)
        ctx->key->mode->absorb(ctx, aad, aad_len);
    return 0;
}

int hr_aead_update(struct hr_aead_ctx *public, uint8_t *out, const uint8_t *in, size_t len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    if (!ctx || (len && (!in || !out)))
        return HR_EINVAL;
    if (!ctx->key || ctx->phase == LENGTHS || !aad_complete(ctx))
        return HR_ESTATE;
    const struct aead_mode *const mode = ctx->key->mode;
    if (len > ctx->total - ctx->len)
        return HR_ELENGTH;
    if (overlap(out, in, len))
        return HR_EOVERLAP;
    if (ctx->phase == AAD)
        mode->flush(ctx);
    ctx->phase = TEXT;
    if (len)
        mode->crypt(ctx, out, in, len);
    ctx->len += len;
    return 0;
}

/* Computes the tag of the whole message and ends the context.  With `few`, the tag may be as short
 * as the mode takes it at all.  *error is 0, or says why there is no tag. */
static void finish(struct aead_ctx *ctx, enum hr_op op, const uint8_t *tag, size_t tag_len, int few,
                   uint8_t full[16], int *error)
{
    *error = HR_EINVAL;
    if (!ctx || !tag)
        return;
    *error = HR_ESTATE;
    if (!ctx->key || ctx->op != op || ctx->phase == LENGTHS || !complete(ctx))
        return;
    *error = HR_ETAGLEN;
    const struct aead_mode *const mode = ctx->key->mode;
    if (!mode->good_tag_len(tag_len) && !(few && tag_len >= mode->least_tag && tag_len < 4))
        return;
    if (ctx->tag_len && ctx->tag_len != tag_len)
        return;
    mode->tag(ctx, full);
    wipe_bytes(ctx, mode->ctx_size);
    *error = 0;
}

int hr_aead_final(struct hr_aead_ctx *ctx, uint8_t *tag, size_t tag_len)
{
    uint8_t full[16];
    int error;
    finish((struct aead_ctx *)ctx, HR_OP_ENCRYPT, tag, tag_len, 0, full, &error);
    if (!error)
        memcpy(tag, full, tag_len);
    return error;
}

static int verify(struct aead_ctx *ctx, const uint8_t *tag, size_t tag_len, int few)
{
    uint8_t full[16];
    int error;
    finish(ctx, HR_OP_DECRYPT, tag, tag_len, few, full, &error);
    if (!error) {
        error = aead_compare(tag, full, tag_len);
        WIPE(&full); /* a forged message's right tag is secret */
    }
    return error;
}

int hr_aead_verify(struct hr_aead_ctx *ctx, const uint8_t *tag, size_t tag_len)
{
    return verify((struct aead_ctx *)ctx, tag, tag_len, 0);
}

int hr_aead_verify_short(struct hr_aead_ctx *ctx, const uint8_t *tag, size_t tag_len)
{
    return verify((struct aead_ctx *)ctx, tag, tag_len, 1);
}

int hr_aead_set_key(struct hr_aead_ctx *public, const struct hr_aead_key *public_key)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    const struct aead_key *key = (const struct aead_key *)public_key;
    if (!ctx || !key)
        return HR_EINVAL;
    if (!ctx->key || key->alg != ctx->key->alg || key->kernel != ctx->key->kernel)
        return HR_ESTATE;
    ctx->key = key;
    return 0;
}

void aead_in_pieces(uint8_t *out, uint8_t tag[16], size_t tag_len, const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct aead_key *key,
                    const uint8_t *iv, size_t iv_len, enum hr_op op)
{
    const struct aead_mode *const mode = key->mode;
    struct hr_aead_ctx public; /* has room for any mode's context */
    struct aead_ctx *const ctx = (struct aead_ctx *)&public;
    aead_start(ctx, key, op, iv, iv_len);
    if (mode->lengths)
        announce(ctx, aad_len, len, tag_len);
    if (aad_len)
        mode->absorb(ctx, aad, aad_len);
    mode->flush(ctx);
    ctx->aad_len = aad_len;
    if (len)
        mode->crypt(ctx, out, in, len);
    ctx->len = len;
    mode->tag(ctx, tag);
    wipe_bytes(ctx, mode->ctx_size);
}
