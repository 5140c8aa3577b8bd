/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenSSL provider's entry point, its algorithms, and its parameters (provider(7)). */
#define _GNU_SOURCE /* secure_getenv */
#include "provider.h"
#include "../stats.h"
#include "params.h"
#include "pkey/pkey.h"
#include <stdlib.h>
#include <strings.h>

/* ---- the parts that are made when they are first asked for ---- */

static void *found(const struct provider *provider, enum part part)
{
    return atomic_load_explicit(&provider->parts[part], memory_order_acquire);
}

/* keep makes `made` the part, unless another thread was first, and returns the part. */
static void *keep(const struct provider *provider, enum part part, void *made)
{
    void *first = NULL;
    if (!made || atomic_compare_exchange_strong(&provider->parts[part], &first, made))
        return made;
    free(made);
    return first;
}

void *part_of(const struct provider *provider, enum part part,
              void *(*make)(const struct provider *provider))
{
    void *there = found(provider, part);
    return there ? there : keep(provider, part, make(provider));
}

const OSSL_PARAM *param_list(const struct provider *provider, enum part part,
                             const struct param_spec specs[])
{
    size_t num = 0;
    if (found(provider, part))
        return found(provider, part);
    const unsigned release = win_release(provider);
    while (*specs[num].key)
        num++;
    OSSL_PARAM *list = calloc(num + 1, sizeof *list), *next = list; /* zeros are its end */
    for (const struct param_spec *s = specs; list && *s->key; s++)
        if (s->since <= release)
            *next++ = (OSSL_PARAM){ s->key, s->type, NULL, s->size, PARAM_NONE };
    return keep(provider, part, list);
}

/* find_libcrypto takes the core's context for a library context.  provider-base(7) says that a
 * provider should not, since they could be of two libcryptos.  Here all functions that take the
 * context are of the core's own libcrypto. */
static void *find_libcrypto(const struct provider *provider)
{
    struct libcrypto *libcrypto = calloc(1, sizeof *libcrypto);
    if (!libcrypto || !provider->get_libctx)
        return libcrypto;
    libcrypto->found = libcrypto_find(libcrypto, (void (*)(void))provider->get_libctx);
    if (libcrypto->found)
        libcrypto->libctx = (OSSL_LIB_CTX *)provider->get_libctx(provider->core);
    return libcrypto;
}

const struct libcrypto *libcrypto_of(const struct provider *provider)
{
    const struct libcrypto *libcrypto = part_of(provider, PART_LIBCRYPTO, find_libcrypto);
    return libcrypto && libcrypto->found ? libcrypto : NULL;
}

int param_once(const struct provider *provider, const OSSL_PARAM params[], const char *many)
{
    enum { REPEATED_PARAMETER = 252 }; /* a reason of OpenSSL 4 */
    const OSSL_PARAM *p = is_openssl_4(provider) ? params : NULL;
    while (p && p->key && (!param_find(p + 1, p->key) || (many && !strcmp(p->key, many))))
        p++;
    return !p || !p->key || RAISE(provider, REPEATED_PARAMETER);
}

static void *make_name(const struct provider *provider)
{
    enum { SIZE = 96 };
    char *name = malloc(SIZE);
    if (name)
        name_of_provider(name, SIZE);
    return name;
}

static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
    *no_cache = 0;
    return algorithms_of(provctx, operation);
}

/* ---- parameters ---- */

enum { NAME, VERSION, BUILDINFO, STATUS, STATS, STRICT, LEND, MAP, NUM_KEYS };

static const param_name keys[NUM_KEYS] = {
    [NAME] = OSSL_PROV_PARAM_NAME,
    [VERSION] = OSSL_PROV_PARAM_VERSION,
    [BUILDINFO] = OSSL_PROV_PARAM_BUILDINFO,
    [STATUS] = OSSL_PROV_PARAM_STATUS,
    [STATS] = "headrace.stats",
    [STRICT] = "headrace.strict",
    [LEND] = "headrace.lend",
    [MAP] = "headrace.map",
};

