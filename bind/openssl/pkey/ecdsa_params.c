/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of ECDSA. */
#include "ecdsa.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PROPERTIES = 256 }; /* OpenSSL's limit */

/* ---- the digest ---- */

/* is_older tells whether the libcrypto is one of 3.0 or 3.1, which took digests of any length. */
static int is_older(const struct provider *provider)
{
    const char *version = NULL;
    OSSL_PARAM request[] = {
        { OSSL_PROV_PARAM_CORE_VERSION, OSSL_PARAM_UTF8_PTR, &version, sizeof version, PARAM_NONE },
        PARAM_END,
    };
    return provider->get_params && provider->get_params(provider->core, request) && version &&
           (!strncmp(version, "3.0.", 4) || !strncmp(version, "3.1.", 4));
}

static int about(const struct ecdsa *e, uint32_t reason, const char *format, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, format, name);
    return RAISE_TEXT(e->provider, reason, text);
}

static int is_allowed(const struct ecdsa *e, const EVP_MD *md, const char *name)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    if (ssl->EVP_MD_get_flags(md) & EVP_MD_FLAG_XOF && !is_older(e->provider))
        return RAISE(e->provider, PROV_R_XOF_DIGESTS_NOT_ALLOWED);
    if (!e->is_running || !*e->md_name || ssl->EVP_MD_is_a(md, e->md_name))
        return 1;
    return about(e, PROV_R_DIGEST_NOT_ALLOWED, "digest %s", name);
}

int ecdsa_set_digest(struct ecdsa *e, const char *name, const char *properties)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    if (strlen(name) >= sizeof e->md_name)
        return about(e, PROV_R_INVALID_DIGEST, "%s exceeds name buffer length", name);
    EVP_MD *md =
        ssl->EVP_MD_fetch(ssl->base->libctx, name, properties ? properties : e->properties);
    if (!md)
        return about(e, PROV_R_INVALID_DIGEST, "%s could not be fetched", name);
    const int allowed = is_allowed(e, md, name);
    if (!allowed || e->is_running) {
        ssl->EVP_MD_free(md);
        return allowed;
    }
    ssl->EVP_MD_CTX_free(e->md_ctx);
    ssl->EVP_MD_free(e->md);
    e->md_ctx = NULL;
    e->md = md;
    e->md_size = (size_t)ssl->EVP_MD_get_size(md);
    memcpy(e->md_name, name, strlen(name) + 1);
    return 1;
}

/* ---- AlgorithmIdentifier: an object identifier without parameters (RFC 5758 section 3.2) ---- */

static const struct algorithm {
    char digest[12];
    uint8_t der_len, der[13];
} algorithms[] = {
#define X9_62(digest, ...)                                               \
    {                                                                    \
        digest, 12,                                                      \
        {                                                                \
            0x30, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, __VA_ARGS__ \
        }                                                                \
    }
#define NIST(digest, number)                                           \
    {                                                                  \
        digest, 13,                                                    \
        {                                                              \
            0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, number \
        }                                                              \
    }
    { "SHA1", 11, { 0x30, 9, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1 } },
    X9_62("SHA2-224", 3, 1),
    X9_62("SHA2-256", 3, 2),
    X9_62("SHA2-384", 3, 3),
    X9_62("SHA2-512", 3, 4),
    NIST("SHA3-224", 9),
    NIST("SHA3-256", 10),
    NIST("SHA3-384", 11),
    NIST("SHA3-512", 12),
#undef X9_62
#undef NIST
};

static int identifier(const struct ecdsa *e, OSSL_PARAM *p)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    for (size_t i = 0; e->md && i < COUNT(algorithms); i++)
        if (ssl->EVP_MD_is_a(e->md, algorithms[i].digest))
            return param_set_octets(p, algorithms[i].der, algorithms[i].der_len);
    return 0;
}

/* ---- of a context ---- */

