/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) for EC: a key's life, and what it has. */
#include "ec.h"
#include <stdlib.h>

enum { POSSIBLE = OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS };

/* ---- life ---- */

static void drop_signer(void *key)
{
    hr_sign_key_wipe(key);
    free(key);
}

static void drop_agreer(void *key)
{
    hr_agree_key_wipe(key);
    free(key);
}

void ec_key_forget(struct ec_key *key)
{
    drop_signer(atomic_exchange(&key->signer, NULL));
    drop_signer(atomic_exchange(&key->verifier, NULL));
    drop_agreer(atomic_exchange(&key->agreer, NULL));
}

static void destroy(struct pkey *head)
{
    struct ec_key *key = (struct ec_key *)head;
    if (key->foreign)
        pkey_libcrypto_of(head->provider)->EVP_PKEY_free(key->foreign);
    ec_key_forget(key);
    WIPE(&key->secret);
    free(key);
}

struct ec_key *ec_key_new(void *provctx)
{
    struct ec_key *key = calloc(1, sizeof *key);
    if (!key)
        return NULL;
    pkey_init(&key->head, provctx, destroy);
    key->how = (struct ec_how){ .form = EC_UNCOMPRESSED, .encoding = EC_NAMED };
    return key;
}

/* copy_values copies the parts of a selection.  A point or a scalar has a meaning only on its
 * curve. */
static int copy_values(struct ec_key *out, const struct ec_key *in, int selection)
{
    if (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS)
        out->curve = in->curve;
    out->how = in->how;
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && in->head.has_public) {
        memcpy(out->point, in->point, sizeof out->point);
        out->head.has_public = 1;
    }
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && in->head.has_private) {
        memcpy(out->secret, in->secret, sizeof out->secret);
        out->head.has_private = 1;
    }
    return out->curve || !(out->head.has_public || out->head.has_private);
}

static int copy_foreign(struct ec_key *out, const struct ec_key *in, int selection)
{
    if (!(selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS))
        return 0;
    out->foreign = other_copy(in->head.provider, "EC", in->foreign, selection);
    out->head.has_public = in->head.has_public && selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
    out->head.has_private = in->head.has_private && selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
    return out->foreign != NULL;
}

static void *ec_dup(const void *keydata, int selection)
{
    const struct ec_key *key = keydata;
    struct ec_key *copy = ec_key_new((void *)(uintptr_t)key->head.provider);
    if (copy &&
        (key->foreign ? copy_foreign(copy, key, selection) : copy_values(copy, key, selection))) {
        pkey_share(&copy->head, &key->head, selection);
        return copy;
    }
    pkey_release(copy);
    return NULL;
}

/* ---- the library's keys ---- */

/* make_signer takes the public key as it is: to compute it would cost a key that signs once more
 * than it gains. */
static int make_signer(struct hr_sign_key *out, const struct ec_key *key)
{
    const struct ec_curve *const curve = key->curve;
    return key->head.has_public ? hr_sign_key_init_pair(out, curve->sign, key->secret, curve->bytes,
                                                        key->point, ec_point_len(curve))
                                : hr_sign_key_init(out, curve->sign, key->secret, curve->bytes);
}

struct hr_sign_key *ec_key_signer(struct ec_key *key)
{
    void *there = atomic_load_explicit(&key->signer, memory_order_acquire);
    if (LIKELY(there != NULL))
        return there;
    if (!key->head.has_private) {
        RAISE_EC(key->head.provider, EC_R_MISSING_PRIVATE_KEY);
        return NULL;
    }
    void *made = pkey_aligned(hr_sign_key_size(key->curve->sign));
    const int error = made ? make_signer(made, key) : 0;
    if (made && !error)
        return pkey_keep(&key->signer, made, drop_signer);
    free(made);
    RAISE_HR(key->head.provider, error);
    return NULL;
}

struct hr_sign_key *ec_key_verifier(struct ec_key *key)
{
    void *there = atomic_load_explicit(&key->verifier, memory_order_acquire);
    if (LIKELY(there != NULL))
        return there;
    if (!key->head.has_public) {
        RAISE_EC(key->head.provider, EC_R_MISSING_PARAMETERS);
        return NULL;
    }
    void *made = pkey_aligned(hr_sign_key_size(key->curve->sign));
    const int error =
        made ? hr_sign_key_init_public(made, key->curve->sign, key->point, ec_point_len(key->curve))
             : 0;
    if (made && !error)
        return pkey_keep(&key->verifier, made, drop_signer);
    free(made);
    RAISE_HR(key->head.provider, error);
    return NULL;
}

struct hr_agree_key *ec_key_agreer(struct ec_key *key)
{
    void *there = atomic_load_explicit(&key->agreer, memory_order_acquire);
    if (LIKELY(there != NULL))
        return there;
    if (!key->head.has_private) {
        RAISE_EC(key->head.provider, EC_R_MISSING_PRIVATE_KEY);
        return NULL;
    }
    void *made = pkey_aligned(hr_agree_key_size(key->curve->agree));
    const int error =
        made ? hr_agree_key_init(made, key->curve->agree, key->secret, key->curve->bytes) : 0;
    if (made && !error)
        return pkey_keep(&key->agreer, made, drop_agreer);
    free(made);
    RAISE_HR(key->head.provider, error);
    return NULL;
}

