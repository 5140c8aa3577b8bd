/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated encryption of a message in pieces: SP 800-38D section 7, SP 800-38C section 6. */
#include "aead.h"

/* The phase tells which inputs were given so far; a context never returns to an earlier one. */
enum phase { LENGTHS, AAD, TEXT };

static void next_stream(struct aead_ctx *ctx)
{
    ctx->key->ecb(ctx->stream, ctx->ctr, 1, ctx->key->schedule, NULL, NULL);
    if (ctx->mode == HR_MODE_GCM)
        store_be32(ctx->ctr + 12, load_be32(ctx->ctr + 12) + 1);
    else
        store_be64(ctx->ctr + 8, load_be64(ctx->ctr + 8) + 1);
}

/* Starts a CCM message with counter block 0 (SP 800-38C appendix A.3).  Block B0, which has the
 * lengths, is made by ccm_lengths(). */
static void ccm_start(struct aead_ctx *ctx, const struct aead_key *key, enum hr_op op,
                      const uint8_t *iv, size_t iv_len)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->key = key;
    ctx->op = (uint8_t)op;
    ctx->mode = HR_MODE_CCM;
    ctx->ctr[0] = (uint8_t)(14 - iv_len);
    memcpy(ctx->ctr + 1, iv, iv_len);
}

static void ccm_lengths(struct aead_ctx *ctx, uint64_t aad_len, uint64_t len, size_t tag_len)
{
    uint8_t b0[16], prefix[10] = { 0xff, 0xff };
    size_t prefix_len = aad_len < 0xff00 ? 2 : aad_len >> 32 ? 10 : 6;
    const size_t len_len = ctx->ctr[0] + 1u;
    memcpy(b0, ctx->ctr, 16);
    b0[0] |= (uint8_t)((aad_len ? 64 : 0) + (tag_len - 2) / 2 * 8);
    for (size_t i = 0; i < len_len && i < 8; i++)
        b0[15 - i] = (uint8_t)(len >> 8 * i);
    ctx->key->ecb(ctx->y, b0, 1, ctx->key->schedule, NULL, NULL);
    ctx->key->ecb(ctx->mask, ctx->ctr, 1, ctx->key->schedule, NULL, NULL);
    ctx->ctr[15] = 1;
    ctx->aad_total = aad_len;
    ctx->total = len;
    ctx->tag_len = (uint8_t)tag_len;
    ctx->phase = AAD;
    if (prefix_len == 2)
        store_be16(prefix, (uint16_t)aad_len);
    else if (prefix_len == 6)
        prefix[1] = 0xfe, store_be32(prefix + 2, (uint32_t)aad_len);
    else
        store_be64(prefix + 2, aad_len);
    if (aad_len)
        aead_absorb(ctx, prefix, prefix_len);
}

/* Absorbs bytes into the hash.  Bytes that do not fill a block wait in `part`. */
void aead_absorb(struct aead_ctx *ctx, const uint8_t *in, size_t len)
{
    if (ctx->used) {
        const size_t room = 16u - ctx->used, n = len < room ? len : room;
        memcpy(ctx->part + ctx->used, in, n);
        ctx->used = (uint8_t)(ctx->used + n);
        in += n, len -= n;
        if (ctx->used < 16)
            return;
        ctx->key->kernel->hash(ctx->y, ctx->part, 1, ctx->key);
        ctx->used = 0;
    }
    if (len >= 16)
        ctx->key->kernel->hash(ctx->y, in, len / 16, ctx->key);
    ctx->used = (uint8_t)(len % 16);
    memcpy(ctx->part, in + (len - ctx->used), ctx->used);
}

/* Pads an incomplete block with zeros and absorbs it. */
static void flush(struct aead_ctx *ctx)
{
    if (ctx->used) {
        memset(ctx->part + ctx->used, 0, 16u - ctx->used);
        ctx->key->kernel->hash(ctx->y, ctx->part, 1, ctx->key);
    }
    ctx->used = 0;
}

/* Encrypts or decrypts bytes of the block whose keystream is in ctx->stream, and returns how many.
 * `part` gets the bytes that the mode authenticates. */
static size_t rest_of_block(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const int of_input = (ctx->mode == HR_MODE_CCM) == (ctx->op == HR_OP_ENCRYPT);
    size_t n = 0;
    for (; n < len && ctx->used < 16; n++, ctx->used++) {
        const uint8_t byte = in[n];
        out[n] = byte ^ ctx->stream[ctx->used];
        ctx->part[ctx->used] = of_input ? byte : out[n];
    }
    if (ctx->used == 16) {
        ctx->key->kernel->hash(ctx->y, ctx->part, 1, ctx->key);
        ctx->used = 0;
    }
    return n;
}

static void crypt(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t head = ctx->used ? rest_of_block(ctx, out, in, len) : 0;
    const size_t bulk = (len - head) & ~(size_t)15, tail = len - head - bulk;
    if (bulk) {
        const struct aead_kernel *kernel = ctx->key->kernel;
        aead_blocks_fn *const hashed = ctx->hashed_iv ? kernel->hashed[ctx->op] : NULL;
        (hashed ? hashed : kernel->blocks[ctx->op])(out + head, in + head, bulk / 16, ctx->key,
                                                    ctx->ctr, ctx->y);
    }
    if (!tail)
        return;
    next_stream(ctx);
    rest_of_block(ctx, out + head + bulk, in + head + bulk, tail);
}

void aead_tag(struct aead_ctx *ctx, uint8_t tag[16])
{
    uint8_t lengths[16];
    flush(ctx);
    if (ctx->mode == HR_MODE_GCM) {
        store_be64(lengths, ctx->aad_len * 8);
        store_be64(lengths + 8, ctx->len * 8);
        ctx->key->kernel->hash(ctx->y, lengths, 1, ctx->key);
    }
    for (int i = 0; i < 16; i++)
        tag[i] = ctx->y[i] ^ ctx->mask[i];
}

