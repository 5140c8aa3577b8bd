/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers under a key of the accelerator.  A request is a whole message, and so a stream is one
 * request an update, with the IV carried along here; a block that has begun is asked for again. */
#include "handle.h"
#include "params.h"
#include <stdlib.h>

enum { MAX_BLOCK = HR_CIPHER_MAX_BLOCK, CHUNK = 32 << 10 };

struct handle_cipher {
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct handle *key;
    struct served served;
    uint8_t op, padding, iv_set;
    uint8_t iv[MAX_BLOCK], next[MAX_BLOCK]; /* as given; of the next whole block */
    uint8_t part[MAX_BLOCK];                /* input of a block that is not whole yet */
    size_t part_len;
    size_t unit;   /* of the block cipher */
    uint8_t spent; /* f8: the message has had its update */
};

/* ---- contexts ---- */

static void *cipher_newctx(void *provctx, enum row_index index)
{
    struct handle_cipher *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->row = hr_algorithm_at(index);
    c->provider = provctx;
    c->unit = cipher_unit(c->row);
    c->padding = c->row->block_len > 1;
    served_init(&c->served, index);
    return c;
}

static void cipher_freectx(void *ctx)
{
    struct handle_cipher *c = ctx;
    if (!c)
        return;
    stats_fold(&c->served);
    handle_release(c->key);
    WIPE(c);
    free(c);
}

static void *cipher_dupctx(void *ctx)
{
    const struct handle_cipher *c = ctx;
    struct handle_cipher *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *c;
    handle_hold(copy->key);
    served_init(&copy->served, c->served.index);
    return copy;
}

/* ---- init, parameters ---- */

enum { IV_LEN, KEY_LEN, UPDATED_IV, IV, NUM, PADDING, KEY, NUM_KEYS };

static const char *const keys[NUM_KEYS] = {
    [IV_LEN] = OSSL_CIPHER_PARAM_IVLEN,
    [KEY_LEN] = OSSL_CIPHER_PARAM_KEYLEN,
    [UPDATED_IV] = OSSL_CIPHER_PARAM_UPDATED_IV,
    [IV] = OSSL_CIPHER_PARAM_IV,
    [NUM] = OSSL_CIPHER_PARAM_NUM,
    [PADDING] = OSSL_CIPHER_PARAM_PADDING,
    [KEY] = HANDLE_PARAM,
};

static const OSSL_PARAM *cipher_gettable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        PARAM_SIZE(OSSL_CIPHER_PARAM_IVLEN),
        PARAM_UINT(OSSL_CIPHER_PARAM_PADDING),
        PARAM_UINT(OSSL_CIPHER_PARAM_NUM),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_IV),
        PARAM_OCTETS(OSSL_CIPHER_PARAM_UPDATED_IV),
        PARAM_END,
    };
    return list;
}

static int get_one(const struct handle_cipher *c, OSSL_PARAM *p)
{
    switch (param_key(p, keys, NUM_KEYS)) {
    case IV_LEN:
        return param_set_number(p, c->row->iv_len);
    case KEY_LEN:
        return param_set_number(p, c->row->key_len);
    case UPDATED_IV:
        return param_set_octets(p, c->next, c->row->iv_len);
    case IV:
        return param_set_octets(p, c->iv, c->row->iv_len);
    case NUM:
        return param_set_number(p, c->row->block_len > 1 ? 0 : c->part_len);
    case PADDING:
        return param_set_number(p, c->padding);
    default:
        return 1;
    }
}

static int cipher_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct handle_cipher *c = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(c, p))
            return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

static const OSSL_PARAM *cipher_settable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_TEXT(HANDLE_PARAM),
        PARAM_UINT(OSSL_CIPHER_PARAM_PADDING),
        PARAM_END,
    };
    return list;
}

static int cipher_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct handle_cipher *c = ctx;
    const OSSL_PARAM *name = param_find(params, HANDLE_PARAM);
    const OSSL_PARAM *padding = param_find(params, OSSL_CIPHER_PARAM_PADDING);
    uint64_t value = 0;
    if (padding && !param_get_number(padding, &value))
        return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (padding)
        c->padding = value != 0 && c->row->block_len > 1;
    return !name || handle_replace(&c->key, handle_open(c->provider, name));
}

static int cipher_init(struct handle_cipher *c, int op, const unsigned char *iv, size_t iv_len,
                       const OSSL_PARAM params[])
{
    if (iv && c->row->iv_len && iv_len != c->row->iv_len)
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH);
    if (iv && c->row->iv_len) {
        memcpy(c->iv, iv, iv_len);
        c->iv_set = 1;
    }
    memcpy(c->next, c->iv, sizeof c->next);
    c->op = (uint8_t)op;
    c->part_len = 0;
    c->spent = 0;
    return cipher_set_ctx_params(c, params);
}

