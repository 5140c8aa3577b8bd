/* SPDX-License-Identifier: Apache-2.0 */
#include "other.h"

EVP_PKEY_CTX *other_begin(const struct provider *provider, const char *type)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    return ssl->EVP_PKEY_CTX_new_from_name(ssl->base->libctx, type, OTHER);
}

EVP_PKEY_CTX *other_with(const struct provider *provider, EVP_PKEY *key)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    return ssl->EVP_PKEY_CTX_new_from_pkey(ssl->base->libctx, key, OTHER);
}

/* other_import: EVP_PKEY_fromdata takes a list that is not const, and reads it. */
EVP_PKEY *other_import(const struct provider *provider, const char *type, int selection,
                       const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = other_begin(provider, type);
    if (ctx && ssl->EVP_PKEY_fromdata_init(ctx) > 0)
        (void)!ssl->EVP_PKEY_fromdata(ctx, &key, selection, (OSSL_PARAM *)(uintptr_t)params);
    ssl->EVP_PKEY_CTX_free(ctx);
    return key;
}

struct excerpt {
    const struct provider *provider;
    const char *type;
    int selection;
    const OSSL_PARAM *more; /* parts that count more, or NULL */
    EVP_PKEY *key;
};

static int import(const OSSL_PARAM params[], void *arg)
{
    struct excerpt *part = arg;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(part->provider);
    OSSL_PARAM *all = part->more ? ssl->OSSL_PARAM_merge(params, part->more) : NULL;
    if (all || !part->more)
        part->key = other_import(part->provider, part->type, part->selection, all ? all : params);
    ssl->OSSL_PARAM_free(all);
    return part->key != NULL;
}

EVP_PKEY *other_add(const struct provider *provider, const char *type, EVP_PKEY *key, int selection,
                    const OSSL_PARAM params[])
{
    struct excerpt whole = { provider, type, selection | EVP_PKEY_KEYPAIR, params, NULL };
    (void)!pkey_libcrypto_of(provider)->EVP_PKEY_export(key, EVP_PKEY_KEYPAIR, import, &whole);
    return whole.key;
}

EVP_PKEY *other_copy(const struct provider *provider, const char *type, EVP_PKEY *key,
                     int selection)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    const int pair = OSSL_KEYMGMT_SELECT_KEYPAIR;
    struct excerpt part = { provider, type, selection, NULL, NULL };
    if ((selection & pair) == pair)
        return ssl->EVP_PKEY_dup(key);
    (void)!ssl->EVP_PKEY_export(key, selection, import, &part);
    return part.key;
}

int other_match(const struct provider *provider, const EVP_PKEY *a, const EVP_PKEY *b,
                int selection)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    if (selection & OSSL_KEYMGMT_SELECT_KEYPAIR)
        return ssl->EVP_PKEY_eq(a, b) == 1;
    return ssl->EVP_PKEY_parameters_eq(a, b) == 1;
}

int other_validate(const struct provider *provider, EVP_PKEY *key, int selection, int type)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provider);
    const int quick = type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK;
    const int pair = OSSL_KEYMGMT_SELECT_KEYPAIR;
    EVP_PKEY_CTX *ctx = other_with(provider, key);
    int good = ctx != NULL;
    if (good && selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS)
        good = (quick ? ssl->EVP_PKEY_param_check_quick(ctx) : ssl->EVP_PKEY_param_check(ctx)) > 0;
    if (good && selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
        good =
            (quick ? ssl->EVP_PKEY_public_check_quick(ctx) : ssl->EVP_PKEY_public_check(ctx)) > 0;
    if (good && selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
        good = ssl->EVP_PKEY_private_check(ctx) > 0;
    if (good && (selection & pair) == pair)
        good = ssl->EVP_PKEY_pairwise_check(ctx) > 0;
    ssl->EVP_PKEY_CTX_free(ctx);
    return good;
}
