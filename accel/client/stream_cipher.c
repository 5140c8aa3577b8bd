/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of ciphers in pieces, under a handle (SP 800-38A; padding: RFC 5652 section 6.3).  The
 * service computes whole blocks under a given IV; this file makes the IV of the next request.  When
 * an update of a stream mode ends within a block, the service computes that block's keystream, and
 * the context keeps the part that is not used yet. */
#define _GNU_SOURCE
#include "stream.h"

enum { MAX_BLOCK = HR_CIPHER_MAX_BLOCK, CHUNK = 32 << 10 };
_Static_assert(HR_ACCEL_MAX_F8 <= CHUNK, "f8 is one request");

struct cipher_stream {
    uint64_t handle;
    uint16_t alg; /* HR_ALG_NONE: no message */
    uint8_t op, mode;
    uint8_t unit;           /* the length of a block, of stream modes too */
    uint8_t used;           /* bytes used of the keystream; ECB, CBC: bytes that wait in buf */
    uint8_t padding;        /* ECB, CBC: the message has padding */
    uint8_t spent;          /* f8: the one update is done */
    uint8_t iv[MAX_BLOCK];  /* of the next request; CFB: ciphertext and keystream of this block */
    uint8_t buf[MAX_BLOCK]; /* bytes that wait, or the block's keystream */
};
_Static_assert(sizeof(struct cipher_stream) <= sizeof(struct hr_accel_cipher_ctx), "a context");

/* is_stream tells whether a mode takes messages of any length: no bytes wait for a whole block. */
static int is_stream(const struct cipher_stream *s)
{
    return s->mode > HR_MODE_CBC;
}

int hr_accel_cipher_init(struct hr_accel_cipher_ctx *ctx, hr_alg alg, uint64_t handle,
                         enum hr_op op, const uint8_t *iv, size_t iv_len, unsigned flags)
{
    struct cipher_stream *s = (struct cipher_stream *)ctx;
    if (!ctx || (iv_len && !iv) || (unsigned)op > HR_OP_DECRYPT ||
        flags & ~(unsigned)HR_CIPHER_PADDING)
        return HR_EINVAL;
    if (!hr_cipher_size(alg))
        return HR_EALG;
    const struct hr_algorithm *row = hr_algorithm(alg);
    if (iv_len != row->iv_len)
        return HR_EIVLEN;
    memset(ctx, 0, sizeof *ctx);
    s->handle = handle;
    s->alg = (uint16_t)alg;
    s->op = (uint8_t)op;
    s->mode = (uint8_t)row->mode;
    s->unit = (uint8_t)(row->block_len > 1 ? row->block_len : row->iv_len);
    s->padding = flags & HR_CIPHER_PADDING && !is_stream(s);
    if (iv_len)
        memcpy(s->iv, iv, iv_len);
    return 0;
}

/* ---- whole blocks ---- */

static int ask(const struct cipher_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    struct hr_job job = { .alg = s->alg,
                          .op = s->op,
                          .iv = s->iv,
                          .iv_len = s->mode == HR_MODE_ECB ? 0 : s->unit,
                          .in = in,
                          .out = out,
                          .len = len };
    return stream_run(&job, s->handle);
}

/* count adds to the counter, which is one big-endian number that wraps. */
static void count(struct cipher_stream *s, size_t num_blocks)
{
    for (size_t i = s->unit, carry = num_blocks; i--; carry >>= 8) {
        carry += s->iv[i];
        s->iv[i] = (uint8_t)carry;
    }
}

/* follow makes the IV of the next request.  num_blocks were done; `in` and `out` are the last. */
static void follow(struct cipher_stream *s, const uint8_t *in, const uint8_t *out,
                   size_t num_blocks)
{
    switch (s->mode) {
    case HR_MODE_CTR:
        count(s, num_blocks);
        break;
    case HR_MODE_OFB:
        for (size_t i = 0; i < s->unit; i++)
            s->iv[i] = in[i] ^ out[i];
        break;
    case HR_MODE_CBC:
    case HR_MODE_CFB128:
        memcpy(s->iv, s->op == HR_OP_ENCRYPT ? out : in, s->unit);
        break;
    }
}

/* run_blocks asks the service for whole blocks.  It saves the last block of input, because `out`
 * may be `in`. */
static int run_blocks(struct cipher_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t last[MAX_BLOCK];
    int error = 0;
    for (size_t n; len && !error; out += n, in += n, len -= n) {
        n = len < CHUNK ? len : CHUNK;
        memcpy(last, in + n - s->unit, s->unit);
        error = ask(s, out, in, n);
        if (!error)
            follow(s, last, out + n - s->unit, n / s->unit);
    }
    WIPE(&last);
    return error;
}

/* ---- streams ---- */

/* keystream returns the keystream of the current block.  CFB replaces it by ciphertext, byte by
 * byte, and so gets its next IV. */
static uint8_t *keystream(struct cipher_stream *s)
{
    return s->mode == HR_MODE_CFB128 ? s->iv : s->buf;
}