static int init_bytes(struct handle_cipher *c, int op, const unsigned char *key, size_t key_len,
                      const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    if (key && !handle_replace(&c->key, handle_import(c->provider, c->row->alg, key, key_len)))
        return 0;
    return cipher_init(c, op, iv, iv_len, params);
}

static int init_skey(struct handle_cipher *c, int op, void *key, const unsigned char *iv,
                     size_t iv_len, const OSSL_PARAM params[])
{
    if (key && !handle_replace(&c->key, handle_hold(key)))
        return 0;
    return cipher_init(c, op, iv, iv_len, params);
}

static int cipher_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return init_bytes(ctx, HR_JOB_ENCRYPT, key, key_len, iv, iv_len, params);
}
static int cipher_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                               const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return init_bytes(ctx, HR_JOB_DECRYPT, key, key_len, iv, iv_len, params);
}
static int cipher_encrypt_skey(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
                               const OSSL_PARAM params[])
{
    return init_skey(ctx, HR_JOB_ENCRYPT, key, iv, iv_len, params);
}
static int cipher_decrypt_skey(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
                               const OSSL_PARAM params[])
{
    return init_skey(ctx, HR_JOB_DECRYPT, key, iv, iv_len, params);
}

/* ---- blocks ---- */

static int request(const struct handle_cipher *c, uint8_t *out, const uint8_t *in, size_t len)
{
    struct hr_job job = { .alg = (uint16_t)c->row->alg,
                          .op = c->op,
                          .iv = c->row->iv_len ? c->next : NULL,
                          .iv_len = c->row->iv_len,
                          .in = in,
                          .out = out,
                          .len = len };
    return handle_run(c->key, &job);
}

/* The IV behind `blocks` whole blocks, of which the last one had this input and this output. */
static void follow(struct handle_cipher *c, const uint8_t *in, const uint8_t *out, size_t blocks)
{
    if (c->row->mode != HR_MODE_CTR) {
        const int feeds_output = c->op == HR_JOB_ENCRYPT;
        for (size_t i = 0; i < c->unit; i++)
            c->next[i] = c->row->mode == HR_MODE_OFB ? in[i] ^ out[i]
                         : feeds_output              ? out[i]
                                                     : in[i];
        return;
    }
    for (size_t i = c->unit, carry = blocks; i--; carry >>= 8) {
        carry += c->next[i];
        c->next[i] = (uint8_t)carry;
    }
}

static int whole_blocks(struct handle_cipher *c, uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t last[MAX_BLOCK];
    for (size_t n; len; out += n, in += n, len -= n) {
        n = len < CHUNK ? len : CHUNK;
        memcpy(last, in + n - c->unit, c->unit);
        if (!request(c, out, in, n))
            return 0;
        follow(c, last, out + n - c->unit, n / c->unit);
    }
    return 1;
}

/* ---- streams: a block may begin in one update and end in another ---- */

/* Goes on in the block that has begun, with n bytes. */
static int stream_part(struct handle_cipher *c, uint8_t *out, const uint8_t *in, size_t n)
{
    uint8_t result[MAX_BLOCK];
    memcpy(c->part + c->part_len, in, n);
    if (!request(c, result, c->part, c->part_len + n))
        return 0;
    memcpy(out, result + c->part_len, n);
    c->part_len += n;
    if (c->part_len == c->unit) {
        follow(c, c->part, result, 1);
        c->part_len = 0;
    }
    WIPE(&result);
    return 1;
}

/* f8 has no IV from which it could go on. */
static int f8_update(struct handle_cipher *c, uint8_t *out, const uint8_t *in, size_t len)
{
    if (c->spent || len > CHUNK)
        return RAISE(c->provider, PROV_R_INVALID_INPUT_LENGTH);
    c->spent = len > 0;
    return !len || request(c, out, in, len);
}

static int stream_update(struct handle_cipher *c, uint8_t *out, const uint8_t *in, size_t len)
{
    if (c->row->mode == HR_MODE_F8)
        return f8_update(c, out, in, len);
    size_t n = c->part_len ? c->unit - c->part_len : 0;
    n = n < len ? n : len;
    if (n && !stream_part(c, out, in, n))
        return 0;
    const size_t bulk = (len - n) / c->unit * c->unit, rest = len - n - bulk;
    return whole_blocks(c, out + n, in + n, bulk) &&
           (!rest || stream_part(c, out + n + bulk, in + n + bulk, rest));
}