/* ecdsa_get_params leaves the identifier unanswered where there is none. */
int ecdsa_get_params(void *ctx, OSSL_PARAM params[])
{
    const struct ecdsa *e = ctx;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(e->provider);
    const char *name = e->md ? ssl->EVP_MD_get0_name(e->md) : e->md_name;
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key && good; p++)
        if (!strcmp(p->key, OSSL_SIGNATURE_PARAM_ALGORITHM_ID))
            good = identifier(e, p);
        else if (!strcmp(p->key, OSSL_SIGNATURE_PARAM_DIGEST_SIZE))
            good = param_set_number(p, e->md_size);
        else if (!strcmp(p->key, OSSL_SIGNATURE_PARAM_DIGEST))
            good = param_set_text(p, name);
        else if (!strcmp(p->key, PARAM_NONCE_TYPE))
            good = param_set_number(p, e->nonce_type);
    return good;
}

static int take_digest(struct ecdsa *e, const OSSL_PARAM params[])
{
    char name[sizeof e->md_name] = "", properties[MAX_PROPERTIES] = "";
    if (!param_find(params, OSSL_SIGNATURE_PARAM_DIGEST))
        return 1;
    return pkey_get_text(params, OSSL_SIGNATURE_PARAM_DIGEST, name, sizeof name) &&
           pkey_get_text(params, OSSL_SIGNATURE_PARAM_PROPERTIES, properties, sizeof properties) &&
           ecdsa_set_digest(e, name, properties);
}

static int take_size(struct ecdsa *e, const OSSL_PARAM params[])
{
    uint64_t size;
    const OSSL_PARAM *p = param_find(params, OSSL_SIGNATURE_PARAM_DIGEST_SIZE);
    if (!p)
        return 1;
    if (!param_get_number(p, &size) || (e->is_running && size != e->md_size))
        return 0;
    e->md_size = (size_t)size;
    return 1;
}

/* ecdsa_set_params: the parameter "kat" changes nothing that a program could see. */
int ecdsa_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct ecdsa *e = ctx;
    uint64_t number;
    const OSSL_PARAM *kat = param_find(params, OSSL_SIGNATURE_PARAM_KAT);
    const OSSL_PARAM *nonce = param_find(params, PARAM_NONCE_TYPE);
    if (!e || (kat && (!param_get_number(kat, &number) || number > UINT32_MAX)))
        return 0;
    if (nonce) {
        if (!param_get_number(nonce, &number) || number > UINT32_MAX)
            return 0;
        e->nonce_type = (unsigned)number;
    }
    return take_digest(e, params) && take_size(e, params);
}

const OSSL_PARAM *ecdsa_gettable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_OCTETS(OSSL_SIGNATURE_PARAM_ALGORITHM_ID),
        PARAM_SIZE(OSSL_SIGNATURE_PARAM_DIGEST_SIZE),
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_DIGEST),
        PARAM_UINT(PARAM_NONCE_TYPE),
        PARAM_LIST_END,
    };
    (void)ctx;
    return param_list(provctx, LIST_ECDSA_GOT, list);
}

const OSSL_PARAM *ecdsa_settable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_DIGEST),
        PARAM_SIZE(OSSL_SIGNATURE_PARAM_DIGEST_SIZE),
        PARAM_TEXT(OSSL_SIGNATURE_PARAM_PROPERTIES),
        PARAM_UINT(OSSL_SIGNATURE_PARAM_KAT),
        PARAM_UINT(PARAM_NONCE_TYPE),
        PARAM_LIST_END,
    };
    (void)ctx;
    return param_list(provctx, LIST_ECDSA_TAKEN, list);
}

/* ---- of its digest ---- */

int ecdsa_set_md_params(void *ctx, const OSSL_PARAM params[])
{
    struct ecdsa *e = ctx;
    return e->md_ctx &&
           pkey_libcrypto_of(e->provider)->EVP_MD_CTX_set_params(e->md_ctx, params) > 0;
}

int ecdsa_get_md_params(void *ctx, OSSL_PARAM params[])
{
    struct ecdsa *e = ctx;
    return e->md_ctx &&
           pkey_libcrypto_of(e->provider)->EVP_MD_CTX_get_params(e->md_ctx, params) > 0;
}

const OSSL_PARAM *ecdsa_md_settable(void *ctx)
{
    struct ecdsa *e = ctx;
    return e->md ? pkey_libcrypto_of(e->provider)->EVP_MD_settable_ctx_params(e->md) : NULL;
}

const OSSL_PARAM *ecdsa_md_gettable(void *ctx)
{
    struct ecdsa *e = ctx;
    return e->md ? pkey_libcrypto_of(e->provider)->EVP_MD_gettable_ctx_params(e->md) : NULL;
}
