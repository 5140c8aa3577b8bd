/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenSSL provider's entry point, its algorithms, and its parameters (provider(7)). */
#define _GNU_SOURCE /* secure_getenv */
#include "provider.h"
#include "../stats.h"
#include "handle.h"
#include "params.h"
#include <stdlib.h>
#include <strings.h>

/* ---- the algorithms that it offers ---- */

/* properties is indexed by whether the row is a measured win.  The strings live as long as the
 * module. */
static const char *const properties[] = {
    "provider=headrace,headrace.win=no",
    "provider=headrace,headrace.win=yes",
};

/* offer adds the rows of a class, without checksums: OpenSSL would take them for cryptographic
 * digests.  It returns the place for the next class. */
static OSSL_ALGORITHM *offer(const struct provider *provider, OSSL_ALGORITHM *out,
                             const OSSL_ALGORITHM *rows, enum hr_class cls, const char *wins)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == cls && !(row->flags & HR_CHECKSUM_ONLY)) {
            *out = *rows++;
            const int left = provider->strict && cipher_row_is_des((enum row_index)i);
            out++->property_definition = properties[!left && win_of_provider(row->symbol, wins)];
        }
    *out = (OSSL_ALGORITHM){ NULL, NULL, NULL, NULL };
    return out;
}

/* offer_handles adds the implementations with keys on the accelerator, which a program finds by
 * their own property only.  They come last, so that OpenSSL prefers the others. */
static OSSL_ALGORITHM *offer_handles(OSSL_ALGORITHM *out, const OSSL_ALGORITHM *rows, size_t num)
{
    for (size_t i = 0; i < num; i++)
        *out++ = rows[i];
    *out = (OSSL_ALGORITHM){ NULL, NULL, NULL, NULL };
    return out;
}

/* offer_wrap adds DES3-WRAP, which is a win only if the configured list says so: it was not
 * measured. */
static OSSL_ALGORITHM *offer_wrap(const struct provider *provider, OSSL_ALGORITHM *out,
                                  const char *wins)
{
    *out = wrap_row;
    out++->property_definition =
        properties[!provider->strict && wins && win_of_provider("des3_wrap", wins)];
    return out;
}

/* offer_macs adds the MACs; GMAC is a win if each of its rows is. */
static void offer_macs(struct provider *provider, const char *wins, int with_gmac)
{
    static const enum row_index rows[NUM_MACS] = { INDEX_aes_128_gmac, INDEX_poly1305,
                                                   INDEX_poly1305_aes, INDEX_kasumi_f9 };
    const int gmac_wins =
        win_of_provider("aes_192_gmac", wins) && win_of_provider("aes_256_gmac", wins);
    OSSL_ALGORITHM *out = provider->macs;
    for (size_t i = with_gmac ? 0 : 1; i < NUM_MACS; i++) {
        const int win = win_of_provider(hr_algorithm_at(rows[i])->symbol, wins) && (i || gmac_wins);
        *out = mac_rows[i];
        out++->property_definition = properties[win];
    }
    offer_handles(out, handle_mac_rows, COUNT(handle_mac_rows));
}

static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
    struct provider *provider = provctx;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_DIGEST:
        return provider->digests;
    case OSSL_OP_CIPHER:
        return provider->ciphers;
    case OSSL_OP_MAC:
        return provider->macs;
    case OSSL_OP_KDF:
        return provider->kdfs;
    case OP_SKEYMGMT:
        return skey_rows;
    default:
        return NULL;
    }
}

/* ---- parameters ---- */

enum { NAME, VERSION, BUILDINFO, STATUS, STATS, STRICT, NUM_KEYS };

static const char *const keys[NUM_KEYS] = {
    [NAME] = OSSL_PROV_PARAM_NAME,
    [VERSION] = OSSL_PROV_PARAM_VERSION,
    [BUILDINFO] = OSSL_PROV_PARAM_BUILDINFO,
    [STATUS] = OSSL_PROV_PARAM_STATUS,
    [STATS] = "headrace.stats",
    [STRICT] = "headrace.strict",
};

static const OSSL_PARAM *gettable(void *provctx)
{
    static const OSSL_PARAM list[] = {
        PARAM_TEXT_PTR(OSSL_PROV_PARAM_NAME),
        PARAM_TEXT_PTR(OSSL_PROV_PARAM_VERSION),
        PARAM_TEXT_PTR(OSSL_PROV_PARAM_BUILDINFO),
        PARAM_INT(OSSL_PROV_PARAM_STATUS),
        PARAM_TEXT("headrace.stats"),
        PARAM_INT("headrace.strict"),
        PARAM_END,
    };
    return list;
}