/* rest_of_block uses the rest of the current block's keystream.  It returns how many bytes it
 * processed. */
static size_t rest_of_block(struct cipher_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    size_t n = 0;
    for (; n < len && s->used; n++) {
        const uint8_t byte = in[n];
        uint8_t *at = keystream(s) + s->used;
        out[n] = byte ^ *at;
        *at = s->op == HR_OP_ENCRYPT ? out[n] : byte; /* CFB feeds ciphertext back */
        s->used = (uint8_t)((s->used + 1) % s->unit);
    }
    return n;
}

/* begin_block makes the keystream of a block: the encryption, or decryption, of zeros. */
static int begin_block(struct cipher_stream *s)
{
    memset(s->buf, 0, sizeof s->buf);
    const int error = run_blocks(s, s->buf, s->buf, s->unit);
    if (error || s->mode != HR_MODE_CFB128)
        return error;
    memcpy(s->iv, s->buf, s->unit);
    WIPE(&s->buf);
    return 0;
}

/* tail_of_message processes less than a block.  It does the first byte itself, because `used`
 * is 0 only between blocks. */
static int tail_of_message(struct cipher_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    const int error = begin_block(s);
    if (error)
        return error;
    const uint8_t first = in[0];
    uint8_t *at = keystream(s);
    out[0] = first ^ *at;
    *at = s->op == HR_OP_ENCRYPT ? out[0] : first;
    s->used = 1;
    rest_of_block(s, out + 1, in + 1, len - 1);
    return 0;
}

/* No IV describes the state of f8, so its message is one request. */
static int update_f8(struct cipher_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    if (s->spent || len > HR_ACCEL_MAX_F8)
        return HR_ELENGTH;
    s->spent = 1;
    return ask(s, out, in, len);
}

static int update_stream(struct cipher_stream *s, uint8_t *out, size_t out_size, size_t *out_len,
                         const uint8_t *in, size_t len)
{
    if (out_size < len)
        return HR_EBUFFER;
    if (out != in && stream_touch(out, len, in, len))
        return HR_EOVERLAP;
    *out_len = len;
    if (s->mode == HR_MODE_F8)
        return update_f8(s, out, in, len);
    const size_t head = rest_of_block(s, out, in, len);
    const size_t tail = (len - head) % s->unit, bulk = len - head - tail;
    const int error = run_blocks(s, out + head, in + head, bulk);
    return error || !tail ? error : tail_of_message(s, out + head + bulk, in + head + bulk, tail);
}

/* ---- blocks ---- */

/* left_over returns how many of `all` bytes must wait.  Decryption with padding holds back the last
 * whole block, which may be padding. */
static size_t left_over(const struct cipher_stream *s, size_t all)
{
    const size_t rest = all % s->unit;
    return !rest && s->padding && s->op == HR_OP_DECRYPT ? s->unit : rest;
}

static int update_blocks(struct cipher_stream *s, uint8_t *out, size_t out_size, size_t *out_len,
                         const uint8_t *in, size_t len)
{
    if (len > SIZE_MAX - MAX_BLOCK)
        return HR_EBUFFER; /* no buffer is so long */
    const size_t all = s->used + len, rest = left_over(s, all), ready = all - rest;
    if (out_size < ready)
        return HR_EBUFFER;
    if (!ready) {
        memcpy(s->buf + s->used, in, len);
        s->used = (uint8_t)all;
        return 0;
    }
    if ((uintptr_t)out + s->used != (uintptr_t)in && stream_touch(out, ready, in, len))
        return HR_EOVERLAP; /* even if only bytes that will wait would be lost */
    const size_t first = s->used ? s->unit : 0, fill = first - s->used;
    memcpy(s->buf + s->used, in, fill);
    int error = first ? run_blocks(s, out, s->buf, first) : 0;
    if (!error)
        error = run_blocks(s, out + first, in + fill, ready - first);
    memcpy(s->buf, in + len - rest, rest);
    s->used = (uint8_t)rest;
    *out_len = ready;
    return error;
}

/* ---- the calls ---- */

int hr_accel_cipher_update(struct hr_accel_cipher_ctx *ctx, uint8_t *out, size_t out_size,
                           size_t *out_len, const uint8_t *in, size_t in_len)
{
    struct cipher_stream *s = (struct cipher_stream *)ctx;
    if (!ctx || !out_len || (in_len && (!in || (out_size && !out))))
        return HR_EINVAL;
    *out_len = 0;
    if (!s->alg)
        return HR_ESTATE;
    if (!in_len)
        return 0;
    struct cipher_stream before = *s;
    const int error =
        (is_stream(s) ? update_stream : update_blocks)(s, out, out_size, out_len, in, in_len);
    if (error) {
        *s = before;
        *out_len = 0;
    }
    WIPE(&before);
    return error;
}

