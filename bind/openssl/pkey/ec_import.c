/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an EC key of parameters.  Values that the library cannot take as they are make the key a
 * foreign one, so that what the default provider accepts is accepted, and what it refuses is
 * refused with its own errors. */
#include "ec.h"
#include <stdlib.h>
#include <strings.h>

/* ---- words ---- */

/* has_word sets *value to the number of the parameter's word in a list, and returns 1, also if the
 * parameter is absent; 0 if the word is unknown. */
static int has_word(const OSSL_PARAM params[], const char *key, const char *const words[],
                    const uint8_t values[], size_t num, uint8_t *value)
{
    const OSSL_PARAM *p = param_find(params, key);
    const char *text;
    size_t len;
    if (!p)
        return 1;
    if (p->data_type == OSSL_PARAM_UTF8_PTR && p->data) {
        memcpy(&text, p->data, sizeof text);
        len = text ? strlen(text) : 0;
    } else if (!param_get_text(p, &text, &len)) {
        return 0;
    }
    for (size_t i = 0; i < num; i++)
        if (text && len == strlen(words[i]) && !strncasecmp(words[i], text, len)) {
            *value = values[i];
            return 1;
        }
    return 0;
}

int ec_take_how(struct ec_how *how, const OSSL_PARAM params[])
{
    static const uint8_t forms[] = { EC_UNCOMPRESSED, EC_COMPRESSED, EC_HYBRID };
    static const uint8_t encodings[] = { EC_EXPLICIT, EC_NAMED };
    static const uint8_t checks[] = { EC_CHECK_DEFAULT, EC_CHECK_NAMED, EC_CHECK_NIST };
    const char *const form[] = { "uncompressed", "compressed", "hybrid" };
    const char *const encoding[] = { "explicit", "named_curve" };
    const char *const check[] = { "default", "named", "named-nist" };
    return has_word(params, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, form, forms, 3,
                    &how->form) &&
           has_word(params, OSSL_PKEY_PARAM_EC_ENCODING, encoding, encodings, 2, &how->encoding) &&
           has_word(params, OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE, check, checks, 3, &how->check);
}

/* ---- points ---- */

/* decompress lets the library find Y. */
static int decompress(const struct ec_curve *curve, uint8_t *point, const uint8_t *bytes,
                      size_t len)
{
    struct hr_sign_key *public = pkey_aligned(hr_sign_key_size(curve->sign));
    size_t point_len = ec_point_len(curve);
    const int good = public && !hr_sign_key_init_public(public, curve->sign, bytes, len) &&
                     !hr_sign_key_public(point, &point_len, public) &&
                     point_len == ec_point_len(curve);
    free(public);
    return good;
}

/* take_whole takes X and Y.  The hybrid form says Y's lowest bit twice. */
static int take_whole(const struct ec_curve *curve, uint8_t *point, const uint8_t *bytes,
                      size_t len)
{
    if ((bytes[0] & 6) == EC_HYBRID && (bytes[0] & 1) != (bytes[len - 1] & 1))
        return 0;
    memcpy(point, bytes, len);
    point[0] = EC_UNCOMPRESSED;
    return !hr_agree_check(curve->agree, point, len);
}

int ec_set_point(struct ec_key *key, const uint8_t *bytes, size_t len)
{
    const size_t whole = ec_point_len(key->curve), half = 1 + (size_t)key->curve->bytes;
    uint8_t point[EC_MAX_POINT];
    int good = 0;
    if (len == half && (bytes[0] & ~1) == EC_COMPRESSED)
        good = decompress(key->curve, point, bytes, len);
    else if (len == whole && (bytes[0] == EC_UNCOMPRESSED || (bytes[0] & ~1) == EC_HYBRID))
        good = take_whole(key->curve, point, bytes, len);
    if (!good)
        return 0;
    memcpy(key->point, point, whole);
    return key->head.has_public = 1;
}

/* ---- keys ---- */

static int take_public(struct ec_key *key, const OSSL_PARAM params[])
{
    const void *bytes;
    size_t len;
    const OSSL_PARAM *p = param_find(params, OSSL_PKEY_PARAM_PUB_KEY);
    return !p || (param_get_octets(p, &bytes, &len) && len && ec_set_point(key, bytes, len));
}

static int take_private(struct ec_key *key, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = param_find(params, OSSL_PKEY_PARAM_PRIV_KEY);
    if (!p)
        return 1;
    key->head.has_private = (uint8_t)(pkey_get_number(p, key->secret, key->curve->bytes) &&
                                      ec_curve_has_scalar(key->curve, key->secret));
    return key->head.has_private;
}

/* take_others takes what does not concern the values.  The cofactor flag has no effect where the
 * cofactor is 1. */
static int take_others(struct ec_key *key, const OSSL_PARAM params[])
{
    int cofactor = 0, with_public = !key->how.without_public;
    if (!pkey_get_int(params, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, &cofactor) || cofactor < 0 ||
        cofactor > 1 || !pkey_get_int(params, OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, &with_public))
        return 0;
    key->how.without_public = !with_public;
    return 1;
}

static int take_ours(struct ec_key *key, int selection, const OSSL_PARAM params[])
{
    char name[16];
    int was_explicit = 0;
    const OSSL_PARAM *p = param_find(params, OSSL_PKEY_PARAM_GROUP_NAME);
    if (!p || !pkey_get_text(params, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name) ||
        !pkey_get_int(params, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &was_explicit) ||
        was_explicit || !ec_take_how(&key->how, params))
        return 0;
    key->curve = ec_curve_named(key->head.provider, name);
    return key->curve && (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR) || take_public(key, params)) &&
           (!(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) || take_private(key, params)) &&
           (!(selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS) || take_others(key, params));
}

/* completes tells whether a private key that comes alone gets its public key, as OpenSSL has
 * computed it since release 4.0. */
static int completes(const struct ec_key *key)
{
    return is_openssl_4(key->head.provider);
}

static int complete(struct ec_key *key)
{
    if (key->head.has_private && !key->head.has_public && completes(key))
        key->head.has_public = (uint8_t)ec_key_compute_point(key->point, key);
    return 1;
}

/* take_foreign forgets what was taken before. */
static int take_foreign(struct ec_key *key, int selection, const OSSL_PARAM params[])
{
    key->curve = NULL;
    WIPE(&key->secret);
    key->foreign = other_import(key->head.provider, "EC", selection, params);
    key->head.has_private = key->foreign && selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY &&
                            param_find(params, OSSL_PKEY_PARAM_PRIV_KEY);
    key->head.has_public =
        key->foreign && selection & OSSL_KEYMGMT_SELECT_KEYPAIR &&
        (param_find(params, OSSL_PKEY_PARAM_PUB_KEY) || (key->head.has_private && completes(key)));
    return key->foreign != NULL;
}

/* ec_import takes no values without the curve that they are of, as OpenSSL. */
int ec_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct ec_key *key = keydata;
    if (!key || key->curve || key->foreign || !(selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS))
        return 0;
    return (take_ours(key, selection, params) && complete(key)) ||
           take_foreign(key, selection, params);
}
