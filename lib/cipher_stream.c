/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming encryption and decryption: messages that come in pieces of any length (SP
 * 800-38A; padding: RFC 5652 section 6.3). */
#include "cipher.h"
#include "kasumi/kasumi.h"

int hr_cipher_init(struct hr_cipher_ctx *public, const struct hr_cipher_key *public_key,
                   enum hr_op op, const uint8_t *iv, size_t iv_len, unsigned flags)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    const struct cipher_key *key = open_key(public_key);
    if (!ctx || !key || (iv_len && !iv) || (unsigned)op > HR_OP_DECRYPT ||
        flags & ~(unsigned)HR_CIPHER_PADDING)
        return HR_EINVAL;
    const struct hr_algorithm *row = cipher_row((hr_alg)key->alg);
    if (!row || key->blocks[op] == cipher_no_blocks)
        return HR_ESTATE;
    if (iv_len != row->iv_len)
        return HR_EIVLEN;
    ctx->key = key;
    ctx->unit = cipher_impl(row->alg)->unit;
    if (row->mode == HR_MODE_F8)
        kasumi_f8_start(ctx->iv, key->schedule, iv);
    else if (iv_len)
        memcpy(ctx->iv, iv, iv_len);
    ctx->used = 0;
    ctx->op = (uint8_t)op;
    ctx->mode = (uint8_t)row->mode;
    ctx->alg = (uint16_t)row->alg;
    ctx->padding = flags & HR_CIPHER_PADDING && row->block_len > 1;
    return 0;
}

/* Returns where the current block's keystream lies. */
static inline uint8_t *keystream(struct cipher_ctx *ctx)
{
    return ctx->mode == HR_MODE_CFB128 ? ctx->iv : ctx->buf;
}

/* Runs the chosen kernel, which reads and updates the context's IV. */
static inline void ctx_blocks(struct cipher_ctx *ctx, uint8_t *out, const uint8_t *in,
                              size_t num_blocks)
{
    run_blocks(ctx->key, (enum hr_op)ctx->op, out, in, num_blocks, ctx->iv, ctx->iv);
}

/* Uses up the keystream that is left of the current block; returns how many bytes of `in` that was
 * enough for. */
static size_t rest_of_block(struct cipher_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    size_t n = 0;
    for (; n < len && ctx->used; n++) {
        const uint8_t byte = in[n];
        uint8_t *at = keystream(ctx) + ctx->used;
        out[n] = byte ^ *at;
        *at = ctx->op == HR_OP_ENCRYPT ? out[n] : byte; /* CFB feeds ciphertext back */
        ctx->used = (ctx->used + 1u) & (ctx->unit - 1u);
    }
    return n;
}

/* Makes the keystream of the next block by running the kernel on zeros.  CFB keeps it in ctx->iv.
 */
static void begin_block(struct cipher_ctx *ctx)
{
    memset(ctx->buf, 0, sizeof ctx->buf);
    ctx_blocks(ctx, ctx->buf, ctx->buf, 1);
    if (ctx->mode == HR_MODE_CFB128) {
        memcpy(ctx->iv, ctx->buf, ctx->unit);
        WIPE(&ctx->buf);
    }
}

static int update_stream(struct cipher_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    if (overlap(out, in, len))
        return HR_EOVERLAP;
    const size_t head = rest_of_block(ctx, out, in, len);
    const size_t tail = (len - head) & (ctx->unit - 1u), bulk = len - head - tail;
    if (bulk)
        ctx_blocks(ctx, out + head, in + head, bulk / ctx->unit);
    if (!tail)
        return 0;
    begin_block(ctx);
    const uint8_t first = in[head + bulk];
    uint8_t *at = keystream(ctx);
    out[head + bulk] = first ^ *at;
    *at = ctx->op == HR_OP_ENCRYPT ? out[head + bulk] : first;
    ctx->used = 1;
    rest_of_block(ctx, out + head + bulk + 1, in + head + bulk + 1, tail - 1);
    return 0;
}

