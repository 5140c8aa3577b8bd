/* SPDX-License-Identifier: Apache-2.0 */
/* Makes EC keys and parameters.  The generation is passed on to another provider as soon as a
 * parameter asks for what the library does not have. */
#include "ec.h"
#include <stdlib.h>

struct generation {
    const struct provider *provider;
    const struct ec_curve *curve;
    EVP_PKEY_CTX *foreign;
    struct ec_how how;
    int selection, cofactor;
};

/* ---- another provider's ---- */

static int begin_foreign(struct generation *g, EVP_PKEY_CTX *ctx)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(g->provider);
    ssl->EVP_PKEY_CTX_free(g->foreign);
    g->foreign = ctx;
    return ctx &&
           (g->selection & OSSL_KEYMGMT_SELECT_KEYPAIR ? ssl->EVP_PKEY_keygen_init(ctx)
                                                       : ssl->EVP_PKEY_paramgen_init(ctx)) > 0;
}

static OSSL_PARAM text(const char *key, const char *value)
{
    OSSL_PARAM p = { key, OSSL_PARAM_UTF8_STRING, NULL, strlen(value), PARAM_NONE };
    memcpy(&p.data, &value, sizeof value);
    return p;
}

/* tell_foreign repeats what was set before the first parameter that the library does not have. */
static int tell_foreign(struct generation *g)
{
    OSSL_PARAM params[6], *next = params;
    if (g->curve)
        *next++ = text(OSSL_PKEY_PARAM_GROUP_NAME, g->curve->name);
    *next++ = text(OSSL_PKEY_PARAM_EC_ENCODING, ec_name_of_encoding(&g->how));
    *next++ = text(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, ec_name_of_form(&g->how));
    if (g->how.check) /* OpenSSL 3.0 never frees the text that it copies */
        *next++ = text(OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE, ec_name_of_check(&g->how));
    *next++ = (OSSL_PARAM){ OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, OSSL_PARAM_INTEGER, &g->cofactor,
                            sizeof g->cofactor, PARAM_NONE };
    *next = (OSSL_PARAM)PARAM_END;
    return pkey_libcrypto_of(g->provider)->EVP_PKEY_CTX_set_params(g->foreign, params) > 0;
}

static int set_foreign(struct generation *g, const OSSL_PARAM params[])
{
    if (!g->foreign && !(begin_foreign(g, other_begin(g->provider, "EC")) && tell_foreign(g)))
        return 0;
    g->curve = NULL;
    return pkey_libcrypto_of(g->provider)->EVP_PKEY_CTX_set_params(g->foreign, params) > 0;
}

static int generate_foreign(struct generation *g, struct ec_key *key)
{
    const int pair = (g->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(g->provider);
    key->head.has_private = key->head.has_public = (uint8_t)pair;
    return ssl->EVP_PKEY_generate(g->foreign, &key->foreign) > 0;
}

/* ---- parameters ---- */

/* is_ours tells whether the library can do what the parameters ask for, and takes them. */
static int is_ours(struct generation *g, const OSSL_PARAM params[])
{
    static const param_name known[] = {
        OSSL_PKEY_PARAM_GROUP_NAME,
        OSSL_PKEY_PARAM_EC_ENCODING,
        OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
        OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE,
        OSSL_PKEY_PARAM_USE_COFACTOR_ECDH,
    };
    const struct ec_curve *curve = g->curve;
    struct ec_how how = g->how;
    char name[16];
    for (const OSSL_PARAM *p = params; p && p->key; p++)
        if (param_key(p, known, COUNT(known)) < 0)
            return 0;
    if (!ec_take_how(&how, params))
        return 0;
    if (param_find(params, OSSL_PKEY_PARAM_GROUP_NAME))
        curve = pkey_get_text(params, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name)
                    ? ec_curve_named(g->provider, name)
                    : NULL;
    if (param_find(params, OSSL_PKEY_PARAM_GROUP_NAME) && !curve)
        return 0;
    g->curve = curve;
    g->how = how;
    return 1;
}

int ec_generate_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *g = genctx;
    if (!pkey_get_int(params, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, &g->cofactor))
        return 0;
    return (!g->foreign && is_ours(g, params)) || set_foreign(g, params);
}

