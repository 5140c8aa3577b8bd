/* SPDX-License-Identifier: Apache-2.0 */
/* Cipher keys, direct calls, and streams of any split (SP 800-38A; padding: RFC 5652 6.3). */
#include "internal.h"

static const struct cipher_key *open_key(const struct hr_cipher_key *key)
{
    return (const struct cipher_key *)key;
}

DEFINE_CHOOSE(cipher_choose, struct cipher_kernel, struct cipher_op)

/* ---- keys ---- */

static int one_encrypt(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                       const uint8_t iv[16])
{
    return key->blocks[HR_OP_ENCRYPT](out, in, 1, &key->aes, iv, NULL);
}

static int one_decrypt(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                       const uint8_t iv[16])
{
    return key->blocks[HR_OP_DECRYPT](out, in, 1, &key->aes, iv, NULL);
}

static void set_kernel(struct cipher_key *key, enum hr_op op, const struct cipher_kernel *kernel)
{
    static cipher_one_fn *const through_blocks[] = { one_encrypt, one_decrypt };
    key->blocks[op] = kernel->blocks;
    key->one[op] = kernel->one ? kernel->one[(key->aes.rounds - 10) / 2] : through_blocks[op];
}

int hr_cipher_key_init(struct hr_cipher_key *public, hr_alg alg, const uint8_t *bytes,
                       size_t bytes_len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    struct cipher_key *key = (struct cipher_key *)public;
    if (!row || row->cls != HR_CLASS_CIPHER)
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    aes_expand(&key->aes, bytes, bytes_len, row->block_len > 1);
    for (int op = 0; op < 2; op++)
        set_kernel(key, op, cipher_choose(&aes_ops[row->mode][op]));
    key->alg = alg;
    return 0;
}

