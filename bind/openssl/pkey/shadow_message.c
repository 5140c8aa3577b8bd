/* SPDX-License-Identifier: Apache-2.0 */
/* provider-signature(7): signatures of digests, and of messages, whose digest is computed here by
 * EVP, and then signed or verified as any other. */
#include "shadow.h"
#include <stdlib.h>
#include <strings.h>

enum { NAME_SIZE = 50 }; /* OpenSSL's limit */

/* ---- of digests ---- */

static int sign_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return shadow_use_begin(ctx, keydata, SHADOW_SIGN, params);
}

static int verify_init(void *ctx, void *keydata, const OSSL_PARAM params[])
{
    return shadow_use_begin(ctx, keydata, SHADOW_VERIFY, params);
}

static int sign(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size,
                const unsigned char *in, size_t in_len)
{
    const struct shadow_use *use = ctx;
    return shadow_use_run(ctx, sig, sig_len, sig_size, in, in_len, use->sign);
}

/* verify: a signature that is wrong is looked at a second time by the other provider, for its
 * errors.  A key without a public part verifies nothing, whether or not it has signed, which lets
 * the library compute that part; OpenSSL's DSA crashes with such a key. */
static int verify(void *ctx, const unsigned char *sig, size_t sig_len, const unsigned char *in,
                  size_t in_len)
{
    struct shadow_use *use = ctx;
    if (!use->other)
        return 0;
    if (!use->key->head.has_public)
        return RAISE_TEXT(use->provider, PROV_R_MISSING_KEY, "no public key"), -1;
    if (use->verify(use, sig, sig_len, in, in_len))
        return 1;
    return pkey_libcrypto_of(use->provider)->EVP_PKEY_verify(use->other, sig, sig_len, in, in_len);
}

/* ---- the digest of messages ---- */

static OSSL_PARAM digest_param(char *name, size_t size)
{
    return (OSSL_PARAM){ OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, name, size,
                         PARAM_NONE };
}

static void get_digest(struct shadow_use *use, char name[NAME_SIZE])
{
    OSSL_PARAM list[] = { digest_param(name, NAME_SIZE), PARAM_END };
    name[0] = '\0';
    (void)!shadow_use_get_params(use, list);
}

/* fetch: the program's properties may leave out a digest that the other provider took. */
static int fetch(struct shadow_use *use, const char *name)
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

static void drop_digest(struct shadow_use *use)
{
    pkey_libcrypto_of(use->provider)->EVP_MD_CTX_free(use->md_ctx);
    use->md_ctx = NULL;
}

static int begin_digest(struct shadow_use *use, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    if (!use->md_ctx)
        use->md_ctx = ssl->EVP_MD_CTX_new();
    if (use->md_ctx && ssl->EVP_DigestInit_ex2(use->md_ctx, use->md, params))
        return 1;
    drop_digest(use);
    return 0;
}

/* ---- parameters ---- */

/* try_digest asks the other provider, which knows of no message, whether it would take the
 * parameters, and which digest it would then have. */
static int try_digest(const struct shadow_use *use, const OSSL_PARAM params[], char name[NAME_SIZE])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(use->provider);
    struct shadow_use trial = { .provider = use->provider };
    trial.other = use->other ? ssl->EVP_PKEY_CTX_dup(use->other) : NULL;
    const int good = trial.other && shadow_use_set_params(&trial, params);
    if (good)
        get_digest(&trial, name);
    ssl->EVP_PKEY_CTX_free(trial.other);
    return good;
}

/* set_others sets all parameters but the digest. */
static int set_others(struct shadow_use *use, const OSSL_PARAM params[])
{
    size_t num = 0;
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        num++;
    OSSL_PARAM *list = calloc(num + 1, sizeof *list), *out = list;
    for (size_t i = 0; list && i < num; i++)
        if (strcmp(params[i].key, OSSL_SIGNATURE_PARAM_DIGEST))
            *out++ = params[i];
    const int good = list && (out == list || shadow_use_set_params(use, list));
    free(list);
    return good;
}

/* fail lets the other provider fail, and keeps the digest, which it may have changed before: else
 * the message would be signed as that of another one. */
static int fail(struct shadow_use *use, const OSSL_PARAM params[], const char *before)
{
    char now[NAME_SIZE];
    (void)!shadow_use_set_params(use, params);
    get_digest(use, now);
    const OSSL_PARAM list[] = { digest_param((char *)(uintptr_t)before, strlen(before)),
                                PARAM_END };
    if (strcmp(before, now) && !shadow_use_set_params(use, list))
        drop_digest(use);
    return 0;
}

/* set_all: while a message runs, its digest stays, and so does its name. */
static int set_all(struct shadow_use *use, const OSSL_PARAM params[])
{
    char before[NAME_SIZE], now[NAME_SIZE];
    if (!use || !use->is_running || !param_find(params, OSSL_SIGNATURE_PARAM_DIGEST))
        return shadow_use_set_params(use, params);
    get_digest(use, before);
    if (!*before)
        return shadow_use_set_params(use, params);
    if (!try_digest(use, params, now))
        return fail(use, params, before);
    const int good = set_others(use, params);
    const int same = !strcmp(before, now) ||
                     (use->md && pkey_libcrypto_of(use->provider)->EVP_MD_is_a(use->md, now));
    return good && (same || RAISE(use->provider, PROV_R_DIGEST_NOT_ALLOWED));
}