/* unpadded returns the length of a block without its padding, or -1, in constant time. */
static int unpadded(const uint8_t *block, uint32_t len)
{
    const uint32_t pad = block[len - 1];
    uint32_t bad = (pad - 1) >> 31 | (len - pad) >> 31;
    for (uint32_t i = 0; i < len; i++) {
        const uint32_t inside = 0u - ((len - 1 - i - pad) >> 31);
        bad |= inside & (block[i] ^ pad);
    }
    __asm__("" : "+r"(bad)); /* so that the compiler makes no branch above */
    return bad ? -1 : (int)(len - pad);
}

static int finish_decrypt(struct cipher_stream *s, uint8_t *out, size_t *out_len)
{
    uint8_t block[MAX_BLOCK];
    int error = ask(s, block, s->buf, s->unit);
    const int len = error ? 0 : unpadded(block, s->unit);
    if (len < 0)
        error = HR_EPADDING;
    if (!error) {
        memcpy(out, block, (size_t)len);
        *out_len = (size_t)len;
    }
    WIPE(&block);
    return error;
}

/* finish_block processes the last block: with padding, n bytes of value n, where n is 1 to unit. */
static int finish_block(struct cipher_stream *s, uint8_t *out, size_t *out_len)
{
    uint8_t block[MAX_BLOCK];
    const int pad = s->unit - s->used;
    memcpy(block, s->buf, s->used);
    memset(block + s->used, pad, (size_t)pad);
    const int error = ask(s, out, block, s->unit);
    *out_len = error ? 0 : s->unit;
    WIPE(&block);
    return error;
}

/* Without padding no bytes may wait, except a block that was held back before padding was turned
 * off. */
static int finish(struct cipher_stream *s, uint8_t *out, size_t out_size, size_t *out_len)
{
    const int holds = s->padding && s->op == HR_OP_DECRYPT;
    if (is_stream(s) || (!s->padding && !s->used))
        return 0;
    if ((holds || !s->padding) && s->used != s->unit)
        return HR_ELENGTH;
    if (out_size < s->unit)
        return HR_EBUFFER;
    return holds ? finish_decrypt(s, out, out_len) : finish_block(s, out, out_len);
}

int hr_accel_cipher_final(struct hr_accel_cipher_ctx *ctx, uint8_t *out, size_t out_size,
                          size_t *out_len)
{
    struct cipher_stream *s = (struct cipher_stream *)ctx;
    if (!ctx || !out_len || (out_size && !out))
        return HR_EINVAL;
    *out_len = 0;
    if (!s->alg)
        return HR_ESTATE;
    const int error = finish(s, out, out_size, out_len);
    if (!error || error == HR_ELENGTH || error == HR_EPADDING)
        WIPE(ctx);
    return error;
}

int hr_accel_cipher_get_iv(const struct hr_accel_cipher_ctx *ctx, uint8_t *iv, size_t iv_len)
{
    const struct cipher_stream *s = (const struct cipher_stream *)ctx;
    if (!ctx || (iv_len && !iv))
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    if (iv_len != (s->mode == HR_MODE_ECB ? 0 : s->unit))
        return HR_EIVLEN;
    if (s->mode == HR_MODE_F8)
        return HR_ESTATE;
    if (iv_len) /* a block that is held back is the last whole ciphertext block */
        memcpy(iv, s->used == s->unit ? s->buf : s->iv, iv_len);
    return 0;
}

int hr_accel_cipher_get_num(const struct hr_accel_cipher_ctx *ctx)
{
    const struct cipher_stream *s = (const struct cipher_stream *)ctx;
    if (!ctx)
        return HR_EINVAL;
    return s->alg ? s->used : HR_ESTATE;
}

int hr_accel_cipher_set_num(struct hr_accel_cipher_ctx *ctx, unsigned num)
{
    struct cipher_stream *s = (struct cipher_stream *)ctx;
    if (!ctx || num > 15)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    const int ofb = s->mode == HR_MODE_OFB;
    if (num && ((!ofb && s->mode != HR_MODE_CFB128) || num >= s->unit))
        return HR_EINVAL;
    if (ofb) /* the IV is the keystream of the block */
        memcpy(s->buf, s->iv, s->unit);
    if (is_stream(s))
        s->used = (uint8_t)num;
    return 0;
}

int hr_accel_cipher_set_padding(struct hr_accel_cipher_ctx *ctx, int on)
{
    struct cipher_stream *s = (struct cipher_stream *)ctx;
    if (!ctx)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    s->padding = on && !is_stream(s);
    return 0;
}

int hr_accel_cipher_set_key(struct hr_accel_cipher_ctx *ctx, uint64_t handle)
{
    struct cipher_stream *s = (struct cipher_stream *)ctx;
    if (!ctx)
        return HR_EINVAL;
    if (!s->alg)
        return HR_ESTATE;
    s->handle = handle;
    return 0;
}

int hr_accel_cipher_copy(struct hr_accel_cipher_ctx *out, const struct hr_accel_cipher_ctx *ctx)
{
    if (!out || !ctx)
        return HR_EINVAL;
    *out = *ctx;
    return 0;
}

void hr_accel_cipher_wipe(struct hr_accel_cipher_ctx *ctx)
{
    if (ctx)
        WIPE(ctx);
}