int ec_key_compute_point(uint8_t out[EC_MAX_POINT], struct ec_key *key)
{
    size_t len = EC_MAX_POINT;
    struct hr_agree_key *agreer = ec_key_agreer(key);
    return agreer && !hr_agree_key_public(out, &len, agreer) && len == ec_point_len(key->curve);
}

size_t ec_key_size(const struct ec_key *key)
{
    if (!key->foreign)
        return key->curve ? key->curve->signature_max : 0;
    const int size = pkey_libcrypto_of(key->head.provider)->EVP_PKEY_get_size(key->foreign);
    return size > 0 ? (size_t)size : 0;
}

/* ---- what a key has ---- */

static int ec_has(const void *keydata, int selection)
{
    const struct ec_key *key = keydata;
    if (!key)
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && !key->head.has_public)
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && !pkey_has_secret(&key->head))
        return 0;
    return !(selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) || key->curve || key->foreign;
}

static int match_foreign(struct ec_key *a, struct ec_key *b, int selection)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(a->head.provider);
    EVP_PKEY *x = ec_foreign(a), *y = ec_foreign(b);
    const int same = x && y && other_match(a->head.provider, x, y, selection);
    ssl->EVP_PKEY_free(x);
    ssl->EVP_PKEY_free(y);
    return same;
}

int ec_key_same_group(struct ec_key *a, struct ec_key *b)
{
    if (!a->foreign && !b->foreign)
        return a->curve && a->curve == b->curve;
    return (a->curve || a->foreign) && (b->curve || b->foreign) &&
           match_foreign(a, b, OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS);
}

static int same_secret(const struct ec_key *a, const struct ec_key *b)
{
    uint8_t differ = 0;
    for (size_t i = 0; i < a->curve->bytes; i++)
        differ |= a->secret[i] ^ b->secret[i];
    return !differ;
}

/* same_values compares public keys if both have one, and else private ones, as OpenSSL does. */
static int same_values(const struct ec_key *a, const struct ec_key *b, int selection)
{
    if (!a->curve || a->curve != b->curve)
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && a->head.has_public && b->head.has_public)
        return !memcmp(a->point, b->point, ec_point_len(a->curve));
    return selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && a->head.has_private &&
           b->head.has_private && same_secret(a, b);
}

static int ec_match(const void *keydata1, const void *keydata2, int selection)
{
    struct ec_key *a = (void *)(uintptr_t)keydata1, *b = (void *)(uintptr_t)keydata2;
    if (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS && !ec_key_same_group(a, b))
        return 0;
    if (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR))
        return 1;
    return a->foreign || b->foreign ? match_foreign(a, b, selection) : same_values(a, b, selection);
}

static const char *ec_operation_name(int operation)
{
    switch (operation) {
    case OSSL_OP_KEYEXCH:
        return "ECDH";
    case OSSL_OP_SIGNATURE:
        return "ECDSA";
    default:
        return NULL;
    }
}

/* ec_part_types answers for import and export, which know the same parameters. */
static const OSSL_PARAM *ec_part_types(int selection)
{
    static const struct param_spec specs[] = {
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
        PARAM_INT(OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_BIGNUM(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_INT(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH),
        PARAM_INT(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    return selection & POSSIBLE ? pkey_types(&types, specs) : NULL;
}

any_function *ec_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_NEW:
        return (any_function *)ec_key_new;
    case OSSL_FUNC_KEYMGMT_LOAD:
        return (any_function *)pkey_load;
    case OSSL_FUNC_KEYMGMT_FREE:
        return (any_function *)pkey_release;
    case OSSL_FUNC_KEYMGMT_DUP:
        return (any_function *)ec_dup;
    case OSSL_FUNC_KEYMGMT_HAS:
        return (any_function *)ec_has;
    case OSSL_FUNC_KEYMGMT_MATCH:
        return (any_function *)ec_match;
    case OSSL_FUNC_KEYMGMT_VALIDATE:
        return (any_function *)ec_validate;
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)ec_import;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)ec_part_types;
    case OSSL_FUNC_KEYMGMT_EXPORT:
        return (any_function *)ec_export;
    case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        return (any_function *)ec_get_params;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)ec_gettable;
    case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        return (any_function *)ec_set_params;
    case OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS:
        return (any_function *)ec_settable;
    case OSSL_FUNC_KEYMGMT_GEN_INIT:
        return (any_function *)ec_generate_init;
    case OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE:
        return (any_function *)ec_generate_set_template;
    case OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS:
        return (any_function *)ec_generate_set_params;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)ec_generate_settable;
    case OSSL_FUNC_KEYMGMT_GEN:
        return (any_function *)ec_generate;
    case OSSL_FUNC_KEYMGMT_GEN_CLEANUP:
        return (any_function *)ec_generate_cleanup;
    case OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME:
        return (any_function *)ec_operation_name;
    default:
        return NULL;
    }
}
