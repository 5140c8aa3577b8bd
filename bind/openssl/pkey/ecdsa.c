/* SPDX-License-Identifier: Apache-2.0 */
/* provider-signature(7) for ECDSA: of digests, and of messages in pieces. */
#include "ecdsa.h"
#include <stdlib.h>
#include <strings.h>

/* ---- life ---- */

static void *ecdsa_new(void *provctx, const char *properties)
{
    struct ecdsa *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->provider = provctx;
    if (properties && !(e->properties = strdup(properties))) {
        free(e);
        return NULL;
    }
    return e;
}

/* leave_key folds the counts of the key's row. */
static void leave_key(struct ecdsa *e)
{
    if (e->key && e->key->curve)
        stats_fold(&e->served);
    pkey_release(e->key);
    e->key = NULL;
}

static void ecdsa_free(void *ctx)
{
    struct ecdsa *e = ctx;
    if (!e)
        return;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    leave_key(e);
    ssl->EVP_MD_CTX_free(e->md_ctx);
    ssl->EVP_MD_free(e->md);
    free(e->properties);
    free(e);
}

static void take_key(struct ecdsa *e, struct ec_key *key)
{
    leave_key(e);
    e->key = pkey_hold(key);
    if (key->curve)
        served_init(&e->served, (enum row_index)key->curve->sign_row);
}

static void *ecdsa_dup(void *ctx)
{
    const struct ecdsa *e = ctx;
    struct ecdsa *copy = ecdsa_new((void *)(uintptr_t)e->provider, e->properties);
    if (!copy)
        return NULL;
    if (e->key)
        take_key(copy, e->key);
    copy->md_size = e->md_size;
    copy->nonce_type = e->nonce_type;
    copy->is_running = e->is_running;
    memcpy(copy->md_name, e->md_name, sizeof copy->md_name);
    if (pkey_copy_digest(e->provider, &copy->md, &copy->md_ctx, e->md, e->md_ctx))
        return copy;
    ecdsa_free(copy);
    return NULL;
}

/* ---- of digests ---- */

static int ecdsa_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    struct ecdsa *e = ctx;
    if (!e)
        return 0;
    if (!keydata && !e->key)
        return RAISE(e->provider, PROV_R_NO_KEY_SET);
    if (keydata)
        take_key(e, keydata);
    return ecdsa_set_params(e, params);
}

static int ecdsa_sign(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size,
                      const unsigned char *digest, size_t digest_len)
{
    struct ecdsa *e = ctx;
    const size_t size = e->key ? ec_key_size(e->key) : 0;
    if (!sig) {
        *sig_len = size;
        return 1;
    }
    if (!size || sig_size < size || (e->md_size && digest_len != e->md_size))
        return 0;
    return ecdsa_sign_digest(e, sig, sig_len, digest, digest_len);
}

static int ecdsa_verify(void *ctx, const unsigned char *sig, size_t sig_len,
                        const unsigned char *digest, size_t digest_len)
{
    struct ecdsa *e = ctx;
    if (!e->key || !(e->key->curve || e->key->foreign) || (e->md_size && digest_len != e->md_size))
        return 0;
    return ecdsa_verify_digest(e, sig, sig_len, digest, digest_len);
}

/* ---- of messages ---- */

static int begin_message(struct ecdsa *e, const char *name, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    if (name && (!*name || strcasecmp(name, e->md_name)) && !ecdsa_set_digest(e, name, NULL))
        return 0;
    e->is_running = 1;
    if (!e->md_ctx)
        e->md_ctx = ssl->EVP_MD_CTX_new();
    if (e->md_ctx && ssl->EVP_DigestInit_ex2(e->md_ctx, e->md, params))
        return 1;
    ssl->EVP_MD_CTX_free(e->md_ctx);
    e->md_ctx = NULL;
    return 0;
}

static int ecdsa_message_init(void *ctx, const char *name, void *keydata, const OSSL_PARAM params[])
{
    return ecdsa_init(ctx, keydata, params) && begin_message(ctx, name, params);
}

static int ecdsa_message_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct ecdsa *e = ctx;
    return e && e->md_ctx &&
           pkey_libcrypto_of(e->provider)->EVP_DigestUpdate(e->md_ctx, in, in_len);
}

/* end_message writes the digest and lets the next message have another one. */
static int end_message(struct ecdsa *e, unsigned char digest[EVP_MAX_MD_SIZE], unsigned *len)
{
    if (!pkey_libcrypto_of(e->provider)->EVP_DigestFinal_ex(e->md_ctx, digest, len))
        return 0;
    e->is_running = 0;
    return 1;
}

static int ecdsa_sign_final(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size)
{
    struct ecdsa *e = ctx;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!e || !e->md_ctx || (sig && !end_message(e, digest, &len)))
        return 0;
    e->is_running = 0;
    return ecdsa_sign(e, sig, sig_len, sig_size, digest, len);
}

static int ecdsa_verify_final(void *ctx, const unsigned char *sig, size_t sig_len)
{
    struct ecdsa *e = ctx;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!e || !e->md_ctx || !end_message(e, digest, &len))
        return 0;
    return ecdsa_verify(e, sig, sig_len, digest, len);
}

any_function *ecdsa_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_NEWCTX:
        return (any_function *)ecdsa_new;
    case OSSL_FUNC_SIGNATURE_FREECTX:
        return (any_function *)ecdsa_free;
    case OSSL_FUNC_SIGNATURE_DUPCTX:
        return (any_function *)ecdsa_dup;
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
        return (any_function *)ecdsa_init;
    case OSSL_FUNC_SIGNATURE_SIGN:
        return (any_function *)ecdsa_sign;
    case OSSL_FUNC_SIGNATURE_VERIFY:
        return (any_function *)ecdsa_verify;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
        return (any_function *)ecdsa_message_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE:
        return (any_function *)ecdsa_message_update;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL:
        return (any_function *)ecdsa_sign_final;
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL:
        return (any_function *)ecdsa_verify_final;
    case OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS:
        return (any_function *)ecdsa_get_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS:
        return (any_function *)ecdsa_gettable;
    case OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS:
        return (any_function *)ecdsa_set_params;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS:
        return (any_function *)ecdsa_settable;
    case OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS:
        return (any_function *)ecdsa_get_md_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS:
        return (any_function *)ecdsa_md_gettable;
    case OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS:
        return (any_function *)ecdsa_set_md_params;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS:
        return (any_function *)ecdsa_md_settable;
    default:
        return NULL;
    }
}
