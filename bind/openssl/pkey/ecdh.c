/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keyexch(7) for ECDH (SP 800-56A section 5.7.1.2), and the key derivation of ANSI X9.63
 * above it. */
#include "ecdh.h"
#include <openssl/kdf.h>
#include <stdlib.h>

/* ---- life ---- */

static void *ecdh_new(void *provctx)
{
    struct ecdh *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->provider = provctx;
    e->cofactor_mode = -1;
    return e;
}

static void leave_key(struct ecdh *e)
{
    if (e->key && e->key->curve)
        stats_fold(&e->served);
    pkey_release(e->key);
    e->key = NULL;
}

static void ecdh_free(void *ctx)
{
    struct ecdh *e = ctx;
    if (!e)
        return;
    leave_key(e);
    pkey_release(e->peer);
    pkey_libcrypto_of(e->provider)->EVP_MD_free(e->kdf_md);
    if (e->ukm)
        wipe_bytes(e->ukm, e->ukm_len);
    free(e->ukm);
    free(e);
}

static void take_key(struct ecdh *e, struct ec_key *key)
{
    pkey_hold(key);
    leave_key(e);
    e->key = key;
    if (key->curve)
        served_init(&e->served, (enum row_index)key->curve->agree_row);
}

static void *ecdh_dup(void *ctx)
{
    const struct ecdh *e = ctx;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    struct ecdh *copy = ecdh_new((void *)(uintptr_t)e->provider);
    if (!copy)
        return NULL;
    copy->cofactor_mode = e->cofactor_mode;
    copy->with_kdf = e->with_kdf;
    copy->kdf_len = e->kdf_len;
    if (e->key)
        take_key(copy, e->key);
    if (e->peer)
        copy->peer = pkey_hold(e->peer);
    if (e->kdf_md && ssl->EVP_MD_up_ref(e->kdf_md))
        copy->kdf_md = e->kdf_md;
    if (copy->kdf_md == e->kdf_md && (!e->ukm || ecdh_set_ukm(copy, e->ukm, e->ukm_len)))
        return copy;
    ecdh_free(copy);
    return NULL;
}

/* ---- keys ---- */

static int ecdh_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    struct ecdh *e = ctx;
    if (!e || !keydata)
        return 0;
    take_key(e, keydata);
    e->cofactor_mode = -1;
    e->with_kdf = 0;
    return ecdh_set_params(e, params);
}

static int ecdh_set_peer(void *ctx, void *keydata)
{
    struct ecdh *e = ctx;
    if (!e || !e->key || !keydata)
        return 0;
    if (!ec_key_same_group(e->key, keydata))
        return RAISE(e->provider, PROV_R_MISMATCHING_DOMAIN_PARAMETERS);
    pkey_release(e->peer);
    e->peer = pkey_hold(keydata);
    return 1;
}

/* ---- secrets ---- */

/* secret_len: a curve's field has up to 571 bits in OpenSSL. */
enum { MAX_SECRET = 72 };

static EVP_PKEY_CTX *begin_foreign(struct ecdh *e, EVP_PKEY *key, EVP_PKEY *peer)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    OSSL_PARAM params[] = { { OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, OSSL_PARAM_INTEGER,
                              &e->cofactor_mode, sizeof e->cofactor_mode, PARAM_NONE },
                            PARAM_END };
    EVP_PKEY_CTX *ctx = other_with(e->provider, key);
    if (ctx && ssl->EVP_PKEY_derive_init_ex(ctx, params) > 0 &&
        ssl->EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0)
        return ctx;
    ssl->EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int agree_foreign(struct ecdh *e, uint8_t *out, size_t *out_len)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    EVP_PKEY *key = ec_foreign(e->key), *peer = ec_foreign(e->peer);
    EVP_PKEY_CTX *ctx = key && peer ? begin_foreign(e, key, peer) : NULL;
    const int good = ctx && ssl->EVP_PKEY_derive(ctx, out, out_len) > 0;
    ssl->EVP_PKEY_CTX_free(ctx);
    ssl->EVP_PKEY_free(key);
    ssl->EVP_PKEY_free(peer);
    return good;
}

