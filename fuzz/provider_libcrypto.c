/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs of the libcrypto functions that the provider calls: work for other providers, random bytes.
 */
#include "provider_libcrypto.h"
#include <assert.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

int other_live;

#pragma GCC visibility push(default)

/* ---- another provider's key derivation, which knows the digest "SHA3-256" ---- */

EVP_KDF *EVP_KDF_fetch(OSSL_LIB_CTX *libctx, const char *name, const char *properties)
{
    assert(!libctx && name && !strcmp(properties, "provider!=headrace"));
    other_live++;
    return (EVP_KDF *)&other_live;
}

void EVP_KDF_free(EVP_KDF *kdf)
{
    other_live -= kdf != NULL;
}

EVP_KDF_CTX *EVP_KDF_CTX_new(EVP_KDF *kdf)
{
    assert(kdf);
    other_live++;
    return calloc(1, 1);
}

void EVP_KDF_CTX_free(EVP_KDF_CTX *ctx)
{
    other_live -= ctx != NULL;
    free(ctx);
}

int EVP_KDF_CTX_set_params(EVP_KDF_CTX *ctx, const OSSL_PARAM params[])
{
    unsigned sum = 0;
    assert(ctx && !strcmp(params->key, "digest"));
    for (const OSSL_PARAM *p = params; p->key; p++)
        for (size_t i = 0; i < p->data_size; i++)
            sum += ((const uint8_t *)p->data)[i];
    return !strcmp(params->data, "SHA3-256") && sum;
}

size_t EVP_KDF_CTX_get_kdf_size(EVP_KDF_CTX *ctx)
{
    assert(ctx);
    return 32;
}

int EVP_KDF_derive(EVP_KDF_CTX *ctx, unsigned char *out, size_t out_len, const OSSL_PARAM params[])
{
    assert(ctx && !params);
    memset(out, 0x5a, out_len);
    return 1;
}

/* ---- another provider's GMAC and CMAC, which know every cipher ---- */

EVP_MAC *EVP_MAC_fetch(OSSL_LIB_CTX *libctx, const char *name, const char *properties)
{
    assert(!libctx && (!strcmp(name, "GMAC") || !strcmp(name, "CMAC")) &&
           !strcmp(properties, "provider!=headrace"));
    other_live++;
    return (EVP_MAC *)&other_live;
}

void EVP_MAC_free(EVP_MAC *mac)
{
    other_live -= mac != NULL;
}

EVP_MAC_CTX *EVP_MAC_CTX_new(EVP_MAC *mac)
{
    assert(mac);
    other_live++;
    return calloc(1, 1);
}

EVP_MAC_CTX *EVP_MAC_CTX_dup(const EVP_MAC_CTX *ctx)
{
    assert(ctx);
    other_live++;
    return calloc(1, 1);
}

void EVP_MAC_CTX_free(EVP_MAC_CTX *ctx)
{
    other_live -= ctx != NULL;
    free(ctx);
}

int EVP_MAC_CTX_set_params(EVP_MAC_CTX *ctx, const OSSL_PARAM params[])
{
    assert(ctx);
    return params && params->key;
}

int EVP_MAC_CTX_get_params(EVP_MAC_CTX *ctx, OSSL_PARAM params[])
{
    assert(ctx);
    return params && params->key;
}

int EVP_MAC_init(EVP_MAC_CTX *ctx, const unsigned char *key, size_t key_len,
                 const OSSL_PARAM params[])
{
    assert(ctx && !params && (key || !key_len));
    return 1;
}

int EVP_MAC_update(EVP_MAC_CTX *ctx, const unsigned char *in, size_t in_len)
{
    assert(ctx && (in || !in_len));
    return 1;
}

int EVP_MAC_final(EVP_MAC_CTX *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    assert(ctx && out && out_len);
    *out_len = out_size < 16 ? 0 : 16;
    memset(out, 0x3c, *out_len);
    return *out_len > 0;
}

int RAND_bytes_ex(OSSL_LIB_CTX *libctx, unsigned char *out, size_t out_len, unsigned strength)
{
    assert(!libctx && out && !strength);
    memset(out, 0x4d, out_len);
    return 1;
}

int RAND_priv_bytes_ex(OSSL_LIB_CTX *libctx, unsigned char *out, size_t out_len, unsigned strength)
{
    return RAND_bytes_ex(libctx, out, out_len, strength);
}

#pragma GCC visibility pop
