/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of EC keys that can be asked for and set (EVP_PKEY-EC(7)). */
#include "ec.h"
#include <stdlib.h>

#define DEFAULT_DIGEST "SHA256"

const OSSL_PARAM *ec_gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_TEXT(OSSL_PKEY_PARAM_DEFAULT_DIGEST),
        PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
        PARAM_INT(OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS),
        PARAM_TEXT(OSSL_PKEY_PARAM_GROUP_NAME),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_ENCODING),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_FIELD_TYPE),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_P),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_A),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_B),
        PARAM_OCTETS(OSSL_PKEY_PARAM_EC_GENERATOR),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_ORDER),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_COFACTOR),
        PARAM_OCTETS(OSSL_PKEY_PARAM_EC_SEED),
        PARAM_INT(OSSL_PKEY_PARAM_EC_CHAR2_M),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_CHAR2_TYPE),
        PARAM_INT(OSSL_PKEY_PARAM_EC_CHAR2_TP_BASIS),
        PARAM_INT(OSSL_PKEY_PARAM_EC_CHAR2_PP_K1),
        PARAM_INT(OSSL_PKEY_PARAM_EC_CHAR2_PP_K2),
        PARAM_INT(OSSL_PKEY_PARAM_EC_CHAR2_PP_K3),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_PUB_X),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_PUB_Y),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_INT(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH),
        PARAM_INT(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_EC_GOT, list);
}

/* Parameters that need a value of the key.  The explicit ones are asked of another provider, so
 * that no curve's equation stands here. */
enum { ENCODED, PUBLIC, PUBLIC_X, PUBLIC_Y, PRIVATE, EXPLICIT, NUM_KEYS = EXPLICIT + 7 };
static const param_name keys[NUM_KEYS] = {
    [ENCODED] = OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
    [PUBLIC] = OSSL_PKEY_PARAM_PUB_KEY,
    [PUBLIC_X] = OSSL_PKEY_PARAM_EC_PUB_X,
    [PUBLIC_Y] = OSSL_PKEY_PARAM_EC_PUB_Y,
    [PRIVATE] = OSSL_PKEY_PARAM_PRIV_KEY,
    [EXPLICIT] = OSSL_PKEY_PARAM_EC_P,
    OSSL_PKEY_PARAM_EC_A,
    OSSL_PKEY_PARAM_EC_B,
    OSSL_PKEY_PARAM_EC_GENERATOR,
    OSSL_PKEY_PARAM_EC_ORDER,
    OSSL_PKEY_PARAM_EC_COFACTOR,
    OSSL_PKEY_PARAM_EC_SEED,
};

/* explicit_param asks for one parameter of the curve. */
static int explicit_param(const struct ec_key *key, OSSL_PARAM *p)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(key->head.provider);
    struct ec_key group = { .head = { .provider = key->head.provider },
                            .curve = key->curve,
                            .how = key->how };
    OSSL_PARAM one[] = { *p, PARAM_END };
    EVP_PKEY *other = ec_foreign(&group);
    const int good = other && ssl->EVP_PKEY_get_params(other, one);
    ssl->EVP_PKEY_free(other);
    *p = one[0];
    return good;
}

static int encoded(const struct ec_key *key, OSSL_PARAM *p)
{
    if (!key->head.has_public)
        return RAISE(key->head.provider, PROV_R_NOT_A_PUBLIC_KEY);
    return param_set_octets(p, key->point, ec_point_len(key->curve));
}

static int in_form(const struct ec_key *key, OSSL_PARAM *p)
{
    uint8_t point[EC_MAX_POINT];
    return param_set_octets(p, point, ec_write_point(key, point));
}

/* value_param answers a parameter of a key's values.  One that the key does not have is left
 * unanswered. */
static int value_param(const struct ec_key *key, OSSL_PARAM *p)
{
    const size_t bytes = key->curve->bytes;
    const int number = param_key(p, keys, NUM_KEYS);
    switch (number) {
    case ENCODED:
        return encoded(key, p);
    case PUBLIC:
        return !key->head.has_public || in_form(key, p);
    case PUBLIC_X:
        return !key->head.has_public || pkey_set_number(p, key->point + 1, bytes);
    case PUBLIC_Y:
        return !key->head.has_public || pkey_set_number(p, key->point + 1 + bytes, bytes);
    case PRIVATE:
        return !key->head.has_private || pkey_set_padded(key->head.provider, p, key->secret, bytes);
    default:
        return number < 0 || explicit_param(key, p);
    }
}