const OSSL_PARAM *ec_generate_settable(void *genctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(OSSL_PKEY_PARAM_GROUP_NAME),
        PARAM_INT(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_ENCODING),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE),
        PARAM_TEXT(OSSL_PKEY_PARAM_EC_FIELD_TYPE),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_P),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_A),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_B),
        PARAM_OCTETS(OSSL_PKEY_PARAM_EC_GENERATOR),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_ORDER),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_EC_COFACTOR),
        PARAM_OCTETS(OSSL_PKEY_PARAM_EC_SEED),
        PARAM_OCTETS(PARAM_DHKEM_IKM),
        PARAM_LIST_END,
    };
    (void)genctx;
    return param_list(provctx, LIST_EC_GENERATE, list);
}

int ec_generate_set_template(void *genctx, void *keydata)
{
    struct generation *g = genctx;
    const struct ec_key *key = keydata;
    if (!key || !(key->curve || key->foreign))
        return 0;
    if (key->foreign) {
        g->curve = NULL;
        return begin_foreign(g, other_with(g->provider, key->foreign));
    }
    g->curve = key->curve;
    g->how.form = key->how.form;
    g->how.encoding = key->how.encoding;
    return 1;
}

/* ---- life ---- */

void *ec_generate_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    if (!(selection & (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)))
        return NULL;
    struct generation *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->provider = provctx;
    g->selection = selection;
    g->how = (struct ec_how){ .form = EC_UNCOMPRESSED, .encoding = EC_NAMED };
    if (ec_generate_set_params(g, params))
        return g;
    ec_generate_cleanup(g);
    return NULL;
}

void ec_generate_cleanup(void *genctx)
{
    struct generation *g = genctx;
    if (!g)
        return;
    pkey_libcrypto_of(g->provider)->EVP_PKEY_CTX_free(g->foreign);
    free(g);
}

/* ---- keys ---- */

/* draw takes random scalars until one is in the range (FIPS 186-5, A.2.2): the first, but once in
 * 2^32 draws at most. */
static int draw(struct ec_key *key)
{
    const struct ec_curve *curve = key->curve;
    do {
        if (!random_secret(key->head.provider, key->secret, curve->bytes))
            return 0;
        key->secret[0] &= 0xff >> (8 * curve->bytes - curve->bits);
    } while (!ec_curve_has_scalar(curve, key->secret));
    return key->head.has_private = 1;
}

static void count(const struct ec_curve *curve)
{
    struct served served;
    served_init(&served, (enum row_index)curve->agree_row);
    served_add(&served, 0);
    stats_fold(&served);
}

static int generate_ours(const struct generation *g, struct ec_key *key)
{
    size_t len = sizeof key->point;
    if (!g->curve)
        return RAISE(g->provider, PROV_R_NO_PARAMETERS_SET);
    key->curve = g->curve;
    key->how = g->how;
    if (g->cofactor < -1 || g->cofactor > 1)
        return 0;
    if (!(g->selection & OSSL_KEYMGMT_SELECT_KEYPAIR))
        return 1;
    struct hr_agree_key *agreer = draw(key) ? ec_key_agreer(key) : NULL;
    if (!agreer || hr_agree_key_public(key->point, &len, agreer))
        return 0;
    key->head.has_public = 1;
    count(key->curve);
    return 1;
}

void *ec_generate(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *g = genctx;
    struct ec_key *key = ec_key_new((void *)(uintptr_t)g->provider);
    (void)callback, (void)arg;
    if (key && (g->foreign ? generate_foreign(g, key) : generate_ours(g, key)))
        return key;
    pkey_release(key);
    return NULL;
}