/* set_digest lets the other provider look at the digest: it is not allowed with every padding. */
static int set_digest(struct shadow_use *use, const char *name)
{
    const OSSL_PARAM list[] = { digest_param((char *)(uintptr_t)name, strlen(name)), PARAM_END };
    return set_all(use, list);
}

static int sign_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct shadow_use *use = ctx;
    const int passed = use && use->is_running && use->keeps_digest &&
                       param_find(params, OSSL_SIGNATURE_PARAM_DIGEST) &&
                       is_openssl_4(use->provider);
    return passed ? set_others(use, params) : set_all(use, params);
}

/* ---- messages ---- */

/* restart begins the next message of a context, which keeps its digest and most of its parameters.
 * A message that has not ended keeps its digest: another one is refused. */
static int restart(struct shadow_use *use, const OSSL_PARAM params[])
{
    return (!use->forget || use->forget(use)) && sign_set_params(use, params);
}

static int begin(struct shadow_use *use, const char *name, struct shadow_key *key,
                 enum shadow_operation operation, const OSSL_PARAM params[])
{
    char now[NAME_SIZE];
    if (!use)
        return 0;
    if (!key && use->other && use->operation == operation) {
        if (!restart(use, params))
            return 0;
    } else {
        use->is_running = 0;
        if (!shadow_use_begin(use, key, operation, params))
            return 0;
    }
    get_digest(use, now);
    if (name && (!*name || strcasecmp(name, now)) && !set_digest(use, name))
        return 0;
    get_digest(use, now);
    use->is_running = 1;
    return (!*now || fetch(use, now)) && begin_digest(use, params);
}

static int message_sign_init(void *ctx, const char *name, void *keydata, const OSSL_PARAM params[])
{
    return begin(ctx, name, keydata, SHADOW_SIGN, params);
}

static int message_verify_init(void *ctx, const char *name, void *keydata,
                               const OSSL_PARAM params[])
{
    return begin(ctx, name, keydata, SHADOW_VERIFY, params);
}

static int message_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct shadow_use *use = ctx;
    return use && use->md_ctx &&
           pkey_libcrypto_of(use->provider)->EVP_DigestUpdate(use->md_ctx, in, in_len);
}

/* Ends a message, whose digest is computed only if it is wanted. */
static int end(struct shadow_use *use, int wanted, unsigned char digest[EVP_MAX_MD_SIZE],
               unsigned *len)
{
    if (!use)
        return 0;
    use->is_running = 0;
    return use->md_ctx &&
           (!wanted ||
            pkey_libcrypto_of(use->provider)->EVP_DigestFinal_ex(use->md_ctx, digest, len));
}

static int message_sign_final(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size)
{
    struct shadow_use *use = ctx;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    return end(use, sig != NULL, digest, &len) ? sign(use, sig, sig_len, sig_size, digest, len) : 0;
}

static int message_verify_final(void *ctx, const unsigned char *sig, size_t sig_len)
{
    struct shadow_use *use = ctx;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    return end(use, 1, digest, &len) ? verify(use, sig, sig_len, digest, len) : 0;
}

/* ---- parameters of the digest ---- */

static int message_set_params(void *ctx, const OSSL_PARAM params[])
{
    struct shadow_use *use = ctx;
    return use->md_ctx &&
           pkey_libcrypto_of(use->provider)->EVP_MD_CTX_set_params(use->md_ctx, params) > 0;
}

static int message_get_params(void *ctx, OSSL_PARAM params[])
{
    struct shadow_use *use = ctx;
    return use->md_ctx &&
           pkey_libcrypto_of(use->provider)->EVP_MD_CTX_get_params(use->md_ctx, params) > 0;
}

static const OSSL_PARAM *message_settable(void *ctx)
{
    struct shadow_use *use = ctx;
    return use->md ? pkey_libcrypto_of(use->provider)->EVP_MD_settable_ctx_params(use->md) : NULL;
}

static const OSSL_PARAM *message_gettable(void *ctx)
{
    struct shadow_use *use = ctx;
    return use->md ? pkey_libcrypto_of(use->provider)->EVP_MD_gettable_ctx_params(use->md) : NULL;
}

/* ---- functions ---- */

any_function *shadow_signature(int id)
{
    switch (id) {
    case OSSL_FUNC_SIGNATURE_FREECTX:
        return (any_function *)shadow_use_free;
    case OSSL_FUNC_SIGNATURE_DUPCTX:
        return (any_function *)shadow_use_dup;
    case OSSL_FUNC_SIGNATURE_SIGN_INIT:
        return (any_function *)sign_init;
    case OSSL_FUNC_SIGNATURE_SIGN:
        return (any_function *)sign;
    case OSSL_FUNC_SIGNATURE_VERIFY_INIT:
        return (any_function *)verify_init;
    case OSSL_FUNC_SIGNATURE_VERIFY:
        return (any_function *)verify;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT:
        return (any_function *)message_sign_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
        return (any_function *)message_verify_init;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE:
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE:
        return (any_function *)message_update;
    case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL:
        return (any_function *)message_sign_final;
    case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL:
        return (any_function *)message_verify_final;
    case OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS:
        return (any_function *)shadow_use_get_params;
    case OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS:
        return (any_function *)sign_set_params;
    case OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS:
        return (any_function *)message_get_params;
    case OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS:
        return (any_function *)message_gettable;
    case OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS:
        return (any_function *)message_set_params;
    case OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS:
        return (any_function *)message_settable;
    default:
        return NULL;
    }
}
