/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC under a key of the accelerator: provider-mac(7) over hr_accel_mac_init, update and final. */
#include "handle.h"
#include <stdlib.h>

struct handle_context {
    struct hr_accel_mac_ctx stream; /* if running; of `row` */
    const struct hr_algorithm *row; /* NULL: the digest is not set */
    const struct provider *provider;
    struct handle *key;
    struct served served;
    int running;
};

#define PARAM_TABLE "mac_params.def"
#define PARAM_COLUMN(row, gmac, poly1305, poly1305_aes, kasumi_f9, cmac, handle) handle
#define PARAM_KIND(name) ctx_##name
#include "param_table.h"
#define HANDLE_LIST(name) LIST_HANDLE_MAC_##name
#define HANDLE_CLIENT(call) hr_accel_mac_##call
#define HANDLE_INIT_ARGS NULL, 0
#include "handle_context.h"

static void *hmac_newctx(void *provctx)
{
    struct handle_context *m = calloc(1, sizeof *m);
    if (m)
        m->provider = provctx;
    return m;
}

/* ---- parameters ---- */

static int hmac_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct handle_context *m = ctx;
    const uint64_t values[NUM_PARAMS] = { [SIZE_OF_MAC] = m->row ? m->row->out_len : 0,
                                          [SIZE_OF_BLOCK] = m->row ? m->row->block_len : 0 };
    return param_set_numbers(params, ctx_got_keys, values, NUM_PARAMS);
}

static int set_key(struct handle_context *m, const void *bytes, size_t len)
{
    if (!m->row)
        return RAISE(m->provider, PROV_R_NO_KEY_SET); /* a key needs its digest */
    return handle_replace(&m->key, handle_import(m->provider, m->row->alg, bytes, len));
}

/* hmac_set_ctx_params refuses another digest during a message. */
static int hmac_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct handle_context *m = ctx;
    const OSSL_PARAM *digest = param_find(params, ctx_taken_keys[DIGEST]);
    const OSSL_PARAM *name = param_find(params, ctx_taken_keys[KEY_NAME]);
    const OSSL_PARAM *key = param_find(params, ctx_taken_keys[KEY]);
    const struct hr_algorithm *row = m->row;
    const void *bytes;
    const char *text;
    size_t len;
    if (digest && (!param_get_text(digest, &text, &len) || !(row = hmac_over(text, len)) ||
                   (m->running && row != m->row)))
        return RAISE(m->provider, PROV_R_INVALID_DIGEST);
    m->row = row;
    if (name && !handle_replace(&m->key, handle_open(m->provider, name)))
        return 0;
    return !key || (param_get_octets(key, &bytes, &len) && set_key(m, bytes, len));
}

/* ---- messages ---- */

static int hmac_init(void *ctx, const unsigned char *key, size_t key_len, const OSSL_PARAM params[])
{
    struct handle_context *m = ctx;
    stop(m);
    return hmac_set_ctx_params(m, params) && (!key || set_key(m, key, key_len));
}

static int hmac_init_skey(void *ctx, void *key, const OSSL_PARAM params[])
{
    struct handle_context *m = ctx;
    return handle_take_object(&m->key, key) && hmac_init(ctx, NULL, 0, params);
}

static int hmac_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct handle_context *m = ctx;
    if (!in_len)
        return 1;
    if (!m->row)
        return RAISE(m->provider, PROV_R_INVALID_DIGEST);
    if (!run(m))
        return 0;
    return handle_result(m->provider, client.hr_accel_mac_update(&m->stream, in, in_len));
}

static int hmac_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct handle_context *m = ctx;
    if (!m->row)
        return RAISE(m->provider, PROV_R_INVALID_DIGEST);
    if (!m->key)
        return RAISE(m->provider, PROV_R_NO_KEY_SET);
    if (out_size < m->row->out_len)
        return RAISE(m->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    if (!run(m))
        return 0;
    const int error = client.hr_accel_mac_final(&m->stream, out);
    if (error)
        return RAISE_HR(m->provider, error);
    m->running = 0;
    *out_len = m->row->out_len;
    return 1;
}

static const OSSL_DISPATCH hmac_functions[] = {
    FUNCTION(OSSL_FUNC_MAC_NEWCTX, hmac_newctx),
    FUNCTION(OSSL_FUNC_MAC_FREECTX, handle_freectx),
    FUNCTION(OSSL_FUNC_MAC_DUPCTX, handle_dupctx),
    FUNCTION(OSSL_FUNC_MAC_INIT, hmac_init),
    FUNCTION(MAC_INIT_SKEY, hmac_init_skey),
    FUNCTION(OSSL_FUNC_MAC_UPDATE, hmac_update),
    FUNCTION(OSSL_FUNC_MAC_FINAL, hmac_final),
    FUNCTION(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, handle_gettable_ctx),
    FUNCTION(OSSL_FUNC_MAC_GET_CTX_PARAMS, hmac_get_ctx_params),
    FUNCTION(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, handle_settable_ctx),
    FUNCTION(OSSL_FUNC_MAC_SET_CTX_PARAMS, hmac_set_ctx_params),
    { 0, NULL },
};

const OSSL_ALGORITHM handle_mac_rows[1] = {
    { "HMAC", HANDLE_PROPERTY, hmac_functions, "Headrace HMAC, keys on the accelerator" },
};
