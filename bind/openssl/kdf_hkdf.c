/* SPDX-License-Identifier: Apache-2.0 */
/* EVP_KDF-HKDF(7): RFC 5869, both steps or one of them. */
#include "kdf.h"
#include "params.h"
#include <stdlib.h>
#include <strings.h>

/* EVP_KDF_HKDF_MODE_... of openssl/kdf.h */
enum hkdf_mode { EXTRACT_AND_EXPAND, EXTRACT_ONLY, EXPAND_ONLY, NUM_MODES };

static const char *const mode_names[NUM_MODES] = {
    [EXTRACT_AND_EXPAND] = "EXTRACT_AND_EXPAND",
    [EXTRACT_ONLY] = "EXTRACT_ONLY",
    [EXPAND_ONLY] = "EXPAND_ONLY",
};

enum { MAX_INFO = 32 * 1024 }; /* bytes of all parts together, as in OpenSSL */

static void *hkdf_newctx(void *provctx)
{
    return kdf_new(provctx, INDEX_hkdf);
}

static void hkdf_reset(void *ctx)
{
    struct kdf *k = ctx;
    kdf_clear(k);
    k->mode = EXTRACT_AND_EXPAND;
}

/* ---- parameters ---- */

static const OSSL_PARAM *hkdf_settable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(OSSL_KDF_PARAM_MODE),       PARAM_INT(OSSL_KDF_PARAM_MODE),
        PARAM_TEXT(OSSL_KDF_PARAM_PROPERTIES), PARAM_TEXT(OSSL_KDF_PARAM_DIGEST),
        PARAM_OCTETS(OSSL_KDF_PARAM_KEY),      PARAM_OCTETS(OSSL_KDF_PARAM_SALT),
        PARAM_OCTETS(OSSL_KDF_PARAM_INFO),     PARAM_LIST_END,
    };
    return param_list(provctx, LIST_HKDF_TAKEN, list);
}

/* read_mode returns the mode that a number or a name means, or NUM_MODES. */
static int read_mode(const OSSL_PARAM *p)
{
    int64_t value;
    const char *text;
    size_t len;
    if (p->data_type == OSSL_PARAM_UTF8_STRING) {
        int mode = 0;
        if (!param_get_text(p, &text, &len))
            return NUM_MODES;
        while (mode < NUM_MODES &&
               (strlen(mode_names[mode]) != len || strncasecmp(mode_names[mode], text, len)))
            mode++;
        return mode;
    }
    return param_get_signed(p, &value) && value >= 0 && value < NUM_MODES ? (int)value : NUM_MODES;
}

static int take_mode(struct kdf *k, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = param_find(params, OSSL_KDF_PARAM_MODE);
    if (!p)
        return 1;
    const int mode = read_mode(p);
    if (mode == NUM_MODES)
        return RAISE(k->provider, PROV_R_INVALID_MODE);
    k->mode = mode;
    return 1;
}

/* take_key takes an empty key, but refuses NULL. */
static int take_key(struct kdf *k, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = param_find(params, OSSL_KDF_PARAM_KEY);
    if (p && !p->data)
        kdf_bytes_wipe(&k->secret);
    return (!p || p->data) && kdf_take_octets(&k->secret, params, OSSL_KDF_PARAM_KEY);
}

/* take_info concatenates all parameters "info" of a list. */
static int take_info(struct kdf *k, const OSSL_PARAM params[])
{
    const void *bytes;
    size_t len, total = 0;
    const OSSL_PARAM *const first = param_find(params, OSSL_KDF_PARAM_INFO);
    if (first)
        kdf_bytes_wipe(&k->info); /* the old info is forgotten even if the new one is refused */
    for (const OSSL_PARAM *p = first; p; p = param_find(p + 1, OSSL_KDF_PARAM_INFO)) {
        if (!param_get_octets(p, &bytes, &len) || len > MAX_INFO - total)
            return 0;
        total += len;
    }
    uint8_t *info = malloc(total ? total : 1);
    if (!first || !info) {
        free(info);
        return !first;
    }
    total = 0;
    for (const OSSL_PARAM *p = first; p; p = param_find(p + 1, OSSL_KDF_PARAM_INFO)) {
        if (p->data_size)
            memcpy(info + total, p->data, p->data_size);
        total += p->data_size;
    }
    k->info = (struct kdf_bytes){ info, total };
    return 1;
}