int hr_cipher_key_init_kernel(struct hr_cipher_key *public, hr_alg alg, enum hr_op op, size_t i,
                              const uint8_t *bytes, size_t bytes_len)
{
    if ((unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    int error = hr_cipher_key_init(public, alg, bytes, bytes_len);
    if (error)
        return error;
    const struct cipher_op *cop = &aes_ops[hr_algorithm(alg)->mode][op];
    if (i >= cop->num_kernels || cop->kernels[i].info.needs & ~hr_cpu_features()) {
        hr_cipher_key_wipe(public);
        return HR_ECPU;
    }
    set_kernel((struct cipher_key *)public, op, &cop->kernels[i]);
    return 0;
}

void hr_cipher_key_wipe(struct hr_cipher_key *public)
{
    if (public)
        WIPE((struct cipher_key *)public);
}

static const struct hr_algorithm *cipher_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_CIPHER ? row : NULL;
}

/* The direction whose schedule an imported key lacks. */
static int no_one(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                  const uint8_t iv[16])
{
    return HR_ESTATE;
}

static int no_blocks(uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aes_key *key,
                     const uint8_t iv[16], uint8_t next[16])
{
    return HR_ESTATE;
}

int hr_cipher_key_import(struct hr_cipher_key *public, hr_alg alg, enum hr_op op,
                         const uint8_t *schedule, size_t schedule_len)
{
    const struct hr_algorithm *row = cipher_row(alg);
    struct cipher_key *key = (struct cipher_key *)public;
    if (!row)
        return HR_EALG;
    if (!key || !schedule || (unsigned)op > HR_OP_DECRYPT)
        return HR_EINVAL;
    const unsigned rounds = row->key_len / 4 + 6u;
    if (schedule_len != 16 * (rounds + 1))
        return HR_EKEYLEN;
    const int stream = row->block_len == 1; /* runs the cipher forward in both directions */
    memcpy(op == HR_OP_DECRYPT && !stream ? key->aes.dec : key->aes.enc, schedule, schedule_len);
    key->aes.rounds = rounds;
    key->blocks[!op] = no_blocks;
    key->one[!op] = no_one;
    const struct cipher_kernel *kernel = cipher_choose(&aes_ops[row->mode][op]);
    if (kernel->imported)
        kernel->imported(&key->aes);
    set_kernel(key, op, kernel);
    if (stream)
        set_kernel(key, (enum hr_op) !op, cipher_choose(&aes_ops[row->mode][!op]));
    key->alg = alg;
    return 0;
}

size_t hr_cipher_key_size(hr_alg alg)
{
    return cipher_row(alg) ? sizeof(struct cipher_key) : 0;
}

size_t hr_cipher_size(hr_alg alg)
{
    return cipher_row(alg) ? sizeof(struct cipher_ctx) : 0;
}

/* ---- direct calls ---- */

/* A stream that ends in a part of a block: whole blocks, then one block of the kernel on a copy. */
static int direct_part(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                       const uint8_t *iv, cipher_blocks_fn *blocks)
{
    uint8_t next[16], block[16] = { 0 };
    const size_t part = len % 16, whole = len - part;
    blocks(out, in, whole / 16, &key->aes, iv, next);
    memcpy(block, in + whole, part);
    blocks(block, block, 1, &key->aes, next, NULL);
    memcpy(out + whole, block, part);
    WIPE(&block);
    return 0;
}

/* Of 16 bytes the kernel takes some 8 cycles: the checks are few, and fewer where the length is a
 * constant; the kernel is jumped to. */
static inline __attribute__((always_inline)) int direct(uint8_t *out, const uint8_t *in, size_t len,
                                                        const struct cipher_key *key,
                                                        const uint8_t *iv, hr_alg alg,
                                                        enum hr_op op, enum hr_mode mode)
{
    if (!LIKELY(key->alg == (uint32_t)alg))
        return HR_ESTATE;
    if (LIKELY(len == 16 && !overlap(out, in, 16)))
        return key->one[op](out, in, len, key, iv);
    if (mode <= HR_MODE_CBC && !LIKELY(len % 16 == 0))
        return HR_ELENGTH;
    if (!LIKELY(!overlap(out, in, len)))
        return HR_EOVERLAP;
    if (mode > HR_MODE_CBC && !LIKELY(len % 16 == 0))
        return direct_part(out, in, len, key, iv, key->blocks[op]);
    return key->blocks[op](out, in, len / 16, &key->aes, iv, NULL);
}

#define DIRECT(sym, dir, alg, op, mode)                                              \
    ALIGNED int hr_##sym##_##dir(uint8_t *out, const uint8_t *in, size_t len,        \
                                 const struct hr_cipher_key *key, const uint8_t *iv) \
    {                                                                                \
        return direct(out, in, len, open_key(key), iv, alg, op, mode);               \
    }
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, iv_len) \
    DIRECT(sym, encrypt, HR_##SYM, HR_OP_ENCRYPT, HR_MODE_##mode)                            \
    DIRECT(sym, decrypt, HR_##SYM, HR_OP_DECRYPT, HR_MODE_##mode)
#include <headrace/algorithms.def>

static int checked(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *public,
                   const uint8_t *iv, size_t iv_len, enum hr_op op)
{
    const struct cipher_key *key = open_key(public);
    if (!key || (len && (!out || !in)) || (iv_len && !iv))
        return HR_EINVAL;
    const struct hr_algorithm *row = cipher_row((hr_alg)key->alg);
    if (!row)
        return HR_ESTATE;
    if (iv_len != row->iv_len)
        return HR_EIVLEN;
    switch (row->mode) {
#define CASE(mode) \
    case mode:     \
        return direct(out, in, len, key, iv, (hr_alg)key->alg, op, mode);
        CASE(HR_MODE_ECB)
        CASE(HR_MODE_CBC)
        CASE(HR_MODE_CFB128)
        CASE(HR_MODE_CTR)
#undef CASE
    default:
        return HR_ESTATE;
    }
}

int hr_cipher_encrypt(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                      const uint8_t *iv, size_t iv_len)
{
    return checked(out, in, len, key, iv, iv_len, HR_OP_ENCRYPT);
}

int hr_cipher_decrypt(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                      const uint8_t *iv, size_t iv_len)
{
    return checked(out, in, len, key, iv, iv_len, HR_OP_DECRYPT);
}

/* ---- streams ---- */

int hr_cipher_init(struct hr_cipher_ctx *public, const struct hr_cipher_key *public_key,
                   enum hr_op op, const uint8_t *iv, size_t iv_len, unsigned flags)
{
    struct cipher_ctx *ctx = (struct cipher_ctx *)public;
    const struct cipher_key *key = open_key(public_key);
    if (!ctx || !key || (iv_len && !iv) || (unsigned)op > HR_OP_DECRYPT ||
        flags & ~(unsigned)HR_CIPHER_PADDING)
        return HR_EINVAL;
    const struct hr_algorithm *row = cipher_row((hr_alg)key->alg);
    if (!row || key->blocks[op] == no_blocks)
        return HR_ESTATE;
    if (iv_len != row->iv_len)
        return HR_EIVLEN;
    ctx->key = key;
    ctx->blocks = key->blocks[op];
    if (iv_len)
        memcpy(ctx->iv, iv, sizeof ctx->iv);
    ctx->used = 0;
    ctx->op = (uint8_t)op;
    ctx->mode = (uint8_t)row->mode;
    ctx->alg = (uint16_t)row->alg;
    ctx->padding = flags & HR_CIPHER_PADDING && row->block_len > 1;
    return 0;
}

/* Keystream bytes that are left of the current block; returns how many bytes it served. */
static size_t rest_of_block(struct cipher_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    size_t n = 0;
    for (; n < len && ctx->used; n++) {
        const uint8_t byte = in[n];
        uint8_t *at = ctx->mode == HR_MODE_CTR ? &ctx->buf[ctx->used] : &ctx->iv[ctx->used];
        out[n] = byte ^ *at;
        *at = ctx->op == HR_OP_ENCRYPT ? out[n] : byte; /* CFB feeds ciphertext back */
        ctx->used = (ctx->used + 1) & 15;
    }
    return n;
}

/* Makes the next block's keystream: the kernel on zeros. CFB keeps it in the IV's place. */
static void begin_block(struct cipher_ctx *ctx)
{
    memset(ctx->buf, 0, sizeof ctx->buf);
    ctx->blocks(ctx->buf, ctx->buf, 1, &ctx->key->aes, ctx->iv, ctx->iv);
    if (ctx->mode == HR_MODE_CFB128) {
        memcpy(ctx->iv, ctx->buf, sizeof ctx->iv);
        WIPE(&ctx->buf);
    }
}

static int update_stream(struct cipher_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    if (overlap(out, in, len))
        return HR_EOVERLAP;
    const size_t head = rest_of_block(ctx, out, in, len);
    const size_t bulk = (len - head) & ~(size_t)15, tail = len - head - bulk;
    if (bulk)
        ctx->blocks(out + head, in + head, bulk / 16, &ctx->key->aes, ctx->iv, ctx->iv);
    if (!tail)
        return 0;
    begin_block(ctx);
    const uint8_t first = in[head + bulk];
    uint8_t *at = ctx->mode == HR_MODE_CTR ? ctx->buf : ctx->iv;
    out[head + bulk] = first ^ *at;
    *at = ctx->op == HR_OP_ENCRYPT ? out[head + bulk] : first;
    ctx->used = 1;
    rest_of_block(ctx, out + head + bulk + 1, in + head + bulk + 1, tail - 1);
    return 0;
}

/* Blocks: what is left waits in buf; decryption with padding holds the last whole block back. */
static int update_blocks(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len,
                         const uint8_t *in, size_t len)
{
    if (len > SIZE_MAX - sizeof ctx->buf)
        return HR_EBUFFER; /* no buffer is so long */
    const size_t all = ctx->used + len;
    const int hold = ctx->padding && ctx->op == HR_OP_DECRYPT;
    if (LIKELY(!ctx->used && !hold && !(len & 15) && out_size >= len && !overlap(out, in, len))) {
        ctx->blocks(out, in, len / 16, &ctx->key->aes, ctx->iv, ctx->iv);
        *out_len = len;
        return 0;
    }
    size_t rest = all & 15;
    if (hold && rest == 0 && all)
        rest = 16;
    const size_t ready = all - rest;
    if (out_size < ready)
        return HR_EBUFFER;
    if (!ready) {
        memcpy(ctx->buf + ctx->used, in, len);
        ctx->used = (uint8_t)all;
        return 0;
    }
    const size_t fill = ctx->used ? 16u - ctx->used : 0;
    const size_t first = ctx->used ? 16 : 0, bulk = ready - first;
    if (out != in - ctx->used && out < in + len && in < out + ready)
        return HR_EOVERLAP; /* also where only input that is still to be buffered would be lost */
    if (first) {
        memcpy(ctx->buf + ctx->used, in, fill);
        ctx->blocks(out, ctx->buf, 1, &ctx->key->aes, ctx->iv, ctx->iv);
    }
    if (bulk)
        ctx->blocks(out + first, in + fill, bulk / 16, &ctx->key->aes, ctx->iv, ctx->iv);
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

/* RFC 5652 6.3: the last byte n, 1 to 16, says that the last n bytes are n. No branch on data. */
static uint32_t padding_len(const uint8_t block[16], uint32_t *good)
{
    const uint32_t n = block[15];
    *good = ~ct_is_zero(n) & ct_lt(n, 17);
    for (uint32_t i = 0; i < 16; i++)
        *good &= ~ct_lt(15 - i, n) | ct_eq(block[i], n);
    return n;
}

static int finish_decrypt(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    uint8_t block[16];
    uint32_t good;
    if (ctx->used != 16)
        return HR_ELENGTH;
    if (out_size < 16)
        return HR_EBUFFER;
    ctx->blocks(block, ctx->buf, 1, &ctx->key->aes, ctx->iv, ctx->iv);
    uint32_t n = padding_len(block, &good);
    CT_PUBLIC(&good, sizeof good); /* the caller is told, as PKCS#7 users expect */
    CT_PUBLIC(&n, sizeof n);
    if (good) {
        memcpy(out, block, 16);
        *out_len = 16 - n;
    } else {
        memset(out, 0, 16);
    }
    WIPE(&block);
    return good ? 0 : HR_EPADDING;
}

static int finish_encrypt(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    if (out_size < 16)
        return HR_EBUFFER;
    memset(ctx->buf + ctx->used, 16 - ctx->used, 16u - ctx->used);
    ctx->blocks(out, ctx->buf, 1, &ctx->key->aes, ctx->iv, ctx->iv);
    *out_len = 16;
    return 0;
}

/* Without padding nothing may be left, but for a block that was held back while there was some. */
static int finish_whole(struct cipher_ctx *ctx, uint8_t *out, size_t out_size, size_t *out_len)
{
    if (!ctx->used)
        return 0;
    if (ctx->used != 16)
        return HR_ELENGTH;
    if (out_size < 16)
        return HR_EBUFFER;
    ctx->blocks(out, ctx->buf, 1, &ctx->key->aes, ctx->iv, ctx->iv);
    *out_len = 16;
    return 0;
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
    if (iv_len != (ctx->mode == HR_MODE_ECB ? 0 : sizeof ctx->iv))
        return HR_EIVLEN;
    if (iv_len)
        memcpy(iv, ctx->used == 16 ? ctx->buf : ctx->iv, iv_len);
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
    if (num && ctx->mode != HR_MODE_CFB128)
        return HR_EINVAL;
    if (ctx->mode == HR_MODE_CFB128)
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
    if (!ctx->key || key->alg != ctx->alg || key->blocks[ctx->op] == no_blocks)
        return HR_ESTATE;
    ctx->key = key;
    ctx->blocks = key->blocks[ctx->op];
    return 0;
}