/* ---- streams ---- */

static void aead_start(struct aead_ctx *ctx, const struct aead_key *key, enum hr_op op,
                       enum hr_mode mode, const uint8_t *iv, size_t iv_len)
{
    (mode == HR_MODE_GCM ? gcm_start : ccm_start)(ctx, key, op, iv, iv_len);
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
    if (!aead_max_len(row->mode, iv_len))
        return HR_EIVLEN;
    aead_start(ctx, key, op, row->mode, iv, iv_len);
    ctx->phase = row->flags & HR_LENGTH_FIRST ? LENGTHS : AAD;
    return 0;
}

int hr_aead_lengths(struct hr_aead_ctx *public, uint64_t aad_len, uint64_t len, size_t tag_len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    if (!ctx)
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    if (ctx->mode != HR_MODE_CCM)
        return 0;
    if (ctx->phase != LENGTHS)
        return HR_ESTATE;
    if (!aead_good_tag_len(ctx->mode, tag_len))
        return HR_ETAGLEN;
    if (len > aead_max_len(ctx->mode, 14u - ctx->ctr[0]) || aad_len > AEAD_MAX_AAD)
        return HR_ELENGTH;
    ccm_lengths(ctx, aad_len, len, tag_len);
    return 0;
}

int hr_aead_aad(struct hr_aead_ctx *public, const uint8_t *aad, size_t aad_len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    if (!ctx || (aad_len && !aad))
        return HR_EINVAL;
    if (!ctx->key || ctx->phase != AAD)
        return HR_ESTATE;
    const uint64_t most = ctx->mode == HR_MODE_CCM ? ctx->aad_total : AEAD_MAX_AAD;
    if (aad_len > most - ctx->aad_len)
        return HR_ELENGTH;
    ctx->aad_len += aad_len;
    if (aad_len)
        aead_absorb(ctx, aad, aad_len);
    return 0;
}

int hr_aead_update(struct hr_aead_ctx *public, uint8_t *out, const uint8_t *in, size_t len)
{
    struct aead_ctx *ctx = (struct aead_ctx *)public;
    if (!ctx || (len && (!in || !out)))
        return HR_EINVAL;
    if (!ctx->key || ctx->phase == LENGTHS)
        return HR_ESTATE;
    if (ctx->mode == HR_MODE_CCM && ctx->aad_len != ctx->aad_total)
        return HR_ESTATE;
    const uint64_t most = ctx->mode == HR_MODE_CCM ? ctx->total : GCM_MAX_LEN;
    if (len > most - ctx->len)
        return HR_ELENGTH;
    if (overlap(out, in, len))
        return HR_EOVERLAP;
    if (ctx->phase == AAD)
        flush(ctx);
    ctx->phase = TEXT;
    ctx->len += len;
    if (len)
        crypt(ctx, out, in, len);
    return 0;
}

/* Computes the tag of the whole message and ends the context. *error is 0, or says why there is no
 * tag. */
static void finish(struct aead_ctx *ctx, enum hr_op op, const uint8_t *tag, size_t tag_len,
                   size_t least, uint8_t full[16], int *error)
{
    *error = HR_EINVAL;
    if (!ctx || !tag)
        return;
    *error = HR_ESTATE;
    if (!ctx->key || ctx->op != op || ctx->phase == LENGTHS)
        return;
    if (ctx->mode == HR_MODE_CCM && (ctx->aad_len != ctx->aad_total || ctx->len != ctx->total))
        return;
    *error = HR_ETAGLEN;
    const int few = ctx->mode == HR_MODE_GCM && tag_len >= least && tag_len < 4;
    if (!few && !aead_good_tag_len(ctx->mode, tag_len))
        return;
    if (ctx->tag_len && ctx->tag_len != tag_len)
        return;
    aead_tag(ctx, full);
    WIPE(ctx);
    *error = 0;
}

int hr_aead_final(struct hr_aead_ctx *ctx, uint8_t *tag, size_t tag_len)
{
    uint8_t full[16];
    int error;
    finish((struct aead_ctx *)ctx, HR_OP_ENCRYPT, tag, tag_len, 4, full, &error);
    if (!error)
        memcpy(tag, full, tag_len);
    return error;
}

static int verify(struct aead_ctx *ctx, const uint8_t *tag, size_t tag_len, size_t least)
{
    uint8_t full[16];
    int error;
    finish(ctx, HR_OP_DECRYPT, tag, tag_len, least, full, &error);
    if (!error) {
        error = aead_compare(tag, full, tag_len);
        WIPE(&full); /* a forged message's right tag is secret */
    }
    return error;
}

int hr_aead_verify(struct hr_aead_ctx *ctx, const uint8_t *tag, size_t tag_len)
{
    return verify((struct aead_ctx *)ctx, tag, tag_len, 4);
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

/* A whole message by the streaming functions, with any IV and any kernel. */
void aead_in_pieces(uint8_t *out, uint8_t tag[16], size_t tag_len, const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct aead_key *key,
                    const uint8_t *iv, size_t iv_len, enum hr_op op, enum hr_mode mode)
{
    struct aead_ctx ctx;
    aead_start(&ctx, key, op, mode, iv, iv_len);
    if (mode == HR_MODE_CCM)
        ccm_lengths(&ctx, aad_len, len, tag_len);
    if (aad_len)
        aead_absorb(&ctx, aad, aad_len);
    flush(&ctx);
    ctx.aad_len = aad_len;
    ctx.len = len;
    if (len)
        crypt(&ctx, out, in, len);
    aead_tag(&ctx, tag);
    WIPE(&ctx);
}
