/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC under a key of the accelerator, which gives no state of such a message away: the message is
 * collected and asked for in one request. */
#include "handle.h"
#include "params.h"
#include <stdlib.h>

enum { MAX_MESSAGE = 128 << 10 };

struct handle_mac {
    const struct hr_algorithm *row; /* NULL until the digest is known */
    const struct provider *provider;
    struct handle *key;
    uint8_t *message;
    size_t len, size;
};

/* ---- contexts ---- */

static void *hmac_newctx(void *provctx)
{
    struct handle_mac *m = calloc(1, sizeof *m);
    if (m)
        m->provider = provctx;
    return m;
}

static void forget(struct handle_mac *m)
{
    if (m->message)
        wipe_bytes(m->message, m->size);
    free(m->message);
    m->message = NULL;
    m->len = m->size = 0;
}

static void hmac_freectx(void *ctx)
{
    struct handle_mac *m = ctx;
    if (!m)
        return;
    forget(m);
    handle_release(m->key);
    free(m);
}

static void *hmac_dupctx(void *ctx)
{
    const struct handle_mac *m = ctx;
    struct handle_mac *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *m;
    handle_hold(copy->key);
    copy->message = m->size ? malloc(m->size) : NULL;
    if (m->size && !copy->message) {
        copy->size = 0;
        hmac_freectx(copy);
        return NULL;
    }
    if (m->len)
        memcpy(copy->message, m->message, m->len);
    return copy;
}

/* ---- parameters ---- */

static const OSSL_PARAM *hmac_gettable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_SIZE(OSSL_MAC_PARAM_SIZE),
        PARAM_SIZE(OSSL_MAC_PARAM_BLOCK_SIZE),
        PARAM_END,
    };
    return list;
}

static int hmac_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    static const char *const keys[] = { OSSL_MAC_PARAM_SIZE, OSSL_MAC_PARAM_BLOCK_SIZE };
    const struct handle_mac *m = ctx;
    const uint64_t values[] = { m->row ? m->row->out_len : 0, m->row ? m->row->block_len : 0 };
    return param_set_numbers(params, keys, values, COUNT(keys));
}

static const OSSL_PARAM *hmac_settable_ctx(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_TEXT(OSSL_MAC_PARAM_DIGEST),
        PARAM_TEXT(HANDLE_PARAM),
        PARAM_OCTETS(OSSL_MAC_PARAM_KEY),
        PARAM_END,
    };
    return list;
}

/* The HMAC over the digest that has this name. */
static const struct hr_algorithm *row_over(const char *name, size_t name_len)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_MAC &&
            name_in_list(hr_algorithm(row->digest)->openssl_names, name, name_len))
            return row;
    return NULL;
}

static int set_key(struct handle_mac *m, const void *bytes, size_t len)
{
    if (!m->row)
        return RAISE(m->provider, PROV_R_NO_KEY_SET); /* of which digest? */
    return handle_replace(&m->key, handle_import(m->provider, m->row->alg, bytes, len));
}

static int hmac_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct handle_mac *m = ctx;
    const OSSL_PARAM *digest = param_find(params, OSSL_MAC_PARAM_DIGEST);
    const OSSL_PARAM *name = param_find(params, HANDLE_PARAM);
    const OSSL_PARAM *key = param_find(params, OSSL_MAC_PARAM_KEY);
    const void *bytes;
    const char *text;
    size_t len;
    if (digest && (!param_get_text(digest, &text, &len) || !(m->row = row_over(text, len))))
        return RAISE(m->provider, PROV_R_INVALID_DIGEST);
    if (name && !handle_replace(&m->key, handle_open(m->provider, name)))
        return 0;
    return !key || (param_get_octets(key, &bytes, &len) && set_key(m, bytes, len));
}

/* ---- messages ---- */

static int hmac_init(void *ctx, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
    struct handle_mac *m = ctx;
    forget(m);
    return hmac_set_ctx_params(m, params) && (!key || set_key(m, key, key_len));
}

static int hmac_init_skey(void *ctx, void *key, const OSSL_PARAM params[])
{
    struct handle_mac *m = ctx;
    if (key && !handle_replace(&m->key, handle_hold(key)))
        return 0;
    return hmac_init(ctx, NULL, 0, params);
}

static int hmac_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct handle_mac *m = ctx;
    if (!in_len)
        return 1;
    if (in_len > MAX_MESSAGE - m->len)
        return RAISE(m->provider, PROV_R_INVALID_INPUT_LENGTH);
    if (m->len + in_len > m->size) {
        const size_t size = 2 * (m->len + in_len);
        uint8_t *message = malloc(size);
        if (!message)
            return 0;
        if (m->len)
            memcpy(message, m->message, m->len);
        const size_t len = m->len;
        forget(m);
        m->message = message;
        m->size = size;
        m->len = len;
    }
    memcpy(m->message + m->len, in, in_len);
    m->len += in_len;
    return 1;
}

static int hmac_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct handle_mac *m = ctx;
    if (!m->row)
        return RAISE(m->provider, PROV_R_INVALID_DIGEST);
    if (!m->key)
        return RAISE(m->provider, PROV_R_NO_KEY_SET);
    if (out_size < m->row->out_len)
        return RAISE(m->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    struct hr_job job = {
        .alg = (uint16_t)m->row->alg, .in = m->message, .len = m->len, .tag = out
    };
    if (!handle_run(m->key, &job))
        return 0;
    *out_len = m->row->out_len;
    forget(m);
    return 1;
}

static const OSSL_DISPATCH hmac_functions[] = {
    FUNCTION(OSSL_FUNC_MAC_NEWCTX, hmac_newctx),
    FUNCTION(OSSL_FUNC_MAC_FREECTX, hmac_freectx),
    FUNCTION(OSSL_FUNC_MAC_DUPCTX, hmac_dupctx),
    FUNCTION(OSSL_FUNC_MAC_INIT, hmac_init),
    FUNCTION(MAC_INIT_SKEY, hmac_init_skey),
    FUNCTION(OSSL_FUNC_MAC_UPDATE, hmac_update),
    FUNCTION(OSSL_FUNC_MAC_FINAL, hmac_final),
    FUNCTION(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, hmac_gettable_ctx),
    FUNCTION(OSSL_FUNC_MAC_GET_CTX_PARAMS, hmac_get_ctx_params),
    FUNCTION(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, hmac_settable_ctx),
    FUNCTION(OSSL_FUNC_MAC_SET_CTX_PARAMS, hmac_set_ctx_params),
    { 0, NULL },
};

const OSSL_ALGORITHM handle_mac_rows[1] = {
    { "HMAC", HANDLE_PROPERTY, hmac_functions, "Headrace HMAC, keys on the accelerator" },
};
