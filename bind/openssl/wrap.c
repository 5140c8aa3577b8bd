/* SPDX-License-Identifier: Apache-2.0 */
/* provider-cipher(7) for DES3-WRAP, CMS's key wrap with triple DES (RFC 3217 section 3).  The key
 * and the first 8 bytes of its SHA-1 are encrypted in CBC mode under a random IV.  That IV and the
 * result, with the order of the bytes reversed, are encrypted again under a fixed IV. */
#include "../stats.h"
#include "provider.h"
#include <headrace/algorithms.h>
#include <stdlib.h>

enum { BLOCK = 8, KEY_SIZE = 24, EXTRA = 2 * BLOCK, MODE_WRAP = 0x10002, MAX_WRAPPED = 1 << 30 };

static const uint8_t fixed_iv[BLOCK] = { 0x4a, 0xdd, 0xa2, 0x2c, 0x79, 0xe8, 0x21, 0x05 };

struct wrap {
    struct hr_cipher_key key;
    const struct provider *provider;
    struct served served;
    uint8_t op, key_set;
};

/* ---- contexts ---- */

static void *wrap_newctx(void *provctx)
{
    struct wrap *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->provider = provctx;
    served_init(&w->served, INDEX_des_ede3_cbc);
    return w;
}

static void wrap_freectx(void *ctx)
{
    struct wrap *w = ctx;
    if (!w)
        return;
    stats_fold(&w->served);
    WIPE(w);
    free(w);
}

static void *wrap_dupctx(void *ctx)
{
    const struct wrap *w = ctx;
    struct wrap *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *w;
    served_init(&copy->served, INDEX_des_ede3_cbc);
    return copy;
}

/* wrap_init ignores the program's IV: encrypt makes a random one. */
static int wrap_init(struct wrap *w, enum hr_op op, const unsigned char *key, size_t key_len)
{
    w->op = (uint8_t)op;
    if (!key)
        return 1;
    w->key_set = 0;
    const int error = (w->provider->strict ? hr_cipher_key_init : hr_cipher_key_init_vartime)(
        &w->key, HR_DES_EDE3_CBC, key, key_len);
    if (error)
        return RAISE_HR(w->provider, error);
    w->key_set = 1;
    return 1;
}

static int wrap_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return wrap_init(ctx, HR_OP_ENCRYPT, key, key_len);
}

static int wrap_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                             const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return wrap_init(ctx, HR_OP_DECRYPT, key, key_len);
}

/* ---- data ---- */

static void reverse(uint8_t *bytes, size_t len)
{
    for (size_t i = 0, j = len; i + 1 < j; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[--j];
        bytes[j] = byte;
    }
}

static void check_value(uint8_t out[BLOCK], const uint8_t *in, size_t len)
{
    uint8_t digest[20];
    hr_sha1(digest, in, len);
    memcpy(out, digest, BLOCK);
    WIPE(&digest);
}

/* encrypt writes the wrapped key to `all`, which has room for the IV, the key and its check value.
 * It returns 1 or 0. */
static int encrypt(const struct wrap *w, uint8_t *all, const uint8_t *in, size_t len)
{
    uint8_t *const iv = all, *const text = all + BLOCK;
    if (!random_bytes(w->provider, iv, BLOCK))
        return 0;
    memcpy(text, in, len);
    check_value(text + len, in, len);
    if (hr_des_ede3_cbc_encrypt(text, text, len + BLOCK, &w->key, iv))
        return 0;
    reverse(all, len + EXTRA);
    return !hr_des_ede3_cbc_encrypt(all, all, len + EXTRA, &w->key, fixed_iv);
}

/* decrypt writes the IV, the key of len bytes and its check value to `all`.  It returns 1, or 0 if
 * the check value is wrong. */
static int decrypt(const struct wrap *w, uint8_t *all, const uint8_t *in, size_t len)
{
    uint8_t *const iv = all, *const text = all + BLOCK, want[BLOCK];
    uint8_t differ = 0;
    if (hr_des_ede3_cbc_decrypt(all, in, len + EXTRA, &w->key, fixed_iv))
        return 0;
    reverse(all, len + EXTRA);
    if (hr_des_ede3_cbc_decrypt(text, text, len + BLOCK, &w->key, iv))
        return 0;
    check_value(want, text, len);
    for (size_t i = 0; i < BLOCK; i++)
        differ |= want[i] ^ text[len + i];
    WIPE(&want);
    return !differ;
}

static int run(struct wrap *w, uint8_t *out, const uint8_t *in, size_t in_len, size_t len)
{
    const size_t room = len + EXTRA;
    uint8_t *all = malloc(room);
    if (!all)
        return 0;
    const int encrypts = w->op == HR_OP_ENCRYPT;
    const int good = (encrypts ? encrypt : decrypt)(w, all, in, len);
    if (good)
        memcpy(out, encrypts ? all : all + BLOCK, encrypts ? room : len);
    wipe_bytes(all, room);
    free(all);
    served_add(&w->served, in_len);
    return good;
}

