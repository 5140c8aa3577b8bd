/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) for DSA. */
#include "dsa.h"

/* ---- the library's key, made of what the other provider exports ---- */

/* A key whose p or q is longer or shorter than FIPS 186-4 says, or whose parts do not fit, is not
 * the library's. */
enum { P_BYTES = 384, Q_BYTES = 32 };

/* struct numbers is a key's parts, big-endian, each with all bytes of its array. */
struct numbers {
    uint8_t p[P_BYTES], g[P_BYTES], y[P_BYTES], q[Q_BYTES], x[Q_BYTES];
    int has_public;
};

static int take_group(const OSSL_PARAM params[], struct numbers *at)
{
    return shadow_take(params, OSSL_PKEY_PARAM_FFC_P, at->p, sizeof at->p) &&
           shadow_take(params, OSSL_PKEY_PARAM_FFC_Q, at->q, sizeof at->q) &&
           shadow_take(params, OSSL_PKEY_PARAM_FFC_G, at->g, sizeof at->g);
}

static int take_public(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    return take_group(params, at) &&
           shadow_take(params, OSSL_PKEY_PARAM_PUB_KEY, at->y, sizeof at->y);
}

/* take_private: the library computes a public key that is not there. */
static int take_private(const OSSL_PARAM params[], void *arg)
{
    struct numbers *at = arg;
    at->has_public = param_find(params, OSSL_PKEY_PARAM_PUB_KEY) != NULL;
    return (at->has_public ? take_public(params, at) : take_group(params, at)) &&
           shadow_take(params, OSSL_PKEY_PARAM_PRIV_KEY, at->x, sizeof at->x);
}

static struct hr_dsa_parts parts_of(const struct numbers *at)
{
    return (struct hr_dsa_parts){
        .p = { at->p, sizeof at->p },
        .q = { at->q, sizeof at->q },
        .g = { at->g, sizeof at->g },
        .y = { at->y, sizeof at->y },
        .x = { at->x, sizeof at->x },
    };
}

static int make_private(struct shadow_ready *ready, const void *numbers,
                        const struct shadow_key *key)
{
    const struct numbers *at = numbers;
    struct hr_dsa_parts parts = parts_of(at);
    if (!at->has_public)
        parts.y = (struct hr_number){ NULL, 0 };
    return shadow_is_served(ready, key, at->p, sizeof at->p) &&
           !hr_dsa_key_init(&((struct dsa_ready *)ready)->key, &parts);
}

static int make_public(struct shadow_ready *ready, const void *numbers,
                       const struct shadow_key *key)
{
    const struct numbers *at = numbers;
    const struct hr_dsa_parts parts = parts_of(at);
    return shadow_is_served(ready, key, at->p, sizeof at->p) &&
           !hr_dsa_key_init_public(&((struct dsa_ready *)ready)->key, &parts);
}

static struct shadow_ready *ready_of(const struct shadow_key *key, int is_private)
{
    const struct shadow_recipe recipe = {
        .size = sizeof(struct dsa_ready),
        .numbers_size = sizeof(struct numbers),
        .selection = is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
        .take = is_private ? take_private : take_public,
        .make = is_private ? make_private : make_public,
    };
    return shadow_ready_make(key, &recipe);
}

/* ---- functions of the key management ---- */

static const struct shadow_kind kind = {
    .type = DSA_TYPE,
    .public_part = OSSL_PKEY_PARAM_PUB_KEY,
    .private_part = OSSL_PKEY_PARAM_PRIV_KEY,
    .has_groups = 1,
    .cls = HR_CLASS_DSA,
};

static void *new_key(void *provctx)
{
    return shadow_key_new(provctx, &kind, ready_of);
}

static const OSSL_PARAM *gettable(void *provctx)
{
    return shadow_key_gettable(provctx, DSA_TYPE);
}

/* part_types answers for import and export, which know the same parameters. */
static const OSSL_PARAM *part_types(int selection)
{
    static const struct param_spec specs[] = { SHADOW_GROUP_PARTS, PARAM_LIST_END };
    static struct pkey_types types;
    (void)selection;
    return pkey_types(&types, specs);
}

static void *generate_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return shadow_generate_init(new_key(provctx), selection, params);
}

static const OSSL_PARAM *generate_settable(void *genctx, void *provctx)
{
    (void)genctx;
    return shadow_generate_settable(provctx, DSA_TYPE);
}

any_function *dsa_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_NEW:
        return (any_function *)new_key;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)part_types;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_KEYMGMT_GEN_INIT:
        return (any_function *)generate_init;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)generate_settable;
    default:
        return shadow_group_keymgmt(id);
    }
}