/* ---- blocks, of which the rest waits for the next update ---- */

/* The padding's last block is held back where decryption will have to look at it. */
static int block_update(struct handle_cipher *c, uint8_t *out, size_t *out_len, const uint8_t *in,
                        size_t len)
{
    const size_t total = c->part_len + len;
    const int holds = c->padding && c->op == HR_JOB_DECRYPT;
    const size_t whole = (total - (holds && total)) / c->unit * c->unit;
    if (whole && c->part_len) {
        const size_t n = c->unit - c->part_len;
        memcpy(c->part + c->part_len, in, n);
        if (!whole_blocks(c, out, c->part, c->unit))
            return 0;
        c->part_len = 0;
        in += n;
        len -= n;
        out += c->unit;
        *out_len = c->unit;
    }
    const size_t bulk = whole - *out_len;
    if (!whole_blocks(c, out, in, bulk))
        return 0;
    memcpy(c->part + c->part_len, in + bulk, len - bulk);
    c->part_len += len - bulk;
    *out_len += bulk;
    return 1;
}

static int apart(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    return !a_len || !b_len || (uintptr_t)a + a_len <= (uintptr_t)b ||
           (uintptr_t)b + b_len <= (uintptr_t)a;
}

static int cipher_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                         const unsigned char *in, size_t in_len)
{
    struct handle_cipher *c = ctx;
    const int stream = c->row->block_len == 1;
    const size_t waits = stream ? 0 : c->part_len;
    *out_len = 0;
    if (!c->key)
        return RAISE(c->provider, PROV_R_NO_KEY_SET);
    if (!c->iv_set && c->row->iv_len)
        return RAISE(c->provider, PROV_R_INVALID_STATE);
    if (out_size < (stream ? in_len : (waits + in_len) / c->unit * c->unit))
        return RAISE(c->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    if (out + waits != in && !apart(out, waits + in_len, in, in_len))
        return RAISE_HR(c->provider, HR_EOVERLAP);
    served_add(&c->served, in_len);
    if (!stream)
        return block_update(c, out, out_len, in, in_len);
    *out_len = in_len;
    return stream_update(c, out, in, in_len);
}

/* How many bytes a padded block has (RFC 5652 section 6.3), found in constant time, or -1. */
static int unpadded(const uint8_t *block, uint32_t len)
{
    const uint32_t pad = block[len - 1];
    uint32_t bad = (pad - 1) >> 31 | (len - pad) >> 31;
    for (uint32_t i = 0; i < len; i++) {
        const uint32_t inside = 0u - ((len - 1 - i - pad) >> 31);
        bad |= inside & (block[i] ^ pad);
    }
    return bad ? -1 : (int)(len - pad);
}

static int final_decrypt(struct handle_cipher *c, uint8_t *out, size_t *out_len, size_t out_size)
{
    uint8_t block[MAX_BLOCK];
    if (c->part_len != c->unit)
        return RAISE(c->provider, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
    if (!whole_blocks(c, block, c->part, c->unit))
        return 0;
    c->part_len = 0;
    const int len = unpadded(block, (uint32_t)c->unit);
    const uint32_t reason = len < 0                  ? PROV_R_BAD_DECRYPT
                            : out_size < (size_t)len ? PROV_R_OUTPUT_BUFFER_TOO_SMALL
                                                     : 0;
    if (!reason) {
        memcpy(out, block, (size_t)len);
        *out_len = (size_t)len;
    }
    WIPE(&block);
    return !reason || RAISE(c->provider, reason);
}

static int cipher_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct handle_cipher *c = ctx;
    *out_len = 0;
    if (!c->key)
        return RAISE(c->provider, PROV_R_NO_KEY_SET);
    if (c->row->block_len == 1)
        return 1;
    if (!c->padding)
        return !c->part_len || RAISE(c->provider, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
    if (c->op == HR_JOB_DECRYPT)
        return final_decrypt(c, out, out_len, out_size);
    if (out_size < c->unit)
        return RAISE(c->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    memset(c->part + c->part_len, (int)(c->unit - c->part_len), c->unit - c->part_len);
    c->part_len = 0;
    *out_len = c->unit;
    return whole_blocks(c, out, c->part, c->unit);
}

/* ---- entry points ---- */

#define HR_CIPHER(number, sym, ...) HANDLE_ROW(sym, cipher)
#include <headrace/algorithms.def>

const OSSL_ALGORITHM handle_cipher_rows[NUM_CIPHERS] = {
#define HR_CIPHER(number, sym, SYM, name, names, ...) HANDLE_ENTRY(sym, name, names)
#include <headrace/algorithms.def>
};
