/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 (RFC 7748): what its provider-keymgmt(7) has for itself, and provider-keyexch(7).  A
 * secret of zeros, which a public key of small order gives, is refused. */
#include "ecx.h"
#include <headrace/agree.h>
#include <stdlib.h>

/* ---- keys ---- */

static int public_of(uint8_t out[ECX_LEN], struct ecx *key)
{
    struct hr_agree_key agree;
    size_t len = ECX_LEN;
    int error = hr_agree_key_init(&agree, HR_X25519, key->private, ECX_LEN);
    if (!error)
        error = hr_agree_key_public(out, &len, &agree);
    hr_agree_key_wipe(&agree);
    return error;
}

static const struct ecx_kind kind = { public_of, NULL, INDEX_x25519, 253, ECX_LEN, 0, "x25519" };

static void *new (void *provctx)
{
    return ecx_new(provctx, &kind);
}

static void *gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return ecx_gen_init(provctx, selection, params, &kind);
}

static const OSSL_PARAM *gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_X25519_GOT, list);
}

/* set_params takes the public key of a TLS peer.  The properties of a query are not kept: this key
 * fetches nothing. */
static int set_params(void *keydata, const OSSL_PARAM params[])
{
    struct ecx *key = keydata;
    const OSSL_PARAM *public = param_find(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    const OSSL_PARAM *properties = param_find(params, OSSL_PKEY_PARAM_PROPERTIES);
    const void *bytes;
    size_t len;
    if (public) {
        if (!param_get_octets(public, &bytes, &len) || len != ECX_LEN)
            return 0;
        memcpy(key->public, bytes, len);
        WIPE(&key->private);
        key->base.has_private = 0;
        key->base.has_public = 1;
    }
    return !properties || properties->data_type == OSSL_PARAM_UTF8_STRING;
}

static const OSSL_PARAM *settable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
        PARAM_TEXT(OSSL_PKEY_PARAM_PROPERTIES),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_X25519_TAKEN, list);
}

any_function *x25519_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_NEW:
        return (any_function *)new;
    case OSSL_FUNC_KEYMGMT_GEN_INIT:
        return (any_function *)gen_init;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        return (any_function *)set_params;
    case OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS:
        return (any_function *)settable;
    default:
        return ecx_keymgmt(id);
    }
}

/* ---- key exchange ---- */

struct exchange {
    const struct provider *provider;
    struct served served;
    struct ecx *key, *peer;
};

static void *newctx(void *provctx)
{
    struct exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->provider = provctx;
    served_init(&x->served, INDEX_x25519);
    return x;
}

static void freectx(void *ctx)
{
    struct exchange *x = ctx;
    if (!x)
        return;
    stats_fold(&x->served);
    pkey_release(x->key);
    pkey_release(x->peer);
    free(x);
}

static void *dupctx(void *ctx)
{
    const struct exchange *x = ctx;
    struct exchange *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *x;
    served_init(&copy->served, INDEX_x25519);
    if (copy->key)
        pkey_hold(copy->key);
    if (copy->peer)
        pkey_hold(copy->peer);
    return copy;
}

static int set(struct exchange *x, struct ecx **place, struct ecx *key)
{
    if (!key || key->kind != &kind)
        return RAISE(x->provider, ERR_R_INTERNAL_ERROR);
    pkey_hold(key);
    pkey_release(*place);
    *place = key;
    return 1;
}

static int init(void *ctx, void *key, const OSSL_PARAM params[])
{
    struct exchange *x = ctx;
    return set(x, &x->key, key);
}

static int set_peer(void *ctx, void *key)
{
    struct exchange *x = ctx;
    return set(x, &x->peer, key);
}

static int derive(void *ctx, unsigned char *secret, size_t *secret_len, size_t out_len)
{
    struct exchange *x = ctx;
    struct hr_agree_key agree;
    size_t len = ECX_LEN;
    if (!x->key || !x->key->base.has_private || !x->peer)
        return RAISE(x->provider, PROV_R_MISSING_KEY);
    if (!secret) {
        *secret_len = ECX_LEN;
        return 1;
    }
    if (out_len < ECX_LEN)
        return RAISE(x->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    int error = hr_agree_key_init(&agree, HR_X25519, x->key->private, ECX_LEN);
    if (!error)
        error = hr_agree(secret, &len, x->peer->public, ECX_LEN, &agree);
    hr_agree_key_wipe(&agree);
    if (error)
        return RAISE(x->provider, PROV_R_FAILED_DURING_DERIVATION);
    *secret_len = ECX_LEN;
    served_add(&x->served, 0);
    return 1;
}

any_function *x25519_exchange(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYEXCH_NEWCTX:
        return (any_function *)newctx;
    case OSSL_FUNC_KEYEXCH_FREECTX:
        return (any_function *)freectx;
    case OSSL_FUNC_KEYEXCH_DUPCTX:
        return (any_function *)dupctx;
    case OSSL_FUNC_KEYEXCH_INIT:
        return (any_function *)init;
    case OSSL_FUNC_KEYEXCH_SET_PEER:
        return (any_function *)set_peer;
    case OSSL_FUNC_KEYEXCH_DERIVE:
        return (any_function *)derive;
    default:
        return NULL;
    }
}
