/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an EC key as parameters, as OpenSSL's encoders, its older structures (EC_KEY) and other
 * providers take it. */
#include "ec.h"

const char *ec_name_of_form(const struct ec_how *how)
{
    return how->form == EC_COMPRESSED ? "compressed"
           : how->form == EC_HYBRID   ? "hybrid"
                                      : "uncompressed";
}

const char *ec_name_of_encoding(const struct ec_how *how)
{
    return how->encoding == EC_NAMED ? "named_curve" : "explicit";
}

const char *ec_name_of_check(const struct ec_how *how)
{
    return how->check == EC_CHECK_NIST    ? "named-nist"
           : how->check == EC_CHECK_NAMED ? "named"
                                          : "default";
}

size_t ec_write_point(const struct ec_key *key, uint8_t out[EC_MAX_POINT])
{
    const size_t len = ec_point_len(key->curve);
    const uint8_t odd = key->point[len - 1] & 1;
    memcpy(out, key->point, len);
    out[0] = (uint8_t)(key->how.form | (key->how.form == EC_UNCOMPRESSED ? 0 : odd));
    return key->how.form == EC_COMPRESSED ? 1 + (size_t)key->curve->bytes : len;
}

/* struct list is a list of parameters while it is written, with what they point to. */
struct list {
    OSSL_PARAM params[12], *next;
    uint8_t point[EC_MAX_POINT], secret[EC_MAX_BYTES];
    int cofactor, with_public;
};

/* add copies the pointer with memcpy, since OSSL_PARAM's data is not const even where it is only
 * read. */
static void add(struct list *l, const char *key, unsigned type, const void *data, size_t len)
{
    *l->next = (OSSL_PARAM){ key, type, NULL, len, PARAM_NONE };
    memcpy(&l->next++->data, &data, sizeof data);
}

static void add_text(struct list *l, const char *key, const char *text)
{
    add(l, key, OSSL_PARAM_UTF8_STRING, text, strlen(text));
}

/* add_private writes the scalar with all of its bytes, since its length is a secret. */
static void add_private(struct list *l, const struct ec_key *key)
{
    OSSL_PARAM *p = l->next;
    add(l, OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_UNSIGNED_INTEGER, l->secret, sizeof l->secret);
    (void)!pkey_set_padded(key->head.provider, p, key->secret, key->curve->bytes);
}

static void add_others(struct list *l, const struct ec_key *key)
{
    add_text(l, OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE, ec_name_of_check(&key->how));
    if (key->how.without_public)
        add(l, OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, OSSL_PARAM_INTEGER, &l->with_public,
            sizeof l->with_public);
    add(l, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, OSSL_PARAM_INTEGER, &l->cofactor, sizeof l->cofactor);
}

static int export_ours(const struct ec_key *key, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct list l = { .next = l.params };
    add_text(&l, OSSL_PKEY_PARAM_GROUP_NAME, key->curve->name);
    add_text(&l, OSSL_PKEY_PARAM_EC_ENCODING, ec_name_of_encoding(&key->how));
    add_text(&l, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, ec_name_of_form(&key->how));
    if (selection & OSSL_KEYMGMT_SELECT_KEYPAIR && key->head.has_public)
        add(&l, OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING, l.point,
            ec_write_point(key, l.point));
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && key->head.has_private)
        add_private(&l, key);
    if (selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS)
        add_others(&l, key);
    *l.next = (OSSL_PARAM)PARAM_END;
    const int good = callback(l.params, arg);
    WIPE(&l.secret);
    return good;
}

/* ec_export gives a private key only together with the public one, as OpenSSL. */
int ec_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct ec_key *key = keydata;
    if (!key || !pkey_may_export(&key->head, selection) ||
        !(selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) ||
        (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
        return 0;
    if (key->foreign)
        return pkey_libcrypto_of(key->head.provider)
            ->EVP_PKEY_export(key->foreign, selection, callback, arg);
    return key->curve && export_ours(key, selection, callback, arg);
}

/* ---- as another provider's key ---- */

struct importer {
    const struct provider *provider;
    int selection;
    EVP_PKEY *key;
};

static int import(const OSSL_PARAM params[], void *arg)
{
    struct importer *importer = arg;
    importer->key = other_import(importer->provider, "EC", importer->selection, params);
    return importer->key != NULL;
}

EVP_PKEY *ec_foreign(struct ec_key *key)
{
    if (key->foreign) {
        if (pkey_libcrypto_of(key->head.provider)->EVP_PKEY_up_ref(key->foreign))
            return key->foreign;
        return NULL;
    }
    struct importer importer = { key->head.provider, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, NULL };
    if (key->head.has_public || key->head.has_private)
        importer.selection |= OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
    if (key->head.has_private)
        importer.selection |= OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
    (void)!ec_export(key, importer.selection, import, &importer);
    return importer.key;
}