static int words(const struct ec_key *key, OSSL_PARAM params[])
{
    return pkey_set_text(params, OSSL_PKEY_PARAM_DEFAULT_DIGEST, DEFAULT_DIGEST) &&
           pkey_set_text(params, OSSL_PKEY_PARAM_GROUP_NAME, key->curve->name) &&
           pkey_set_text(params, OSSL_PKEY_PARAM_EC_FIELD_TYPE, "prime-field") &&
           pkey_set_text(params, OSSL_PKEY_PARAM_EC_ENCODING, ec_name_of_encoding(&key->how)) &&
           pkey_set_text(params, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
                         ec_name_of_form(&key->how)) &&
           pkey_set_text(params, OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE, ec_name_of_check(&key->how));
}

static int numbers(const struct ec_key *key, OSSL_PARAM params[])
{
    return pkey_set_int(params, OSSL_PKEY_PARAM_BITS, key->curve->bits) &&
           pkey_set_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, key->curve->security) &&
           pkey_set_int(params, OSSL_PKEY_PARAM_MAX_SIZE, key->curve->signature_max) &&
           pkey_set_category(key->head.provider, params, 0) &&
           pkey_set_int(params, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, 0) &&
           pkey_set_int(params, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, 0) &&
           (!key->how.without_public || pkey_set_int(params, OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, 0));
}

int ec_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct ec_key *key = keydata;
    if (key->foreign)
        return pkey_libcrypto_of(key->head.provider)->EVP_PKEY_get_params(key->foreign, params) > 0;
    if (!key->curve)
        return RAISE(key->head.provider, PROV_R_NO_PARAMETERS_SET);
    if (!words(key, params) || !numbers(key, params))
        return 0;
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (!value_param(key, p))
            return 0;
    return 1;
}

/* ---- setting ---- */

const OSSL_PARAM *ec_settable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH),
        PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_ENCODING),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT),
        PARAM_OCTETS(OSSL_PKEY_PARAM_EC_SEED),
        PARAM_INT(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_EC_TAKEN, list);
}

/* become_foreign makes a key another provider's, for a change that only that one can keep. */
static int become_foreign(struct ec_key *key)
{
    EVP_PKEY *other = ec_foreign(key);
    if (!other)
        return 0;
    ec_key_forget(key);
    WIPE(&key->secret);
    key->foreign = other;
    key->curve = NULL;
    return 1;
}

static int set_foreign(struct ec_key *key, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(key->head.provider);
    /* EVP_PKEY_set_params takes a list that is not const, and reads it */
    const int good = ssl->EVP_PKEY_set_params(key->foreign, (OSSL_PARAM *)(uintptr_t)params);
    if (good > 0 && param_find(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY))
        key->head.has_public = 1;
    return good > 0;
}

/* set_encoded also takes the form in which the point came, as OpenSSL does. */
static int set_encoded(struct ec_key *key, const OSSL_PARAM params[])
{
    const void *bytes;
    size_t len;
    const OSSL_PARAM *p = param_find(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    if (!p)
        return 1;
    if (!param_get_octets(p, &bytes, &len) || !len)
        return 0;
    ec_key_forget(key);
    if (!ec_set_point(key, bytes, len))
        return RAISE_EC(key->head.provider, EC_R_POINT_IS_NOT_ON_CURVE);
    key->how.form = *(const uint8_t *)bytes & (uint8_t)~1;
    return 1;
}

static int set_others(struct ec_key *key, const OSSL_PARAM params[])
{
    int cofactor = 0, with_public = !key->how.without_public;
    if (!pkey_get_int(params, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, &cofactor) || cofactor < 0 ||
        cofactor > 1 || !pkey_get_int(params, OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, &with_public))
        return 0;
    key->how.without_public = !with_public;
    return ec_take_how(&key->how, params) || RAISE_EC(key->head.provider, EC_R_INVALID_FORM);
}

int ec_set_params(void *keydata, const OSSL_PARAM params[])
{
    struct ec_key *key = keydata;
    if (!key)
        return 0;
    if (!params || !params->key)
        return 1;
    if (key->curve && param_find(params, OSSL_PKEY_PARAM_EC_SEED) && !become_foreign(key))
        return 0;
    if (key->foreign)
        return set_foreign(key, params);
    return key->curve && set_encoded(key, params) && set_others(key, params);
}
