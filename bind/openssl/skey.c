/* SPDX-License-Identifier: Apache-2.0 */
/* EVP_SKEY of OpenSSL 3.5 and later (provider-skeymgmt(7)): keys of the accelerator as objects.
 * All are of the key type "HEADRACE"; the parameters or the service say for which row a key is. */
#include "handle.h"
#include "params.h"

#define PARAM_ALGORITHM "headrace-algorithm" /* a row's name: "AES-256-GCM", "HMAC-SHA-256" */
#define PARAM_RAW_BYTES "raw-bytes"
#define PARAM_KEY_LENGTH "key-length"

static const struct hr_algorithm *row_of(const struct provider *provider, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = param_find(params, PARAM_ALGORITHM);
    char name[64];
    const char *text;
    size_t len;
    if (p && param_get_text(p, &text, &len) && len < sizeof name) {
        memcpy(name, text, len);
        name[len] = '\0';
        const struct hr_algorithm *row = hr_algorithm_by_name(name);
        if (row)
            return row;
    }
    RAISE(provider, PROV_R_FAILED_TO_GET_PARAMETER);
    return NULL;
}

/* skey_import takes the name of a key in the service, or the bytes of a key for a row. */
static void *skey_import(void *provctx, int selection, const OSSL_PARAM params[])
{
    const OSSL_PARAM *name = param_find(params, HANDLE_PARAM);
    const OSSL_PARAM *raw = param_find(params, PARAM_RAW_BYTES);
    const void *bytes;
    size_t len;
    if (name)
        return handle_open(provctx, name);
    const struct hr_algorithm *row = row_of(provctx, params);
    if (!row || !raw || !param_get_octets(raw, &bytes, &len))
        return NULL;
    return handle_import(provctx, row->alg, bytes, len);
}

/* skey_generate uses the row's key length, or else its output length, if "key-length" is not
 * given. */
static void *skey_generate(void *provctx, const OSSL_PARAM params[])
{
    const OSSL_PARAM *length = param_find(params, PARAM_KEY_LENGTH);
    const struct hr_algorithm *row = row_of(provctx, params);
    uint64_t len = row ? row->key_len : 0;
    if (!row || (length && !param_get_number(length, &len)))
        return NULL;
    return handle_generate(provctx, row->alg, len ? len : row->out_len);
}

/* skey_export always fails: the bytes of such a key never leave the service. */
static int skey_export(void *key, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct handle *handle = key;
    return RAISE(handle->provider, PROV_R_NOT_SUPPORTED);
}

static const char *skey_id(void *key)
{
    return ((const struct handle *)key)->id;
}

static void skey_free(void *key)
{
    handle_release(key);
}

static const OSSL_PARAM *skey_import_settable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(HANDLE_PARAM),
        PARAM_TEXT(PARAM_ALGORITHM),
        PARAM_OCTETS(PARAM_RAW_BYTES),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_SKEY_IMPORT, list);
}

static const OSSL_PARAM *skey_generate_settable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(PARAM_ALGORITHM),
        PARAM_SIZE(PARAM_KEY_LENGTH),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_SKEY_GENERATE, list);
}

static const OSSL_DISPATCH skey_functions[] = {
    FUNCTION(SKEYMGMT_FREE, skey_free),
    FUNCTION(SKEYMGMT_IMPORT, skey_import),
    FUNCTION(SKEYMGMT_EXPORT, skey_export),
    FUNCTION(SKEYMGMT_GENERATE, skey_generate),
    FUNCTION(SKEYMGMT_GET_KEY_ID, skey_id),
    FUNCTION(SKEYMGMT_IMP_SETTABLE_PARAMS, skey_import_settable),
    FUNCTION(SKEYMGMT_GEN_SETTABLE_PARAMS, skey_generate_settable),
    { 0, NULL },
};

const OSSL_ALGORITHM skey_rows[2] = {
    { "HEADRACE", HANDLE_PROPERTY, skey_functions, "Headrace keys on the accelerator" },
    { NULL, NULL, NULL, NULL },
};