static int set_stats(OSSL_PARAM *p)
{
    char text[STATS_TEXT_SIZE];
    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return 0; /* a pointer would dangle */
    stats_text(text, sizeof text);
    return param_set_text(p, text);
}

static int get_params(void *provctx, OSSL_PARAM params[])
{
    struct provider *provider = provctx;
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key; p++) {
        switch (param_key(p, keys, NUM_KEYS)) {
        case NAME:
            good &= param_set_text(p, provider->name);
            break;
        case VERSION:
            good &= param_set_text(p, hr_version());
            break;
        case BUILDINFO:
            good &= param_set_text(p, "headrace " HR_VERSION);
            break;
        case STATUS:
            good &= param_set_number(p, 1);
            break;
        case STATS:
            good &= set_stats(p);
            break;
        case STRICT:
            good &= param_set_number(p, (uint64_t)provider->strict);
            break;
        }
    }
    return good;
}

/* ---- life ---- */

static void teardown(void *provctx)
{
    stats_close();
    free(provctx);
}

static const OSSL_DISPATCH functions[] = {
    { OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown },
    { OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable },
    { OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
    { OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
    { 0, NULL },
};

static void take_upcalls(struct provider *provider, const OSSL_DISPATCH *in)
{
    for (; in->function_id; in++) {
        switch (in->function_id) {
        case OSSL_FUNC_CORE_GET_PARAMS:
            provider->get_params = OSSL_FUNC_core_get_params(in);
            break;
        case OSSL_FUNC_CORE_GET_LIBCTX:
            provider->get_libctx = OSSL_FUNC_core_get_libctx(in);
            break;
        case OSSL_FUNC_CORE_NEW_ERROR:
            provider->new_error = OSSL_FUNC_core_new_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            provider->set_error_debug = OSSL_FUNC_core_set_error_debug(in);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            provider->vset_error = OSSL_FUNC_core_vset_error(in);
            break;
        }
    }
}

/* provider-base(7) says that a provider should not use the core's context as a library context,
 * since they could be of two libcryptos.  Here all functions that take the context are of the
 * core's own libcrypto. */
static int find_libcrypto(struct provider *provider)
{
    if (!provider->get_libctx ||
        !libcrypto_find(&provider->libcrypto, (void (*)(void))provider->get_libctx))
        return 0;
    provider->libcrypto.libctx = (OSSL_LIB_CTX *)provider->get_libctx(provider->core);
    return 1;
}

/* configured returns the value of a name in the provider's section of openssl.cnf, or NULL. */
static const char *configured(const struct provider *provider, const char *name)
{
    char *value = NULL;
    OSSL_PARAM request[] = {
        { name, OSSL_PARAM_UTF8_PTR, &value, sizeof value, PARAM_NONE },
        PARAM_END,
    };
    if (!provider->get_params || !provider->get_params(provider->core, request))
        return NULL;
    return value;
}

static int says_yes(const char *value)
{
    static const char *const words[] = { "yes", "on", "true", "1" };
    for (size_t i = 0; value && i < COUNT(words); i++)
        if (!strcasecmp(value, words[i]))
            return 1;
    return 0;
}

static void offer_all(struct provider *provider, const char *wins)
{
    const int found = find_libcrypto(provider);
    OSSL_ALGORITHM *at = provider->ciphers;
    offer(provider, provider->digests, digest_rows, HR_CLASS_DIGEST, wins);
    at = offer(provider, at, cipher_rows, HR_CLASS_CIPHER, wins);
    at = offer_wrap(provider, at, wins);
    at = offer(provider, at, aead_rows, HR_CLASS_AEAD, wins);
    at = offer(provider, at, xts_rows, HR_CLASS_XTS, wins);
    at = offer_handles(at, handle_cipher_rows, COUNT(handle_cipher_rows));
    offer_handles(at, handle_aead_rows, COUNT(handle_aead_rows));
    offer_macs(provider, wins, found);
    if (found)
        offer(provider, provider->kdfs, kdf_rows, HR_CLASS_KDF, wins);
}

HR_API int OSSL_provider_init(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in,
                              const OSSL_DISPATCH **out, void **provctx)
{
    struct provider *provider = calloc(1, sizeof *provider);
    if (!provider)
        return 0;
    provider->core = core;
    take_upcalls(provider, in);
    provider->strict =
        says_yes(configured(provider, "strict")) || says_yes(secure_getenv("HEADRACE_STRICT"));
    offer_all(provider, configured(provider, "win"));
    name_of_provider(provider->name, sizeof provider->name);
    stats_open("openssl");
    *out = functions;
    *provctx = provider;
    return 1;
}
