/* SPDX-License-Identifier: Apache-2.0 */
/* provider-cipher(7) for AES key wrap: each update wraps or unwraps a whole key, and `final` adds
 * nothing. */
#include "../stats.h"
#include "provider.h"
#include <limits.h>
#include <stdlib.h>

enum { SEMI = 8 };
/* PROV_R_UPDATE_CALL_OUT_OF_ORDER, which the headers of 3.0 lack */
enum { OUT_OF_ORDER = 240 };

struct keywrap {
    struct hr_wrap_key key;
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct served served;
    uint8_t iv[SEMI];
    uint8_t op, key_set, iv_set, updated;
};
static_assert(_Alignof(struct keywrap) <= _Alignof(max_align_t), "malloc aligns enough");

/* ---- contexts ---- */

static void *keywrap_newctx(void *provctx, enum row_index index)
{
    struct keywrap *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->row = hr_algorithm_at(index);
    w->provider = provctx;
    served_init(&w->served, index);
    return w;
}

static void keywrap_freectx(void *ctx)
{
    struct keywrap *w = ctx;
    if (!w)
        return;
    stats_fold(&w->served);
    WIPE(w);
    free(w);
}

static void *keywrap_dupctx(void *ctx)
{
    const struct keywrap *w = ctx;
    struct keywrap *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *w;
    served_init(&copy->served, w->served.index);
    return copy;
}

/* ---- init ---- */

static int keywrap_set_ctx_params(void *ctx, const OSSL_PARAM params[]);

/* keywrap_init keeps key and IV of an earlier init if it gets none.  Without any IV that of the RFC
 * is used. */
static int keywrap_init(struct keywrap *w, enum hr_op op, const unsigned char *key, size_t key_len,
                        const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    w->op = (uint8_t)op;
    w->updated = 0;
    if (iv) {
        if (iv_len != w->row->iv_len)
            return RAISE(w->provider, PROV_R_INVALID_IV_LENGTH);
        memcpy(w->iv, iv, iv_len);
        w->iv_set = 1;
    }
    if (key) {
        if (hr_wrap_key_init(&w->key, w->row->alg, key, key_len))
            return RAISE(w->provider, PROV_R_INVALID_KEY_LENGTH);
        w->key_set = 1;
    }
    return !params || keywrap_set_ctx_params(w, params);
}

static int keywrap_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                                const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return keywrap_init(ctx, HR_OP_WRAP, key, key_len, iv, iv_len, params);
}

static int keywrap_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                                const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return keywrap_init(ctx, HR_OP_UNWRAP, key, key_len, iv, iv_len, params);
}

/* ---- data ---- */

/* ready tells whether a key may be processed.  OpenSSL 4 refuses a second one without an init
 * between. */
static int ready(struct keywrap *w)
{
    if (w->updated && is_openssl_4(w->provider))
        return RAISE(w->provider, OUT_OF_ORDER);
    if (!w->key_set)
        return RAISE(w->provider, PROV_R_NO_KEY_SET);
    w->updated = 1;
    return 1;
}

/* crypt moves the input into place first if it overlaps the output, which the default provider
 * permits. */
static int crypt(const struct keywrap *w, uint8_t *out, size_t *out_len, const uint8_t *in,
                 size_t in_len)
{
    int (*const call)(uint8_t *, size_t *, const uint8_t *, size_t, const struct hr_wrap_key *,
                      const uint8_t *) = w->op == HR_OP_WRAP ? hr_wrap : hr_unwrap;
    const uint8_t *const iv = w->iv_set ? w->iv : NULL;
    const int error = call(out, out_len, in, in_len, &w->key, iv);
    if (LIKELY(error != HR_EOVERLAP))
        return error;
    uint8_t *const copy = malloc(in_len);
    if (!copy)
        return HR_ESYSTEM;
    memcpy(copy, in, in_len);
    const int again = call(out, out_len, copy, in_len, &w->key, iv);
    wipe_bytes(copy, in_len);
    free(copy);
    return again;
}

/* keywrap_update needs more room than the out_size that EVP passes, as the default provider does:
 * the caller has to provide it.  Without `out` it only tells how much. */
static int keywrap_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                          const unsigned char *in, size_t in_len)
{
    struct keywrap *w = ctx;
    const int wraps = w->op == HR_OP_WRAP, pads = w->row->mode == HR_MODE_KWP;
    if (!in_len) {
        *out_len = 0;
        return 1;
    }
    if (out_size < in_len)
        return RAISE(w->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    if (!in)
        return 0;
    if ((!pads || !wraps) && in_len % SEMI)
        return RAISE(w->provider, PROV_R_INVALID_INPUT_LENGTH);
    if (in_len > INT_MAX || (!wraps && in_len < 2 * SEMI))
        return RAISE(w->provider, PROV_R_INVALID_INPUT_LENGTH);
    if (!out) {
        *out_len = wraps ? ((in_len + SEMI - 1) & ~(size_t)(SEMI - 1)) + SEMI : in_len - SEMI;
        return 1;
    }
    if (!ready(w))
        return 0;
    if (crypt(w, out, out_len, in, in_len) || *out_len > INT_MAX)
        return RAISE(w->provider, PROV_R_CIPHER_OPERATION_FAILED);
    served_add(&w->served, in_len);
    return 1;
}

static int keywrap_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    *out_len = 0;
    return 1;
}

/* ---- parameters ---- */

#define PARAM_TABLE "cipher_params.def"
#define PARAM_COLUMN(row, memory, handle, xts, wrap) xts
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"

static const OSSL_PARAM *keywrap_gettable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_XTS_GOT, ctx_got);
}

static const OSSL_PARAM *keywrap_settable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_XTS_TAKEN, ctx_taken);
}

static int get_one(const struct keywrap *w, OSSL_PARAM *p, int key)
{
    const uint64_t numbers[NUM_PARAMS] = { [IV_LEN] = w->row->iv_len,
                                           [KEY_LEN] = w->row->key_len,
                                           [PADDING] = w->row->mode == HR_MODE_KWP };
    if (key < 0)
        return 1; /* not ours: ignored */
    if (key == IV || key == UPDATED_IV)
        return param_set_octets(p, w->iv, w->row->iv_len);
    return param_set_number(p, numbers[key]);
}

static int keywrap_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct keywrap *w = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(w, p, param_key(p, ctx_got_keys, NUM_PARAMS)))
            return RAISE(w->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

/* keywrap_set_ctx_params takes the key length that the row has, and refuses any other. */
static int keywrap_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    const struct keywrap *w = ctx;
    uint64_t len;
    const OSSL_PARAM *p = param_find(params, OSSL_CIPHER_PARAM_KEYLEN);
    if (!param_once(w->provider, params, NULL))
        return 0;
    if (!p)
        return 1;
    if (!param_get_number(p, &len))
        return RAISE(w->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return len == w->row->key_len || RAISE(w->provider, PROV_R_INVALID_KEY_LENGTH);
}

/* ---- entry points ---- */

#define HR_WRAP(number, sym, ...) CIPHER_ROW(sym, keywrap)
#include <headrace/algorithms.def>

static any_function *own(enum row_index index, int id)
{
    switch (index) {
#define HR_WRAP(number, sym, ...) CIPHER_OWN(sym)
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

static const OSSL_DISPATCH shared[] = { CIPHER_FUNCTIONS_BUT_WHOLE(keywrap, keywrap){ 0, NULL } };
const struct functions keywrap_functions = { shared, own };