/* agree writes the whole secret, or only its length if `out` is NULL. */
static int agree(struct ecdh *e, uint8_t *out, size_t *out_len)
{
    if (!e->key || !e->peer)
        return RAISE(e->provider, PROV_R_MISSING_KEY);
    if (e->key->foreign || e->peer->foreign)
        return agree_foreign(e, out, out_len);
    if (!out) {
        *out_len = e->key->curve->bytes;
        return 1;
    }
    struct hr_agree_key *agreer = ec_key_agreer(e->key);
    if (!agreer)
        return 0;
    if (!e->peer->head.has_public)
        return RAISE_EC(e->provider, ERR_R_PASSED_NULL_PARAMETER);
    const int error = hr_agree(out, out_len, e->peer->point, ec_point_len(e->key->curve), agreer);
    if (error)
        return RAISE_HR(e->provider, error);
    served_add(&e->served, 0);
    return 1;
}

/* derive_plain: a buffer that is shorter than the secret gets its beginning, as in OpenSSL. */
static int derive_plain(struct ecdh *e, unsigned char *out, size_t *out_len, size_t out_size)
{
    uint8_t secret[MAX_SECRET];
    size_t len = sizeof secret;
    if (!out)
        return agree(e, NULL, out_len);
    if (!agree(e, secret, &len))
        return 0;
    *out_len = out_size < len ? out_size : len;
    memcpy(out, secret, *out_len);
    WIPE(&secret);
    return 1;
}

static OSSL_PARAM param(const char *key, unsigned type, const void *data, size_t len)
{
    OSSL_PARAM p = { key, type, NULL, len, PARAM_NONE };
    memcpy(&p.data, &data, sizeof data);
    return p;
}

static int x963(const struct ecdh *e, unsigned char *out, const uint8_t *secret, size_t len)
{
    const struct libcrypto *ssl = libcrypto_of(e->provider);
    const char *digest =
        e->kdf_md ? pkey_libcrypto_of(e->provider)->EVP_MD_get0_name(e->kdf_md) : "";
    const OSSL_PARAM params[] = {
        param(OSSL_KDF_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, digest, strlen(digest)),
        param(OSSL_KDF_PARAM_KEY, OSSL_PARAM_OCTET_STRING, secret, len),
        param(OSSL_KDF_PARAM_INFO, OSSL_PARAM_OCTET_STRING, e->ukm, e->ukm_len),
        PARAM_END,
    };
    EVP_KDF *kdf = ssl->EVP_KDF_fetch(ssl->libctx, OSSL_KDF_NAME_X963KDF, NULL);
    EVP_KDF_CTX *ctx = kdf ? ssl->EVP_KDF_CTX_new(kdf) : NULL;
    const int good = ctx && ssl->EVP_KDF_derive(ctx, out, e->kdf_len, params) > 0;
    ssl->EVP_KDF_CTX_free(ctx);
    ssl->EVP_KDF_free(kdf);
    return good;
}

static int derive_x963(struct ecdh *e, unsigned char *out, size_t *out_len, size_t out_size)
{
    uint8_t secret[MAX_SECRET];
    size_t len = sizeof secret;
    if (!out) {
        *out_len = e->kdf_len;
        return 1;
    }
    if (e->kdf_len > out_size)
        return RAISE(e->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    const int good = agree(e, secret, &len) && x963(e, out, secret, len);
    if (good)
        *out_len = e->kdf_len;
    WIPE(&secret);
    return good;
}

static int ecdh_derive(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct ecdh *e = ctx;
    return e->with_kdf ? derive_x963(e, out, out_len, out_size)
                       : derive_plain(e, out, out_len, out_size);
}

any_function *ecdh_exchange(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYEXCH_NEWCTX:
        return (any_function *)ecdh_new;
    case OSSL_FUNC_KEYEXCH_INIT:
        return (any_function *)ecdh_init;
    case OSSL_FUNC_KEYEXCH_DERIVE:
        return (any_function *)ecdh_derive;
    case OSSL_FUNC_KEYEXCH_SET_PEER:
        return (any_function *)ecdh_set_peer;
    case OSSL_FUNC_KEYEXCH_FREECTX:
        return (any_function *)ecdh_free;
    case OSSL_FUNC_KEYEXCH_DUPCTX:
        return (any_function *)ecdh_dup;
    case OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS:
        return (any_function *)ecdh_set_params;
    case OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS:
        return (any_function *)ecdh_settable;
    case OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS:
        return (any_function *)ecdh_get_params;
    case OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS:
        return (any_function *)ecdh_gettable;
    default:
        return NULL;
    }
}
