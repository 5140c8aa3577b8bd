/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of messages: the digest of the message is computed here by EVP, and then signed or
 * verified as any other. */
#include "rsa.h"
#include <strings.h>

enum { NAME_SIZE = 50 }; /* OpenSSL's limit */

static OSSL_PARAM digest_param(char *name, size_t size)
{
    return (OSSL_PARAM){ OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, name, size,
                         PARAM_NONE };
}

static void get_digest(struct rsa_use *use, char name[NAME_SIZE])
{
    OSSL_PARAM list[] = { digest_param(name, NAME_SIZE), PARAM_END };
    name[0] = '\0';
    (void)!rsa_use_get_params(use, list);
}

/* set_digest lets the other provider look at the digest: it is not allowed with every padding. */
static int set_digest(struct rsa_use *use, const char *name)
{
    OSSL_PARAM list[] = { digest_param((char *)(uintptr_t)name, strlen(name)), PARAM_END };
    return rsa_use_set_params(use, list);
}

/* fetch: the program's properties may leave out a digest that the other provider took. */
static int fetch(struct rsa_use *use, const char *name)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    if (use->md && ssl->EVP_MD_is_a(use->md, name))
        return 1;
    EVP_MD *md = ssl->EVP_MD_fetch(ssl->base->libctx, name, use->properties);
    if (!md)
        md = ssl->EVP_MD_fetch(ssl->base->libctx, name, OTHER);
    ssl->EVP_MD_CTX_free(use->md_ctx);
    ssl->EVP_MD_free(use->md);
    use->md_ctx = NULL;
    use->md = md;
    return md != NULL;
}

static int begin_digest(struct rsa_use *use, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    if (!use->md_ctx)
        use->md_ctx = ssl->EVP_MD_CTX_new();
    if (use->md_ctx && ssl->EVP_DigestInit_ex2(use->md_ctx, use->md, params))
        return 1;
    ssl->EVP_MD_CTX_free(use->md_ctx);
    use->md_ctx = NULL;
    return 0;
}

/* begin goes on with the last digest if it is told none. */
static int begin(struct rsa_use *use, const char *name, struct rsa_key *key,
                 enum rsa_operation operation, const OSSL_PARAM params[])
{
    char before[NAME_SIZE] = "", now[NAME_SIZE];
    if (!use)
        return 0;
    if (use->other && !key)
        get_digest(use, before);
    if (!rsa_use_begin(use, key, operation, params))
        return 0;
    get_digest(use, now);
    if (!name && *before && !*now)
        name = before;
    if (name && (!*name || strcasecmp(name, now)) && !set_digest(use, name))
        return 0;
    get_digest(use, now);
    use->is_running = 1;
    return (!*now || fetch(use, now)) && begin_digest(use, params);
}

int rsa_message_sign_init(void *ctx, const char *name, void *keydata, const OSSL_PARAM params[])
{
    return begin(ctx, name, keydata, RSA_SIGN, params);
}

int rsa_message_verify_init(void *ctx, const char *name, void *keydata, const OSSL_PARAM params[])
{
    return begin(ctx, name, keydata, RSA_VERIFY, params);
}

int rsa_message_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct rsa_use *use = ctx;
    return use && use->md_ctx &&
           pkey_libcrypto_of(use->provider)->EVP_DigestUpdate(use->md_ctx, in, in_len);
}

static int end(struct rsa_use *use, unsigned char digest[EVP_MAX_MD_SIZE], unsigned *len)
{
    return pkey_libcrypto_of(use->provider)->EVP_DigestFinal_ex(use->md_ctx, digest, len);
}

int rsa_message_sign_final(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size)
{
    struct rsa_use *use = ctx;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!use)
        return 0;
    use->is_running = 0;
    if (!use->md_ctx || (sig && !end(use, digest, &len)))
        return 0;
    return rsa_sign(use, sig, sig_len, sig_size, digest, len);
}

int rsa_message_verify_final(void *ctx, const unsigned char *sig, size_t sig_len)
{
    struct rsa_use *use = ctx;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!use)
        return 0;
    use->is_running = 0;
    if (!use->md_ctx || !end(use, digest, &len))
        return 0;
    return rsa_verify(use, sig, sig_len, digest, len);
}

/* ---- parameters ---- */

/* rsa_sign_set_params: while a message runs, its digest stays, and so does its name.  The other
 * provider, which knows of no message, first says whether it would take the parameters. */
int rsa_sign_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct rsa_use *use = ctx;
    char before[NAME_SIZE], now[NAME_SIZE];
    if (!use || !use->is_running || !param_find(params, OSSL_SIGNATURE_PARAM_DIGEST))
        return rsa_use_set_params(use, params);
    get_digest(use, before);
    if (!rsa_use_set_params(use, params))
        return 0;
    get_digest(use, now);
    if (!*before || !strcmp(before, now))
        return 1;
    const int same = use->md && pkey_libcrypto_of(use->provider)->EVP_MD_is_a(use->md, now);
    if (same)
        return set_digest(use, before);
    (void)!set_digest(use, before);
    return RAISE(use->provider, PROV_R_DIGEST_NOT_ALLOWED);
}

/* ---- parameters of the digest ---- */

int rsa_message_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct rsa_use *use = ctx;
    return use->md_ctx &&
           pkey_libcrypto_of(use->provider)->EVP_MD_CTX_set_params(use->md_ctx, params) > 0;
}

int rsa_message_get_params(void *ctx, OSSL_PARAM params[])
{
    struct rsa_use *use = ctx;
    return use->md_ctx &&
           pkey_libcrypto_of(use->provider)->EVP_MD_CTX_get_params(use->md_ctx, params) > 0;
}

const OSSL_PARAM *rsa_message_settable(void *ctx)
{
    struct rsa_use *use = ctx;
    return use->md ? pkey_libcrypto_of(use->provider)->EVP_MD_settable_ctx_params(use->md) : NULL;
}

const OSSL_PARAM *rsa_message_gettable(void *ctx)
{
    struct rsa_use *use = ctx;
    return use->md ? pkey_libcrypto_of(use->provider)->EVP_MD_gettable_ctx_params(use->md) : NULL;
}
