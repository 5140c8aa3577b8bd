/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of ECDH. */
#include "ecdh.h"
#include <openssl/kdf.h>
#include <stdlib.h>

enum { MAX_TEXT = 80 }; /* OpenSSL's limit */

const OSSL_PARAM *ecdh_settable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE),
        PARAM_TEXT(OSSL_EXCHANGE_PARAM_KDF_TYPE),
        PARAM_TEXT(OSSL_EXCHANGE_PARAM_KDF_DIGEST),
        PARAM_TEXT(OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS),
        PARAM_SIZE(OSSL_EXCHANGE_PARAM_KDF_OUTLEN),
        PARAM_OCTETS(OSSL_EXCHANGE_PARAM_KDF_UKM),
        PARAM_LIST_END,
    };
    (void)ctx;
    return param_list(provctx, LIST_ECDH_TAKEN, list);
}

const OSSL_PARAM *ecdh_gettable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE),
        PARAM_TEXT(OSSL_EXCHANGE_PARAM_KDF_TYPE),
        PARAM_TEXT(OSSL_EXCHANGE_PARAM_KDF_DIGEST),
        PARAM_SIZE(OSSL_EXCHANGE_PARAM_KDF_OUTLEN),
        PARAM_OCTET_PTR(OSSL_EXCHANGE_PARAM_KDF_UKM),
        PARAM_LIST_END,
    };
    (void)ctx;
    return param_list(provctx, LIST_ECDH_GOT, list);
}

int ecdh_set_ukm(struct ecdh *e, const void *bytes, size_t len)
{
    uint8_t *copy = malloc(len + 1);
    if (!copy)
        return 0;
    if (len)
        memcpy(copy, bytes, len);
    if (e->ukm)
        wipe_bytes(e->ukm, e->ukm_len);
    free(e->ukm);
    e->ukm = copy;
    e->ukm_len = len;
    return 1;
}

static int take_kdf(struct ecdh *e, const OSSL_PARAM params[])
{
    char type[MAX_TEXT] = "";
    if (!param_find(params, OSSL_EXCHANGE_PARAM_KDF_TYPE))
        return 1;
    if (!pkey_get_text(params, OSSL_EXCHANGE_PARAM_KDF_TYPE, type, sizeof type) ||
        (*type && strcmp(type, OSSL_KDF_NAME_X963KDF)))
        return 0;
    e->with_kdf = *type != '\0';
    return 1;
}

static int take_digest(struct ecdh *e, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    char name[MAX_TEXT] = "", properties[MAX_TEXT] = "";
    if (!param_find(params, OSSL_EXCHANGE_PARAM_KDF_DIGEST))
        return 1;
    if (!pkey_get_text(params, OSSL_EXCHANGE_PARAM_KDF_DIGEST, name, sizeof name) ||
        !pkey_get_text(params, OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS, properties, sizeof properties))
        return 0;
    ssl->EVP_MD_free(e->kdf_md);
    e->kdf_md = ssl->EVP_MD_fetch(ssl->base->libctx, name, properties);
    return e->kdf_md != NULL;
}

static int take_others(struct ecdh *e, const OSSL_PARAM params[])
{
    const void *bytes;
    size_t len;
    uint64_t out_len = e->kdf_len;
    const OSSL_PARAM *ukm = param_find(params, OSSL_EXCHANGE_PARAM_KDF_UKM);
    const OSSL_PARAM *size = param_find(params, OSSL_EXCHANGE_PARAM_KDF_OUTLEN);
    if (size && !param_get_number(size, &out_len))
        return 0;
    e->kdf_len = (size_t)out_len;
    return !ukm || (param_get_octets(ukm, &bytes, &len) && ecdh_set_ukm(e, bytes, len));
}

int ecdh_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct ecdh *e = ctx;
    int mode = e->cofactor_mode;
    if (!pkey_get_int(params, OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, &mode) || mode < -1 ||
        mode > 1)
        return 0;
    e->cofactor_mode = mode;
    return take_kdf(e, params) && take_digest(e, params) && take_others(e, params);
}

/* cofactor_mode returns a mode that is 0 or 1: a key of ours has none of its own. */
static int cofactor_mode(const struct ecdh *e)
{
    int mode = 0;
    OSSL_PARAM request[] = { { OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, OSSL_PARAM_INTEGER, &mode,
                               sizeof mode, PARAM_NONE },
                             PARAM_END };
    if (e->cofactor_mode >= 0)
        return e->cofactor_mode;
    if (e->key && e->key->foreign)
        (void)!pkey_libcrypto_of(e->provider)->EVP_PKEY_get_params(e->key->foreign, request);
    return mode;
}

int ecdh_get_params(void *ctx, OSSL_PARAM params[])
{
    const struct ecdh *e = ctx;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key && good; p++)
        if (!strcmp(p->key, OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE))
            good = param_set_number(p, (uint64_t)cofactor_mode(e));
        else if (!strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_TYPE))
            good = param_set_text(p, e->with_kdf ? OSSL_KDF_NAME_X963KDF : "");
        else if (!strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_DIGEST))
            good = param_set_text(p, e->kdf_md ? ssl->EVP_MD_get0_name(e->kdf_md) : "");
        else if (!strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_OUTLEN))
            good = param_set_number(p, e->kdf_len);
        else if (!strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_UKM))
            good = param_set_octets(p, e->ukm, e->ukm_len);
    return good;
}