/* ECB and CBC. Input that does not fill a block waits in buf.  Decryption with padding also holds
 * back the last whole block, which may be padding. */
static int update_blocks(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len,
                         const uint8_t *in, size_t len)
{
    if (len > SIZE_MAX - sizeof ctx->buf)
        return HR_EBUFFER; /* no buffer is that long */
    const size_t all = ctx->used + len, unit = ctx->unit;
    const int hold = ctx->padding && ctx->op == HR_OP_DECRYPT;
    if (LIKELY(!ctx->used && !hold && !(len & (unit - 1)) && out_size >= len &&
               !overlap(out, in, len))) {
        ctx_blocks(ctx, out, in, len / unit);
        *out_len = len;
        return 0;
    }
    size_t rest = all & (unit - 1);
    if (hold && rest == 0 && all)
        rest = unit;
    const size_t ready = all - rest;
    if (out_size < ready)
        return HR_EBUFFER;
    if (!ready) {
        memcpy(ctx->buf + ctx->used, in, len);
        ctx->used = (uint8_t)all;
        return 0;
    }
    const size_t fill = ctx->used ? unit - ctx->used : 0;
    const size_t first = ctx->used ? unit : 0, bulk = ready - first;
    if (out != in - ctx->used && out < in + len && in < out + ready)
        return HR_EOVERLAP; /* also if the output would overwrite only input that is still to be
                             * buffered */
    if (first) {
        memcpy(ctx->buf + ctx->used, in, fill);
        ctx_blocks(ctx, out, ctx->buf, 1);
    }
    if (bulk)
        ctx_blocks(ctx, out + first, in + fill, bulk / unit);
    if (rest)
        memcpy(ctx->buf, in + len - rest, rest);
    ctx->used = (uint8_t)rest;
    *out_len = ready;
    return 0;
}

int hr_cipher_update(struct hr_cipher_ctx *public, uint8_t *out, size_t out_size, size_t *out_len,
                     const uint8_t *in, size_t len)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    if (!ctx || !out_len || (len && (!in || (out_size && !out))))
        return HR_EINVAL;
    *out_len = 0;
    if (!ctx->key)
        return HR_ESTATE;
    if (len == 0)
        return 0;
    if (ctx->mode <= HR_MODE_CBC)
        return update_blocks(ctx, out, out_size, out_len, in, len);
    if (out_size < len)
        return HR_EBUFFER;
    int error = update_stream(ctx, out, in, len);
    *out_len = error ? 0 : len;
    return error;
}

/* Returns bits for those of eight bytes that are padding and are not n. Byte i is the last but
 * `places[i]`, and padding if that is below n, which is at most 16. */
static uint64_t wrong_padding(const uint8_t *bytes, uint64_t places, uint32_t n)
{
    const uint64_t each = 0x0101010101010101, high = each << 7;
    const uint64_t is_padding = ~((places | high) - each * n);
    const uint64_t differs = load_le64(bytes) ^ each * n;
    return is_padding & (((differs & ~high) + ~high) | differs) & high;
}

/* RFC 5652 section 6.3: the last byte n is 1 to `unit`, 8 or 16, and each of the last n bytes is n.
 * No branch depends on the data. */
static uint32_t padding_len(const uint8_t *block, uint32_t unit, uint32_t *good)
{
    const uint64_t each = 0x0101010101010101;
    const uint32_t n = block[unit - 1];
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < unit; i += 8)
        wrong |= wrong_padding(block + i, 0x0001020304050607 + each * (unit - 8 - i), n);
    *good = ~ct_is_zero(n) & ct_lt(n, unit + 1) & ct_is_zero((uint32_t)(wrong | wrong >> 32));
    return n;
}

