/* SPDX-License-Identifier: Apache-2.0 */
/* KDFs over SHA-3, BLAKE2, SM3 and digests that a program adds: they are computed by the provider
 * that would serve without us, in the same library context.  It raises its own errors. */
#include "kdf.h"
#include "params.h"
#include <headrace/algorithms.h>
#include <stdio.h>

/* param copies the pointer with memcpy, since OSSL_PARAM's data is not const even where it is only
 * read. */
static OSSL_PARAM param(const char *key, unsigned type, const void *data, size_t len)
{
    OSSL_PARAM p = { key, type, NULL, len, PARAM_NONE };
    memcpy(&p.data, &data, sizeof data);
    return p;
}

static OSSL_PARAM octets(const char *key, const struct kdf_bytes *bytes)
{
    return param(key, OSSL_PARAM_OCTET_STRING, bytes->at, bytes->len);
}

static OSSL_PARAM text(const char *key, const struct kdf_bytes *bytes)
{
    return param(key, OSSL_PARAM_UTF8_STRING, bytes->at, bytes->len);
}

enum { MAX_PARAMS = 10 };

/* list writes every parameter that was given.  "pkcs5" and the iterations are PBKDF2's only, mode
 * and info HKDF's only. */
static void list(const struct kdf *k, OSSL_PARAM out[MAX_PARAMS])
{
    const int is_hkdf = k->row->alg == HR_HKDF;
    *out++ = text(OSSL_KDF_PARAM_DIGEST, &k->name);
    if (k->properties.at)
        *out++ = text(OSSL_KDF_PARAM_PROPERTIES, &k->properties);
    if (k->secret.at)
        *out++ = octets(is_hkdf ? OSSL_KDF_PARAM_KEY : OSSL_KDF_PARAM_PASSWORD, &k->secret);
    if (k->salt.at)
        *out++ = octets(OSSL_KDF_PARAM_SALT, &k->salt);
    if (!is_hkdf) {
        *out++ = param(OSSL_KDF_PARAM_PKCS5, OSSL_PARAM_INTEGER, &k->pkcs5, sizeof k->pkcs5);
        *out++ = param(OSSL_KDF_PARAM_ITER, OSSL_PARAM_UNSIGNED_INTEGER, &k->iterations,
                       sizeof k->iterations);
    } else {
        *out++ = param(OSSL_KDF_PARAM_MODE, OSSL_PARAM_INTEGER, &k->mode, sizeof k->mode);
        if (k->info.at)
            *out++ = octets(OSSL_KDF_PARAM_INFO, &k->info);
    }
    *out = (OSSL_PARAM)PARAM_END;
}

/* begin returns a context of the other provider's KDF with `params`, or NULL. */
static EVP_KDF_CTX *begin(const struct kdf *k, const OSSL_PARAM params[])
{
    const struct libcrypto *ssl = libcrypto_of(k->provider);
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(k->row->openssl_names, ":"),
             k->row->openssl_names);
    EVP_KDF *kdf = ssl->EVP_KDF_fetch(ssl->libctx, name, "provider!=headrace");
    if (!kdf)
        return NULL;
    EVP_KDF_CTX *ctx = ssl->EVP_KDF_CTX_new(kdf);
    ssl->EVP_KDF_free(kdf); /* the context holds it */
    if (ctx && ssl->EVP_KDF_CTX_set_params(ctx, params) > 0)
        return ctx;
    ssl->EVP_KDF_CTX_free(ctx);
    return NULL;
}

/* kdf_other_accepts sets only the digest and its properties: an error in another parameter would
 * look like an unknown digest. */
int kdf_other_accepts(const struct kdf *k)
{
    OSSL_PARAM params[3] = { text(OSSL_KDF_PARAM_DIGEST, &k->name), PARAM_END, PARAM_END };
    if (k->properties.at)
        params[1] = text(OSSL_KDF_PARAM_PROPERTIES, &k->properties);
    EVP_KDF_CTX *ctx = begin(k, params);
    const int accepted = ctx != NULL;
    libcrypto_of(k->provider)->EVP_KDF_CTX_free(ctx);
    return accepted;
}

int kdf_other_derive(const struct kdf *k, unsigned char *out, size_t out_len)
{
    OSSL_PARAM params[MAX_PARAMS];
    list(k, params);
    EVP_KDF_CTX *ctx = begin(k, params);
    const int good = ctx && libcrypto_of(k->provider)->EVP_KDF_derive(ctx, out, out_len, NULL) > 0;
    libcrypto_of(k->provider)->EVP_KDF_CTX_free(ctx);
    return good;
}

size_t kdf_other_size(const struct kdf *k)
{
    OSSL_PARAM params[MAX_PARAMS];
    list(k, params);
    EVP_KDF_CTX *ctx = begin(k, params);
    const size_t size = ctx ? libcrypto_of(k->provider)->EVP_KDF_CTX_get_kdf_size(ctx) : 0;
    libcrypto_of(k->provider)->EVP_KDF_CTX_free(ctx);
    return size;
}
