/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) for keys behind which another provider's stand. */
#include "../handle.h"
#include "shadow.h"
#include <stdlib.h>

/* ---- life ---- */

static void forget_ready(struct shadow_key *key)
{
    shadow_drop(atomic_exchange(&key->private, NULL));
    shadow_drop(atomic_exchange(&key->public, NULL));
    rsa_loan_drop(atomic_exchange(&key->loan, NULL));
}

static void destroy(struct pkey *head)
{
    struct shadow_key *key = (struct shadow_key *)head;
    forget_ready(key);
    pkey_libcrypto_of(key->head.provider)->EVP_PKEY_free(key->other);
    free(key);
}

struct shadow_key *shadow_key_new(void *provctx, const struct shadow_kind *kind,
                                  shadow_maker *maker)
{
    struct shadow_key *key = calloc(1, sizeof *key);
    if (!key)
        return NULL;
    pkey_init(&key->head, provctx, destroy);
    key->kind = kind;
    key->maker = maker;
    return key;
}

struct shadow_key *shadow_key_new_like(const struct shadow_key *key)
{
    return shadow_key_new((void *)(uintptr_t)key->head.provider, key->kind, key->maker);
}

/* has_number tells whether the key has this part: one that it lacks is left unanswered. */
static int has_number(const struct shadow_key *key, const char *name)
{
    OSSL_PARAM list[] = { { name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0, PARAM_NONE }, PARAM_END };
    return pkey_libcrypto_of(key->head.provider)->EVP_PKEY_get_params(key->other, list) > 0 &&
           list[0].return_size != PARAM_NONE;
}

void shadow_key_changed(struct shadow_key *key)
{
    const struct provider *provider = key->head.provider;
    forget_ready(key);
    key->head.has_public = (uint8_t)has_number(key, key->kind->public_part);
    key->head.has_private = (uint8_t)has_number(key, key->kind->private_part);
    if (provider->lends && key->head.has_private && key->kind->cls == HR_CLASS_RSA)
        client_prepare();
    key->has_group = key->kind->has_groups && has_number(key, OSSL_PKEY_PARAM_FFC_P) &&
                     has_number(key, OSSL_PKEY_PARAM_FFC_G);
}

int shadow_key_hold(struct shadow_key *key, EVP_PKEY *other)
{
    if (!other)
        return 0;
    pkey_libcrypto_of(key->head.provider)->EVP_PKEY_free(key->other);
    key->other = other;
    shadow_key_changed(key);
    return 1;
}

/* shadow_import: a group is taken into a key that has numbers already, by
 * EVP_PKEY_copy_parameters(3). */
static int shadow_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct shadow_key *key = keydata;
    if (!key)
        return 0;
    const struct provider *provider = key->head.provider;
    const char *type = key->kind->type;
    const int has_more = params && params->key;
    return shadow_key_hold(key, key->other && key->kind->has_groups && has_more
                                    ? other_add(provider, type, key->other, selection, params)
                                    : other_import(provider, type, selection, params));
}

static int shadow_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct shadow_key *key = keydata;
    return key && key->other && pkey_may_export(&key->head, selection) &&
           pkey_libcrypto_of(key->head.provider)
               ->EVP_PKEY_export(key->other, selection, callback, arg);
}

/* parts_of returns the parts of a selection that keys of a kind may have. */
static int parts_of(const struct shadow_kind *kind, int selection)
{
    const int group = kind->has_groups ? OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS : 0;
    return selection & (OSSL_KEYMGMT_SELECT_KEYPAIR | group);
}

static void *shadow_dup(const void *keydata, int selection)
{
    const struct shadow_key *key = keydata;
    struct shadow_key *copy =
        key->other && parts_of(key->kind, selection) ? shadow_key_new_like(key) : NULL;
    if (copy && shadow_key_hold(
                    copy, other_copy(key->head.provider, key->kind->type, key->other, selection))) {
        pkey_share(&copy->head, &key->head, selection);
        return copy;
    }
    pkey_release(copy);
    return NULL;
}

/* ---- what a key has ---- */

static int shadow_has(const void *keydata, int selection)
{
    const struct shadow_key *key = keydata;
    if (!key)
        return 0;
    const int with = parts_of(key->kind, selection);
    const int is_in_both = !key->kind->has_groups; /* the public part: n of RSA */
    const int public = is_in_both ? OSSL_KEYMGMT_SELECT_KEYPAIR : OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
    return (!(with & public) || key->head.has_public) &&
           (!(with & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) || pkey_has_secret(&key->head)) &&
           (!(with & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) || key->has_group);
}

static int shadow_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct shadow_key *a = keydata1, *b = keydata2;
    return a->other && b->other && other_match(a->head.provider, a->other, b->other, selection);
}

static int shadow_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct shadow_key *key = keydata;
    return key->other &&
           pkey_libcrypto_of(key->head.provider)->EVP_PKEY_get_params(key->other, params) > 0;
}

/* validate_group looks at each part in turn. */
static int validate_group(const void *keydata, int selection, int type)
{
    const struct shadow_key *key = keydata;
    if (!parts_of(key->kind, selection))
        return 1;
    return key->other && other_validate(key->head.provider, key->other, selection, type);
}

any_function *shadow_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_FREE:
        return (any_function *)pkey_release;
    case OSSL_FUNC_KEYMGMT_DUP:
        return (any_function *)shadow_dup;
    case OSSL_FUNC_KEYMGMT_HAS:
        return (any_function *)shadow_has;
    case OSSL_FUNC_KEYMGMT_MATCH:
        return (any_function *)shadow_match;
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)shadow_import;
    case OSSL_FUNC_KEYMGMT_EXPORT:
        return (any_function *)shadow_export;
    case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        return (any_function *)shadow_get_params;
    case OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS:
        return (any_function *)shadow_generate_set_params;
    case OSSL_FUNC_KEYMGMT_GEN:
        return (any_function *)shadow_generate;
    case OSSL_FUNC_KEYMGMT_GEN_CLEANUP:
        return (any_function *)shadow_generate_cleanup;
    default:
        return NULL;
    }
}

any_function *shadow_group_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_VALIDATE:
        return (any_function *)validate_group;
    case OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE:
        return (any_function *)shadow_generate_set_template;
    default:
        return shadow_keymgmt(id);
    }
}

/* ---- lists of parameters ---- */

#define LIST(name, KIND, lister)                                                     \
    const OSSL_PARAM *shadow_##name(void *provctx, const char *type)                 \
    {                                                                                \
        const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);               \
        EVP_##KIND *found = ssl->EVP_##KIND##_fetch(ssl->base->libctx, type, OTHER); \
        const OSSL_PARAM *list = found ? ssl->EVP_##KIND##_##lister(found) : NULL;   \
        ssl->EVP_##KIND##_free(found);                                               \
        return list;                                                                 \
    }
SHADOW_LISTS(LIST)
#undef LIST