static int hkdf_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    struct kdf *k = ctx;
    if (!param_once(k->provider, params, OSSL_KDF_PARAM_INFO) || !kdf_take_digest(k, params) ||
        !take_mode(k, params))
        return 0;
    return (take_key(k, params) && kdf_take_octets(&k->salt, params, OSSL_KDF_PARAM_SALT) &&
            take_info(k, params)) ||
           RAISE(k->provider, PROV_R_FAILED_TO_GET_PARAMETER);
}

static const OSSL_PARAM *hkdf_gettable(void *ctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_SIZE(OSSL_KDF_PARAM_SIZE),
        PARAM_OCTETS(OSSL_KDF_PARAM_INFO),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_HKDF_GOT, list);
}

/* hkdf_size returns the number of bytes that one call derives: the digest's length if it only
 * extracts, else SIZE_MAX, for any number up to a limit.  It returns 0 with an error raised if the
 * length is not known. */
static size_t hkdf_size(const struct kdf *k)
{
    if (k->mode != EXTRACT_ONLY)
        return SIZE_MAX;
    if (k->digest == KDF_DIGEST_NONE)
        return (size_t)RAISE(k->provider, PROV_R_MISSING_MESSAGE_DIGEST);
    return k->digest == KDF_DIGEST_OURS ? hr_algorithm(k->hmac)->out_len : kdf_other_size(k);
}

static int hkdf_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    struct kdf *k = ctx;
    OSSL_PARAM *size = (OSSL_PARAM *)param_find(params, OSSL_KDF_PARAM_SIZE);
    OSSL_PARAM *info = (OSSL_PARAM *)param_find(params, OSSL_KDF_PARAM_INFO);
    if (size) {
        const size_t value = hkdf_size(k);
        if (!value)
            return 0;
        if (!param_set_number(size, value))
            return RAISE(k->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    }
    if (info && (info->data_type != OSSL_PARAM_OCTET_STRING ||
                 !param_set_octets(info, k->info.at, k->info.len)))
        return RAISE(k->provider, PROV_R_FAILED_TO_SET_PARAMETER);
    return 1;
}

/* ---- derivation ---- */

static int run(const struct kdf *k, unsigned char *out, size_t out_len)
{
    switch (k->mode) {
    case EXTRACT_ONLY:
        return hr_hkdf_extract(out, k->hmac, k->salt.at, k->salt.len, k->secret.at, k->secret.len);
    case EXPAND_ONLY:
        return hr_hkdf_expand(out, out_len, k->hmac, k->secret.at, k->secret.len, k->info.at,
                              k->info.len);
    default:
        return hr_hkdf(out, out_len, k->hmac, k->salt.at, k->salt.len, k->secret.at, k->secret.len,
                       k->info.at, k->info.len);
    }
}

static int hkdf_derive(void *ctx, unsigned char *out, size_t out_len, const OSSL_PARAM params[])
{
    struct kdf *k = ctx;
    if (!hkdf_set_ctx_params(k, params))
        return 0;
    if (k->digest == KDF_DIGEST_NONE)
        return RAISE(k->provider, PROV_R_MISSING_MESSAGE_DIGEST);
    if (!k->secret.at)
        return RAISE(k->provider, PROV_R_MISSING_KEY);
    if (!out_len)
        return RAISE(k->provider, PROV_R_INVALID_KEY_LENGTH);
    if (k->digest == KDF_DIGEST_OTHER)
        return kdf_other_derive(k, out, out_len);
    if (k->mode == EXTRACT_ONLY && out_len != hkdf_size(k))
        return RAISE(k->provider, PROV_R_WRONG_OUTPUT_BUFFER_SIZE);
    const int error = run(k, out, out_len);
    if (error == HR_ELENGTH)
        return 0; /* OpenSSL raises no error here */
    return kdf_done(k, error, out_len);
}

const OSSL_DISPATCH hkdf_functions[] = {
    FUNCTION(OSSL_FUNC_KDF_NEWCTX, hkdf_newctx),
    FUNCTION(OSSL_FUNC_KDF_DUPCTX, kdf_dup),
    FUNCTION(OSSL_FUNC_KDF_FREECTX, kdf_free),
    FUNCTION(OSSL_FUNC_KDF_RESET, hkdf_reset),
    FUNCTION(OSSL_FUNC_KDF_DERIVE, hkdf_derive),
    FUNCTION(OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS, hkdf_settable),
    FUNCTION(OSSL_FUNC_KDF_SET_CTX_PARAMS, hkdf_set_ctx_params),
    FUNCTION(OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS, hkdf_gettable),
    FUNCTION(OSSL_FUNC_KDF_GET_CTX_PARAMS, hkdf_get_ctx_params),
    { 0, NULL },
};