static const OSSL_PARAM *gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT_PTR(OSSL_PROV_PARAM_NAME),
        PARAM_TEXT_PTR(OSSL_PROV_PARAM_VERSION),
        PARAM_TEXT_PTR(OSSL_PROV_PARAM_BUILDINFO),
        PARAM_INT(OSSL_PROV_PARAM_STATUS),
        PARAM_TEXT("headrace.stats"),
        PARAM_INT("headrace.strict"),
        PARAM_INT("headrace.lend"),
        PARAM_INT("headrace.map"),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_PROVIDER, list);
}

static int set_stats(OSSL_PARAM *p)
{
    char text[STATS_TEXT_SIZE];
    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return 0; /* a pointer would dangle */
    stats_text(text, sizeof text);
    return param_set_text(p, text);
}

static int set_name(OSSL_PARAM *p, const struct provider *provider)
{
    const char *name = part_of(provider, PART_NAME, make_name);
    return name && param_set_text(p, name);
}

static int get_params(void *provctx, OSSL_PARAM params[])
{
    struct provider *provider = provctx;
    int good = 1;
    for (OSSL_PARAM *p = params; p && p->key; p++) {
        switch (param_key(p, keys, NUM_KEYS)) {
        case NAME:
            good &= set_name(p, provider);
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
        case LEND:
            good &= param_set_number(p, (uint64_t)provider->lends);
            break;
        case MAP:
            good &= param_set_number(p, (uint64_t)win_map(provider));
            break;
        }
    }
    return good;
}

/* ---- life ---- */

AT_START static void teardown(void *provctx)
{
    struct provider *provider = provctx;
    stats_close();
    for (size_t i = 0; i < NUM_PARTS; i++)
        free(atomic_load(&provider->parts[i]));
    free(provider);
}

static const OSSL_DISPATCH functions[] = {
    { OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown },
    { OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable },
    { OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
    { OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
    { OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))pkey_capabilities },
    { 0, NULL },
};

AT_START static void take_upcalls(struct provider *provider, const OSSL_DISPATCH *in)
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
        case OSSL_FUNC_BIO_GETS:
            provider->bio_gets = OSSL_FUNC_BIO_gets(in);
            break;
        case OSSL_FUNC_BIO_READ_EX:
            provider->bio_read_ex = OSSL_FUNC_BIO_read_ex(in);
            break;
        }
    }
}

/* configured returns the value of a name in the provider's section of openssl.cnf, or NULL.  An
 * empty value is none: a later part of the file can take back what an earlier one says. */
AT_START static const char *configured(const struct provider *provider, const char *name)
{
    char *value = NULL;
    OSSL_PARAM request[] = {
        { name, OSSL_PARAM_UTF8_PTR, &value, sizeof value, PARAM_NONE },
        PARAM_END,
    };
    if (!provider->get_params || !provider->get_params(provider->core, request))
        return NULL;
    return value && *value ? value : NULL;
}

AT_START static int says_yes(const char *value)
{
    static const char *const words[] = { "yes", "on", "true", "1" };
    for (size_t i = 0; value && i < COUNT(words); i++)
        if (!strcasecmp(value, words[i]))
            return 1;
    return 0;
}

AT_START HR_API int OSSL_provider_init(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in,
                                       const OSSL_DISPATCH **out, void **provctx)
{
    struct whole {
        struct provider provider;
        _Atomic(void *) parts[NUM_PARTS];
    } *whole = calloc(1, sizeof *whole);
    if (!whole)
        return 0;
    struct provider *provider = &whole->provider;
    provider->parts = whole->parts;
    provider->core = core;
    take_upcalls(provider, in);
    provider->strict =
        says_yes(configured(provider, "strict")) || says_yes(secure_getenv("HEADRACE_STRICT"));
    provider->lends = says_yes(configured(provider, "lend"));
    provider->wins = configured(provider, "win");
    provider->measured = configured(provider, "measured");
    provider->without = configured(provider, "without");
    provider->extra = configured(provider, "extra");
    stats_open("openssl", secure_getenv(HR_STATS_ENV));
    *out = functions;
    *provctx = provider;
    return 1;
}
