/* SPDX-License-Identifier: Apache-2.0 */
/* What GCM (SP 800-38D section 7) and CCM (SP 800-38C section 6) share: keys, and messages in
 * pieces that are blocks of 16 bytes. */
#include "../aead.h"
#include "../cipher.h"

static void setup_of_h(struct aead_key *key)
{
    uint8_t h[16] = { 0 };
    key->ecb(h, h, 1, key->schedule, NULL, NULL);
    key->kernel->powers(key, h);
    WIPE(&h);
}

void aead_blocks_setup(struct aead_key *key, const struct block_cipher *cipher,
                       const uint8_t *bytes, size_t bytes_len)
{
    cipher->expand(key->schedule, bytes, bytes_len, 0);
    key->many = cipher_choose(&cipher->ops[HR_MODE_ECB][HR_OP_ENCRYPT]);
    key->ecb = cipher_few(key->many)->blocks;
    if (key->kernel->setup)
        key->kernel->setup(key);
    else if (key->kernel->powers)
        setup_of_h(key);
}

/* Absorbs bytes into the hash.  Bytes that do not fill a block wait in `part`. */
void aead_blocks_absorb(struct aead_ctx *ctx, const uint8_t *in, size_t len)
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
void aead_blocks_flush(struct aead_ctx *ctx)
{
    if (ctx->used) {
        memset(ctx->part + ctx->used, 0, 16u - ctx->used);
        ctx->key->kernel->hash(ctx->y, ctx->part, 1, ctx->key);
    }
    ctx->used = 0;
}

static void next_stream(struct aead_ctx *ctx)
{
    ctx->key->ecb(ctx->stream, ctx->ctr, 1, ctx->key->schedule, NULL, NULL);
    if (ctx->key->mode == &gcm_mode)
        store_be32(ctx->ctr + 12, load_be32(ctx->ctr + 12) + 1);
    else
        store_be64(ctx->ctr + 8, load_be64(ctx->ctr + 8) + 1);
}

/* Encrypts or decrypts bytes of the block whose keystream is in ctx->stream, and returns how many.
 * `part` gets the bytes that the mode authenticates. */
static size_t rest_of_block(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    const int of_input = (ctx->key->mode == &ccm_mode) == (ctx->op == HR_OP_ENCRYPT);
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

void aead_blocks_crypt(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
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
