/* SPDX-License-Identifier: Apache-2.0 */
/* EVP_KDF-PBKDF2(7): RFC 8018 section 5.2, with the lower bounds of SP 800-132 where "pkcs5" is 0.
 */
#include "kdf.h"
#include "params.h"
#include <headrace/algorithms.h>
#include <limits.h>

/* The lower bounds of SP 800-132, in bytes: a salt of 128 bits (section 5.1), 1,000 iterations
 * (section 5.2), keys of 112 bits (section 5). */
enum { LEAST_SALT = 16, LEAST_ITERATIONS = 1000, LEAST_KEY = 14 };

/* set_defaults sets OpenSSL's defaults: HMAC-SHA-1 as in RFC 8018, 2,048 iterations, no lower
 * bounds. */
static void set_defaults(struct kdf *k)
{
    k->digest = KDF_DIGEST_OURS;
    k->hmac = HR_HMAC_SHA1;
    k->iterations = 2048;
    k->pkcs5 = 1;
}

static void *pbkdf2_newctx(void *provctx)
{
    struct kdf *k = kdf_new(provctx, INDEX_pbkdf2);
    if (k)
        set_defaults(k);
    return k;
}

static void pbkdf2_reset(void *ctx)
{
    kdf_clear(ctx);
    set_defaults(ctx);
}

/* ---- parameters ---- */

static const OSSL_PARAM *pbkdf2_settable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(OSSL_KDF_PARAM_PROPERTIES),
        PARAM_TEXT(OSSL_KDF_PARAM_DIGEST),
        PARAM_OCTETS(OSSL_KDF_PARAM_PASSWORD),
        PARAM_OCTETS(OSSL_KDF_PARAM_SALT),
        PARAM_UINT64(OSSL_KDF_PARAM_ITER),
        PARAM_INT(OSSL_KDF_PARAM_PKCS5),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_PBKDF2_TAKEN, list);
}

static int salt_is_long_enough(const struct kdf *k, size_t len)
{
    return k->pkcs5 || len >= LEAST_SALT || RAISE(k->provider, PROV_R_INVALID_SALT_LENGTH);
}

static int iterations_suffice(const struct kdf *k, uint64_t iterations)
{
    const uint64_t least = k->pkcs5 ? 1 : LEAST_ITERATIONS;
    return iterations >= least || RAISE(k->provider, PROV_R_INVALID_ITERATION_COUNT);
}

static int take_pkcs5(struct kdf *k, const OSSL_PARAM params[])
{
    int64_t value;
    const OSSL_PARAM *p = param_find(params, OSSL_KDF_PARAM_PKCS5);
    if (!p)
        return 1;
    if (!param_get_signed(p, &value) || value < INT_MIN || value > INT_MAX)
        return RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    k->pkcs5 = value != 0;
    return 1;
}

static int take_salt(struct kdf *k, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = param_find(params, OSSL_KDF_PARAM_SALT);
    if (p && !salt_is_long_enough(k, p->data_size))
        return 0;
    return kdf_take_octets(&k->salt, params, OSSL_KDF_PARAM_SALT) ||
           RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
}

static int take_iterations(struct kdf *k, const OSSL_PARAM params[])
{
    uint64_t value;
    const OSSL_PARAM *p = param_find(params, OSSL_KDF_PARAM_ITER);
    if (!p)
        return 1;
    if (!param_get_number(p, &value))
        return RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    if (!iterations_suffice(k, value))
        return 0;
    k->iterations = value;
    return 1;
}

/* pbkdf2_set_ctx_params takes "pkcs5" before the salt and the iterations, whose bounds depend on
 * it. */
static int pbkdf2_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct kdf *k = ctx;
    if (!param_once(k->provider, params, NULL) || !kdf_take_digest(k, params) ||
        !take_pkcs5(k, params))
        return 0;
    if (!kdf_take_octets(&k->secret, params, OSSL_KDF_PARAM_PASSWORD))
        return RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return take_salt(k, params) && take_iterations(k, params);
}

static const OSSL_PARAM *pbkdf2_gettable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = { PARAM_SIZE(OSSL_KDF_PARAM_SIZE), PARAM_LIST_END };
    return param_list(provctx, LIST_PBKDF2_GOT, list);
}

/* pbkdf2_get_ctx_params answers SIZE_MAX: any length can be derived. */
static int pbkdf2_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    const struct kdf *k = ctx;
    static const param_name keys[] = { OSSL_KDF_PARAM_SIZE };
    static const uint64_t values[] = { SIZE_MAX };
    return param_set_numbers(params, keys, values, 1) ||
           RAISE(k->provider, PROV_R_FAILED_TO_SET_PARAMETER);
}

/* ---- derivation ---- */

/* within_bounds checks salt and iterations again, since "pkcs5" may have been set after them. */
static int within_bounds(const struct kdf *k, size_t out_len)
{
    if (!k->pkcs5 && out_len < LEAST_KEY)
        return RAISE(k->provider, PROV_R_KEY_SIZE_TOO_SMALL);
    return salt_is_long_enough(k, k->salt.len) && iterations_suffice(k, k->iterations);
}

static int pbkdf2_derive(void *ctx, unsigned char *out, size_t out_len, const OSSL_PARAM params[])
{
    struct kdf *k = ctx;
    if (!pbkdf2_set_ctx_params(k, params))
        return 0;
    if (!k->secret.at)
        return RAISE(k->provider, PROV_R_MISSING_PASS);
    if (!k->salt.at)
        return RAISE(k->provider, PROV_R_MISSING_SALT);
    if (k->digest == KDF_DIGEST_NONE)
        return RAISE(k->provider, PROV_R_MISSING_MESSAGE_DIGEST);
    if (!within_bounds(k, out_len))
        return 0;
    if (k->digest == KDF_DIGEST_OTHER)
        return kdf_other_derive(k, out, out_len);
    return kdf_done(k,
                    hr_pbkdf2(out, out_len, k->hmac, k->secret.at, k->secret.len, k->salt.at,
                              k->salt.len, k->iterations),
                    out_len);
}

const OSSL_DISPATCH pbkdf2_functions[] = {
    FUNCTION(OSSL_FUNC_KDF_NEWCTX, pbkdf2_newctx),
    FUNCTION(OSSL_FUNC_KDF_DUPCTX, kdf_dup),
    FUNCTION(OSSL_FUNC_KDF_FREECTX, kdf_free),
    FUNCTION(OSSL_FUNC_KDF_RESET, pbkdf2_reset),
    FUNCTION(OSSL_FUNC_KDF_DERIVE, pbkdf2_derive),
    FUNCTION(OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS, pbkdf2_settable),
    FUNCTION(OSSL_FUNC_KDF_SET_CTX_PARAMS, pbkdf2_set_ctx_params),
    FUNCTION(OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS, pbkdf2_gettable),
    FUNCTION(OSSL_FUNC_KDF_GET_CTX_PARAMS, pbkdf2_get_ctx_params),
    { 0, NULL },
};