/* wrap_whole wraps or unwraps a whole key; if `out` is NULL, it only returns the length.  A wrapped
 * key is two blocks longer than the input, but the out_size that EVP passes is only one block
 * longer: as with the default provider, the caller has to provide the room. */
static int wrap_whole(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                      const unsigned char *in, size_t in_len)
{
    struct wrap *w = ctx;
    const int encrypts = w->op == HR_OP_ENCRYPT;
    *out_len = 0;
    if (!w->key_set)
        return RAISE(w->provider, PROV_R_NO_KEY_SET);
    if (out_size < in_len)
        return RAISE(w->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    if (in_len % BLOCK || in_len >= MAX_WRAPPED || (!encrypts && in_len < EXTRA + BLOCK))
        return 0;
    const size_t len = encrypts ? in_len : in_len - EXTRA;
    if (out && (!in || !run(w, out, in, in_len, len)))
        return 0;
    *out_len = encrypts ? in_len + EXTRA : len;
    return 1;
}

static int wrap_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                       const unsigned char *in, size_t in_len)
{
    struct wrap *w = ctx;
    *out_len = 0;
    return !in_len || wrap_whole(ctx, out, out_len, out_size, in, in_len) ||
           RAISE(w->provider, PROV_R_CIPHER_OPERATION_FAILED);
}

static int wrap_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    const struct wrap *w = ctx;
    *out_len = 0;
    return w->key_set || RAISE(w->provider, PROV_R_NO_KEY_SET);
}

/* ---- parameters ---- */

#define PARAM_TABLE "cipher_params.def"
#define PARAM_COLUMN(row, memory, handle, xts, wrap) row
#define PARAM_KIND(name) row_##name
#include "param_table.h"

#define PARAM_COLUMN(row, memory, handle, xts, wrap) wrap
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"

static int wrap_get_params(OSSL_PARAM params[])
{
    static const uint64_t values[NUM_PARAMS] = { [MODE] = MODE_WRAP,
                                                 [KEY_LEN] = KEY_SIZE,
                                                 [BLOCK_SIZE] = BLOCK,
                                                 [CUSTOM_IV] = 1,
                                                 [RAND_KEY] = 1 };
    return param_set_numbers(params, row_got_keys, values, NUM_PARAMS);
}

static const OSSL_PARAM *wrap_gettable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_WRAP_GOT, ctx_got);
}

static int wrap_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    static const uint64_t numbers[NUM_PARAMS] = { [KEY_LEN] = KEY_SIZE, [PADDING] = 1 };
    const struct wrap *w = ctx;
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key; p++) {
        const int number = param_key(p, ctx_got_keys, NUM_PARAMS);
        if (number == RANDOM_KEY && !random_des_key_param(p, w->provider, KEY_SIZE))
            return RAISE(w->provider, PROV_R_FAILED_TO_SET_PARAMETER);
        if (number >= 0 && number != RANDOM_KEY)
            good &= param_set_number(p, numbers[number]);
    }
    return good;
}

static const OSSL_PARAM *wrap_settable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_WRAP_TAKEN, ctx_taken);
}

static int wrap_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    return 1; /* padding is ignored: whole keys are never padded */
}

/* ---- entry points ---- */

static const OSSL_DISPATCH functions[] = {
    FUNCTION(OSSL_FUNC_CIPHER_NEWCTX, wrap_newctx),
    FUNCTION(OSSL_FUNC_CIPHER_FREECTX, wrap_freectx),
    FUNCTION(OSSL_FUNC_CIPHER_DUPCTX, wrap_dupctx),
    FUNCTION(OSSL_FUNC_CIPHER_ENCRYPT_INIT, wrap_encrypt_init),
    FUNCTION(OSSL_FUNC_CIPHER_DECRYPT_INIT, wrap_decrypt_init),
    FUNCTION(OSSL_FUNC_CIPHER_UPDATE, wrap_update),
    FUNCTION(OSSL_FUNC_CIPHER_FINAL, wrap_final),
    FUNCTION(OSSL_FUNC_CIPHER_CIPHER, wrap_whole),
    FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, cipher_gettable),
    FUNCTION(OSSL_FUNC_CIPHER_GET_PARAMS, wrap_get_params),
    FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, wrap_gettable_ctx),
    FUNCTION(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, wrap_get_ctx_params),
    FUNCTION(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, wrap_settable_ctx),
    FUNCTION(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, wrap_set_ctx_params),
    { 0, NULL },
};

const OSSL_ALGORITHM wrap_row = { "DES3-WRAP:id-smime-alg-CMS3DESwrap:1.2.840.113549.1.9.16.3.6",
                                  NULL, functions, "Headrace DES3-WRAP" };
