/* SPDX-License-Identifier: Apache-2.0 */
/* provider-cipher(7) for XTS: each update is a data unit of its own under the IV that was set. */
#include "../stats.h"
#include "provider.h"
#include <stdlib.h>

enum { IV_SIZE = 16, MAX_UNIT = 1 << 24 };

struct xts {
    struct hr_xts_key key;
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct served served;
    uint8_t iv[IV_SIZE];
    uint8_t op, key_set, iv_set;
};
static_assert(_Alignof(struct xts) <= _Alignof(max_align_t), "malloc aligns enough");

/* ---- contexts ---- */

static void *xts_newctx(void *provctx, enum row_index index)
{
    struct xts *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->row = hr_algorithm_at(index);
    x->provider = provctx;
    served_init(&x->served, index);
    return x;
}

static void xts_freectx(void *ctx)
{
    struct xts *x = ctx;
    if (!x)
        return;
    stats_fold(&x->served);
    WIPE(x);
    free(x);
}

static void *xts_dupctx(void *ctx)
{
    const struct xts *x = ctx;
    struct xts *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *x;
    served_init(&copy->served, x->served.index);
    return copy;
}

/* ---- init ---- */

/* refused tells whether the library refuses to encrypt under the key, because its halves are
 * equal. */
static int refused(const struct xts *x)
{
    uint8_t unit[IV_SIZE] = { 0 };
    return x->op == HR_OP_ENCRYPT &&
           hr_xts_encrypt(unit, unit, sizeof unit, &x->key, unit) == HR_EKEY;
}

static int set_key(struct xts *x, const unsigned char *key, size_t key_len)
{
    x->key_set = 0;
    if (hr_xts_key_init(&x->key, x->row->alg, key, key_len))
        return RAISE(x->provider, PROV_R_INVALID_KEY_LENGTH);
    if (refused(x))
        return RAISE(x->provider, PROV_R_XTS_DUPLICATED_KEYS);
    x->key_set = 1;
    return 1;
}

static int xts_set_ctx_params(void *ctx, const OSSL_PARAM params[]);

static int xts_init(struct xts *x, enum hr_op op, const unsigned char *key, size_t key_len,
                    const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    x->op = (uint8_t)op;
    if (iv) {
        if (iv_len != sizeof x->iv)
            return RAISE(x->provider, PROV_R_INVALID_IV_LENGTH);
        memcpy(x->iv, iv, sizeof x->iv);
        x->iv_set = 1;
    }
    if (key && !set_key(x, key, key_len))
        return 0;
    return !params || xts_set_ctx_params(x, params);
}

static int xts_encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                            const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return xts_init(ctx, HR_OP_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int xts_decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
                            const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
    return xts_init(ctx, HR_OP_DECRYPT, key, key_len, iv, iv_len, params);
}

/* ---- data ---- */

static inline int crypt(struct xts *x, uint8_t *out, const uint8_t *in, size_t len)
{
    return x->op == HR_OP_ENCRYPT ? hr_xts_encrypt(out, in, len, &x->key, x->iv)
                                  : hr_xts_decrypt(out, in, len, &x->key, x->iv);
}

static int xts_whole(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                     const unsigned char *in, size_t in_len)
{
    struct xts *x = ctx;
    if (!x->key_set || !x->iv_set || !out || !in || out_size < in_len)
        return 0;
    int error = crypt(x, out, in, in_len);
    if (UNLIKELY(error == HR_EOVERLAP)) { /* the default provider permits overlap */
        memmove(out, in, in_len);
        error = crypt(x, out, out, in_len);
    }
    if (UNLIKELY(error))
        return in_len > MAX_UNIT ? RAISE(x->provider, PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE) : 0;
    *out_len = in_len;
    served_add(&x->served, in_len);
    return 1;
}

static int xts_update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size,
                      const unsigned char *in, size_t in_len)
{
    struct xts *x = ctx;
    if (out_size < in_len)
        return RAISE(x->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return LIKELY(xts_whole(ctx, out, out_len, out_size, in, in_len)) ||
           RAISE(x->provider, PROV_R_CIPHER_OPERATION_FAILED);
}

static int xts_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    *out_len = 0;
    return 1;
}

/* ---- parameters ---- */

#define PARAM_TABLE "cipher_params.def"
#define PARAM_COLUMN(row, memory, handle, xts, wrap) xts
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"

static const OSSL_PARAM *xts_gettable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_XTS_GOT, ctx_got);
}

static const OSSL_PARAM *xts_settable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, LIST_XTS_TAKEN, ctx_taken);
}

static int get_one(const struct xts *x, OSSL_PARAM *p, int key)
{
    const uint64_t numbers[NUM_PARAMS] = {
        [IV_LEN] = IV_SIZE, [KEY_LEN] = x->row->key_len, [PADDING] = 1
    };
    if (key < 0)
        return 1; /* not ours: ignored */
    if (key == IV || key == UPDATED_IV)
        return param_set_octets(p, x->iv, sizeof x->iv);
    return param_set_number(p, numbers[key]);
}

static int xts_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct xts *x = ctx;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!get_one(x, p, param_key(p, ctx_got_keys, NUM_PARAMS)))
            return RAISE(x->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

/* xts_set_ctx_params takes the key length that the row has, and refuses any other. */
static int xts_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    const struct xts *x = ctx;
    uint64_t len;
    const OSSL_PARAM *p = param_find(params, OSSL_CIPHER_PARAM_KEYLEN);
    if (!param_once(x->provider, params, NULL))
        return 0;
    if (!p)
        return 1;
    if (!param_get_number(p, &len))
        return RAISE(x->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return len == x->row->key_len;
}

/* ---- entry points ---- */

#define HR_XTS(number, sym, ...) CIPHER_ROW(sym, xts)
#include <headrace/algorithms.def>

static any_function *own(enum row_index index, int id)
{
    switch (index) {
#define HR_XTS(number, sym, ...) CIPHER_OWN(sym)
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

static const OSSL_DISPATCH shared[] = { CIPHER_FUNCTIONS(xts, xts){ 0, NULL } };
const struct functions xts_functions = { shared, own };
