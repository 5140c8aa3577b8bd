/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) for RSA.  Keys of the type RSA-PSS are not offered: OpenSSL then takes their
 * own provider for signatures, too. */
#include "rsa.h"

static const struct shadow_kind kind = {
    .type = RSA_TYPE,
    .public_part = OSSL_PKEY_PARAM_RSA_N,
    .private_part = OSSL_PKEY_PARAM_RSA_D,
    .cls = HR_CLASS_RSA,
};

static void *rsa_new(void *provctx)
{
    return shadow_key_new(provctx, &kind, rsa_ready);
}

/* rsa_validate: a whole key is looked at in one, as OpenSSL does. */
static int rsa_validate(const void *keydata, int selection, int type)
{
    const struct shadow_key *key = keydata;
    const int pair = pkey_parts_here(&key->head, selection & OSSL_KEYMGMT_SELECT_KEYPAIR);
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

static const OSSL_PARAM *rsa_gettable(void *provctx)
{
    return shadow_key_gettable(provctx, RSA_TYPE);
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

static void *rsa_generate_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return selection & OSSL_KEYMGMT_SELECT_KEYPAIR
               ? shadow_generate_init(rsa_new(provctx), selection, params)
               : NULL;
}

static const OSSL_PARAM *rsa_generate_settable(void *genctx, void *provctx)
{
    (void)genctx;
    return shadow_generate_settable(provctx, RSA_TYPE);
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
        return (any_function *)rsa_new;
    case OSSL_FUNC_KEYMGMT_LOAD:
        return (any_function *)pkey_load;
    case OSSL_FUNC_KEYMGMT_VALIDATE:
        return (any_function *)rsa_validate;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)rsa_part_types;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)rsa_gettable;
    case OSSL_FUNC_KEYMGMT_GEN_INIT:
        return (any_function *)rsa_generate_init;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)rsa_generate_settable;
    case OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME:
        return (any_function *)rsa_operation_name;
    default:
        return shadow_keymgmt(id);
    }
}