static int finish_decrypt(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    const uint8_t unit = ctx->unit;
    uint8_t block[16];
    uint32_t good;
    if (ctx->used != unit)
        return HR_ELENGTH;
    if (out_size < unit)
        return HR_EBUFFER;
    ctx_blocks(ctx, block, ctx->buf, 1);
    uint32_t n = padding_len(block, unit, &good);
    CT_PUBLIC(&good, sizeof good); /* callers get to know whether the padding is right, as PKCS#7
                                    * users expect */
    CT_PUBLIC(&n, sizeof n);
    if (good) {
        memcpy(out, block, unit);
        *out_len = unit - n;
    } else {
        memset(out, 0, unit);
    }
    WIPE(&block);
    return good ? 0 : HR_EPADDING;
}

/* Processes the last block, which is in ctx->buf. */
static int finish_block(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    if (out_size < ctx->unit)
        return HR_EBUFFER;
    ctx_blocks(ctx, out, ctx->buf, 1);
    *out_len = ctx->unit;
    return 0;
}

static int finish_encrypt(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    const int pad = ctx->unit - ctx->used;
    memset(ctx->buf + ctx->used, pad, (size_t)pad);
    return finish_block(ctx, out, out_size, out_len);
}

/* The end of a message without padding.  Nothing may be left in buf, except a whole block that was
 * held back while padding was still switched on. */
static int finish_whole(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    if (!ctx->used)
        return 0;
    if (ctx->used != ctx->unit)
        return HR_ELENGTH;
    return finish_block(ctx, out, out_size, out_len);
}

int hr_cipher_final(struct hr_cipher_ctx *public, uint8_t *out, size_t out_size, size_t *out_len)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    int error = 0;
    if (!ctx || !out_len || (out_size && !out))
        return HR_EINVAL;
    *out_len = 0;
    if (!ctx->key)
        return HR_ESTATE;
    if (ctx->padding && ctx->op == HR_OP_DECRYPT)
        error = finish_decrypt(ctx, out, out_size, out_len);
    else if (ctx->padding)
        error = finish_encrypt(ctx, out, out_size, out_len);
    else if (ctx->mode <= HR_MODE_CBC)
        error = finish_whole(ctx, out, out_size, out_len);
    if (error != HR_EBUFFER)
        WIPE(ctx);
    return error;
}

int hr_cipher_get_iv(const struct hr_cipher_ctx *public, uint8_t *iv, size_t iv_len)
{
    const struct cipher_ctx *ctx = (const struct cipher_ctx *)public;
    if (!ctx || (iv_len && !iv))
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    if (iv_len != (ctx->mode == HR_MODE_ECB ? 0 : ctx->unit))
        return HR_EIVLEN;
    if (ctx->mode == HR_MODE_F8)
        return HR_ESTATE;
    if (iv_len)
        memcpy(iv, ctx->used == ctx->unit ? ctx->buf : ctx->iv, iv_len);
    return 0;
}

int hr_cipher_get_num(const struct hr_cipher_ctx *public)
{
    const struct cipher_ctx *ctx = (const struct cipher_ctx *)public;
    if (!ctx)
        return HR_EINVAL;
    return ctx->key ? ctx->used : HR_ESTATE;
}

int hr_cipher_set_num(struct hr_cipher_ctx *public, unsigned num)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    if (!ctx || num > 15)
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    const int ofb = ctx->mode == HR_MODE_OFB;
    if (num && ((!ofb && ctx->mode != HR_MODE_CFB128) || num >= ctx->unit))
        return HR_EINVAL;
    if (ofb) /* the IV is also the current block's keystream */
        memcpy(ctx->buf, ctx->iv, ctx->unit);
    if (ctx->mode > HR_MODE_CBC)
        ctx->used = (uint8_t)num;
    return 0;
}

int hr_cipher_set_padding(struct hr_cipher_ctx *public, int on)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    if (!ctx)
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    ctx->padding = on && ctx->mode <= HR_MODE_CBC;
    return 0;
}

int hr_cipher_set_key(struct hr_cipher_ctx *public, const struct hr_cipher_key *public_key)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    const struct cipher_key *key = open_key(public_key);
    if (!ctx || !key)
        return HR_EINVAL;
    if (!ctx->key || key->alg != ctx->alg || key->blocks[ctx->op] == cipher_no_blocks)
        return HR_ESTATE;
    ctx->key = key;
    return 0;
}
