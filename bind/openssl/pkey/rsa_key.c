/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) for RSA.  Keys of the type RSA-PSS are not offered: OpenSSL then takes their
 * own provider for signatures, too. */
#include "rsa.h"
#include <stdlib.h>

/* ---- life ---- */

static void forget(struct rsa_key *key)
{
    rsa_ready_drop(atomic_exchange(&key->private, NULL));
    rsa_ready_drop(atomic_exchange(&key->public, NULL));
    pkey_libcrypto_of(key->head.provider)->EVP_PKEY_free(key->other);
    key->other = NULL;
}

static void destroy(struct pkey *head)
{
    struct rsa_key *key = (struct rsa_key *)head;
    forget(key);
    free(key);
}

struct rsa_key *rsa_key_new(void *provctx)
{
    struct rsa_key *key = calloc(1, sizeof *key);
    if (key)
        pkey_init(&key->head, provctx, destroy);
    return key;
}

/* has_number tells whether the key has this part: one that it lacks is left unanswered. */
static int has_number(const struct rsa_key *key, const char *name)
{
    OSSL_PARAM list[] = { { name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0, PARAM_NONE }, PARAM_END };
    return pkey_libcrypto_of(key->head.provider)->EVP_PKEY_get_params(key->other, list) > 0 &&
           list[0].return_size != PARAM_NONE;
}

int rsa_key_hold(struct rsa_key *key, EVP_PKEY *other)
{
    if (!other)
        return 0;
    forget(key);
    key->other = other;
    key->head.has_public = (uint8_t)has_number(key, OSSL_PKEY_PARAM_RSA_N);
    key->head.has_private = (uint8_t)has_number(key, OSSL_PKEY_PARAM_RSA_D);
    return 1;
}

static int rsa_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct rsa_key *key = keydata;
    return key && rsa_key_hold(key, other_import(key->head.provider, RSA_TYPE, selection, params));
}

static int rsa_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct rsa_key *key = keydata;
    return key && key->other &&
           pkey_libcrypto_of(key->head.provider)
               ->EVP_PKEY_export(key->other, selection, callback, arg);
}

static void *rsa_dup(const void *keydata, int selection)
{
    const struct rsa_key *key = keydata;
    struct rsa_key *copy = key->other && selection & OSSL_KEYMGMT_SELECT_KEYPAIR
                               ? rsa_key_new((void *)(uintptr_t)key->head.provider)
                               : NULL;
    if (copy && rsa_key_hold(copy, other_copy(key->head.provider, RSA_TYPE, key->other, selection)))
        return copy;
    pkey_release(copy);
    return NULL;
}

/* ---- what a key has ---- */

static int rsa_has(const void *keydata, int selection)
{
    const struct rsa_key *key = keydata;
    if (!key)
        return 0;
    return (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR) || key->head.has_public) &&
           (!(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) || key->head.has_private);
}

static int rsa_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct rsa_key *a = keydata1, *b = keydata2;
    return a->other && b->other && other_match(a->head.provider, a->other, b->other, selection);
}

/* rsa_validate: a whole key is looked at in one, as OpenSSL does. */
static int rsa_validate(const void *keydata, int selection, int type)
{
    const struct rsa_key *key = keydata;
    const int pair = selection & OSSL_KEYMGMT_SELECT_KEYPAIR;
    if (!pair)
        return 1;
    if (!key->other)
        return 0;
    if (pair != OSSL_KEYMGMT_SELECT_KEYPAIR)
        return other_validate(key->head.provider, key->other, pair, type);
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(key->head.provider);
    EVP_PKEY_CTX *ctx = other_with(key->head.provider, key->other);
    const int good = ctx && ssl->EVP_PKEY_pairwise_check(ctx) > 0;
    ssl->EVP_PKEY_CTX_free(ctx);
    return good;
}

static int rsa_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct rsa_key *key = keydata;
    return key->other &&
           pkey_libcrypto_of(key->head.provider)->EVP_PKEY_get_params(key->other, params) > 0;
}

