/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) for DH and DHX. */
#include "dh.h"

/* ---- the library's key, made of what the other provider exports ---- */

/* A key whose p has less than 1,024 or more than 8,192 bits, or whose parts do not fit, is not the
 * library's. */

/* struct numbers is a key's parts, big-endian, each with all bytes of its array. */
struct numbers {
    uint8_t p[DH_MOST_BYTES], g[DH_MOST_BYTES], q[DH_MOST_BYTES], x[DH_MOST_BYTES];
    int has_q;
};

static int take(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    at->has_q = param_find(params, OSSL_PKEY_PARAM_FFC_Q) != NULL;
    return shadow_take(params, OSSL_PKEY_PARAM_FFC_P, at->p, sizeof at->p) &&
           shadow_take(params, OSSL_PKEY_PARAM_FFC_G, at->g, sizeof at->g) &&
           (!at->has_q || shadow_take(params, OSSL_PKEY_PARAM_FFC_Q, at->q, sizeof at->q)) &&
           shadow_take(params, OSSL_PKEY_PARAM_PRIV_KEY, at->x, sizeof at->x);
}

static int make(struct shadow_ready *ready, const void *numbers, const struct shadow_key *key)
{
    const struct numbers *at = numbers;
    const struct hr_number x = { at->x, sizeof at->x };
    const struct hr_dh_params params = {
        .p = { at->p, sizeof at->p },
        .g = { at->g, sizeof at->g },
        .q = { at->q, at->has_q ? sizeof at->q : 0 },
    };
    return shadow_is_served(ready, key, at->p, sizeof at->p) &&
           !hr_dh_key_init(&((struct dh_ready *)ready)->key, &params, &x);
}

/* ready_of: a public key is only a number in a call. */
static struct shadow_ready *ready_of(const struct shadow_key *key, int is_private)
{
    const struct shadow_recipe recipe = {
        .size = sizeof(struct dh_ready),
        .numbers_size = sizeof(struct numbers),
        .selection = EVP_PKEY_KEYPAIR,
        .take = take,
        .make = make,
    };
    return is_private ? shadow_ready_make(key, &recipe) : NULL;
}

/* ---- functions of the key management ---- */

#define TYPE_DH "DH"
#define TYPE_DHX "DHX"
#define KIND(name)                                                                     \
    {                                                                                  \
        .type = name, .public_part = OSSL_PKEY_PARAM_PUB_KEY,                          \
        .private_part = OSSL_PKEY_PARAM_PRIV_KEY, .has_groups = 1, .cls = HR_CLASS_DH, \
    }
static const struct shadow_kind dh_kind = KIND(TYPE_DH), dhx_kind = KIND(TYPE_DHX);

/* ---- both types ---- */

static int set_params(void *keydata, const OSSL_PARAM params[])
{
    struct shadow_key *key = keydata;
    if (!key->other)
        return 0;
    const int good = pkey_libcrypto_of(key->head.provider)
                         ->EVP_PKEY_set_params(key->other, (OSSL_PARAM *)(uintptr_t)params) > 0;
    shadow_key_changed(key);
    return good;
}

/* part_types answers for import and export, which know the same parameters. */
static const OSSL_PARAM *part_types(int selection)
{
    static const struct param_spec specs[] = {
        PARAM_TEXT(OSSL_PKEY_PARAM_GROUP_NAME),
        SHADOW_GROUP_PARTS,
        PARAM_INT(OSSL_PKEY_PARAM_DH_PRIV_LEN),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    (void)selection;
    return pkey_types(&types, specs);
}

static any_function *shared(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        return (any_function *)set_params;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)part_types;
    default:
        return shadow_group_keymgmt(id);
    }
}

/* ---- each type: OpenSSL calls these without a key ---- */

#define FUNCTIONS(name, TYPE)                                                                  \
    static void *name##_new(void *provctx)                                                     \
    {                                                                                          \
        return shadow_key_new(provctx, &name##_kind, ready_of);                                \
    }                                                                                          \
    static const OSSL_PARAM *name##_gettable(void *provctx)                                    \
    {                                                                                          \
        return shadow_key_gettable(provctx, TYPE);                                             \
    }                                                                                          \
    static const OSSL_PARAM *name##_settable(void *provctx)                                    \
    {                                                                                          \
        return shadow_key_settable(provctx, TYPE);                                             \
    }                                                                                          \
    static void *name##_generate_init(void *provctx, int selection, const OSSL_PARAM params[]) \
    {                                                                                          \
        return shadow_generate_init(name##_new(provctx), selection, params);                   \
    }                                                                                          \
    static const OSSL_PARAM *name##_generate_settable(void *genctx, void *provctx)             \
    {                                                                                          \
        (void)genctx;                                                                          \
        return shadow_generate_settable(provctx, TYPE);                                        \
    }                                                                                          \
    any_function *name##_keymgmt(int id)                                                       \
    {                                                                                          \
        switch (id) {                                                                          \
        case OSSL_FUNC_KEYMGMT_NEW:                                                            \
            return (any_function *)name##_new;                                                 \
        case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:                                                \
            return (any_function *)name##_gettable;                                            \
        case OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS:                                                \
            return (any_function *)name##_settable;                                            \
        case OSSL_FUNC_KEYMGMT_GEN_INIT:                                                       \
            return (any_function *)name##_generate_init;                                       \
        case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:                                            \
            return (any_function *)name##_generate_settable;                                   \
        case OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME:                                           \
            return (any_function *)operation_name;                                             \
        default:                                                                               \
            return shared(id);                                                                 \
        }                                                                                      \
    }

/* operation_name: one key exchange is for both types. */
static const char *operation_name(int operation)
{
    return operation == OSSL_OP_KEYEXCH ? TYPE_DH : NULL;
}

FUNCTIONS(dh, TYPE_DH)
FUNCTIONS(dhx, TYPE_DHX)