/* rsa_gettable returns the other provider's list, which is part of its code. */
static const OSSL_PARAM *rsa_gettable(void *provctx)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);
    EVP_KEYMGMT *keymgmt = ssl->EVP_KEYMGMT_fetch(ssl->base->libctx, RSA_TYPE, OTHER);
    const OSSL_PARAM *list = keymgmt ? ssl->EVP_KEYMGMT_gettable_params(keymgmt) : NULL;
    ssl->EVP_KEYMGMT_free(keymgmt);
    return list;
}

/* rsa_part_types answers for import and export, which know the same parameters: two primes and
 * eight more. */
static const OSSL_PARAM *rsa_part_types(int selection)
{
    static const struct param_spec specs[] = {
        PARAM_BIGNUM("n"),
        PARAM_BIGNUM("e"),
        PARAM_BIGNUM("d"),
        PARAM_BIGNUM("rsa-factor1"),
        PARAM_BIGNUM("rsa-factor2"),
        PARAM_BIGNUM("rsa-factor3"),
        PARAM_BIGNUM("rsa-factor4"),
        PARAM_BIGNUM("rsa-factor5"),
        PARAM_BIGNUM("rsa-factor6"),
        PARAM_BIGNUM("rsa-factor7"),
        PARAM_BIGNUM("rsa-factor8"),
        PARAM_BIGNUM("rsa-factor9"),
        PARAM_BIGNUM("rsa-factor10"),
        PARAM_BIGNUM("rsa-exponent1"),
        PARAM_BIGNUM("rsa-exponent2"),
        PARAM_BIGNUM("rsa-exponent3"),
        PARAM_BIGNUM("rsa-exponent4"),
        PARAM_BIGNUM("rsa-exponent5"),
        PARAM_BIGNUM("rsa-exponent6"),
        PARAM_BIGNUM("rsa-exponent7"),
        PARAM_BIGNUM("rsa-exponent8"),
        PARAM_BIGNUM("rsa-exponent9"),
        PARAM_BIGNUM("rsa-exponent10"),
        PARAM_BIGNUM("rsa-coefficient1"),
        PARAM_BIGNUM("rsa-coefficient2"),
        PARAM_BIGNUM("rsa-coefficient3"),
        PARAM_BIGNUM("rsa-coefficient4"),
        PARAM_BIGNUM("rsa-coefficient5"),
        PARAM_BIGNUM("rsa-coefficient6"),
        PARAM_BIGNUM("rsa-coefficient7"),
        PARAM_BIGNUM("rsa-coefficient8"),
        PARAM_BIGNUM("rsa-coefficient9"),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    return selection & OSSL_KEYMGMT_SELECT_KEYPAIR ? pkey_types(&types, specs) : NULL;
}

static const char *rsa_operation_name(int operation)
{
    (void)operation;
    return RSA_TYPE;
}

any_function *rsa_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_NEW:
        return (any_function *)rsa_key_new;
    case OSSL_FUNC_KEYMGMT_FREE:
        return (any_function *)pkey_release;
    case OSSL_FUNC_KEYMGMT_DUP:
        return (any_function *)rsa_dup;
    case OSSL_FUNC_KEYMGMT_HAS:
        return (any_function *)rsa_has;
    case OSSL_FUNC_KEYMGMT_MATCH:
        return (any_function *)rsa_match;
    case OSSL_FUNC_KEYMGMT_VALIDATE:
        return (any_function *)rsa_validate;
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)rsa_import;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)rsa_part_types;
    case OSSL_FUNC_KEYMGMT_EXPORT:
        return (any_function *)rsa_export;
    case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        return (any_function *)rsa_get_params;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)rsa_gettable;
    case OSSL_FUNC_KEYMGMT_GEN_INIT:
        return (any_function *)rsa_generate_init;
    case OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS:
        return (any_function *)rsa_generate_set_params;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)rsa_generate_settable;
    case OSSL_FUNC_KEYMGMT_GEN:
        return (any_function *)rsa_generate;
    case OSSL_FUNC_KEYMGMT_GEN_CLEANUP:
        return (any_function *)rsa_generate_cleanup;
    case OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME:
        return (any_function *)rsa_operation_name;
    default:
        return NULL;
    }
}
