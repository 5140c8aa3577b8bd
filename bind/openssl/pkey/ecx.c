/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) of X25519 and Ed25519.  A key is two strings of bytes, and any 32 bytes are
 * taken as a public key, as OpenSSL takes them: a point that is none fails when it is used.  Only a
 * public key of Ed25519 that is not the private key's is refused at once, since two signatures with
 * different public keys would give the private key away. */
#include "ecx.h"
#include "bytes.h"
#include <stdlib.h>
#include <strings.h>

enum { KEYPAIR = OSSL_KEYMGMT_SELECT_KEYPAIR };

/* ---- keys ---- */

static void destroy(struct pkey *base)
{
    struct ecx *key = (struct ecx *)base;
    void *prepared = atomic_load(&key->prepared);
    if (prepared)
        bytes_free(prepared, key->kind->prepared_len(hr_algorithm_at(key->kind->index)->alg));
    WIPE(key);
    free(key);
}

struct ecx *ecx_new(const struct provider *provider, const struct ecx_kind *kind)
{
    struct ecx *key = calloc(1, sizeof *key);
    if (!key)
        return NULL;
    pkey_init(&key->base, provider, destroy);
    key->kind = kind;
    return key;
}

static int public_of(uint8_t out[ECX_LEN], struct ecx *key)
{
    const int error = key->kind->public_of(out, key);
    return error ? RAISE_HR(key->base.provider, error) : 1;
}

int ecx_complete(struct ecx *key)
{
    key->base.has_private = 1;
    key->base.has_public = (uint8_t)public_of(key->public, key);
    return key->base.has_public;
}

static int ecx_has(const void *keydata, int selection)
{
    const struct ecx *key = keydata;
    return key && (!(selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) || key->base.has_public) &&
           (!(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) || pkey_has_secret(&key->base));
}

/* ecx_match compares private keys only where one of the two has no public key. */
static int ecx_match(const void *keydata, const void *other_keydata, int selection)
{
    const struct ecx *key = keydata, *other = other_keydata;
    if (key->kind != other->kind)
        return 0;
    if (!(selection & KEYPAIR))
        return 1;
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && key->base.has_public &&
        other->base.has_public)
        return bytes_equal(key->public, other->public, ECX_LEN);
    return selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && key->base.has_private &&
           other->base.has_private && bytes_equal(key->private, other->private, ECX_LEN);
}

static int ecx_validate(const void *keydata, int selection, int how)
{
    struct ecx *key = (void *)keydata;
    uint8_t public[ECX_LEN];
    if (!ecx_has(key, selection & KEYPAIR))
        return 0;
    return (selection & KEYPAIR) != KEYPAIR ||
           (public_of(public, key) && bytes_equal(public, key->public, ECX_LEN));
}

static void *ecx_dup(const void *keydata, int selection)
{
    const struct ecx *key = keydata;
    struct ecx *copy = ecx_new(key->base.provider, key->kind);
    if (!copy)
        return NULL;
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && key->base.has_public) {
        memcpy(copy->public, key->public, ECX_LEN);
        copy->base.has_public = 1;
    }
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && key->base.has_private) {
        memcpy(copy->private, key->private, ECX_LEN);
        copy->base.has_private = 1;
    }
    pkey_share(&copy->base, &key->base, selection);
    return copy;
}

/* ---- import and export ---- */

static int take(uint8_t out[ECX_LEN], uint8_t *has, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    if (!param_get_octets(p, &bytes, &len) || len != ECX_LEN)
        return 0;
    memcpy(out, bytes, len);
    *has = 1;
    return 1;
}

static int import_parts(struct ecx *key, const OSSL_PARAM *private, const OSSL_PARAM *public)
{
    uint8_t computed[ECX_LEN];
    if ((!private && !public) || !take(key->private, &key->base.has_private, private) ||
        !take(key->public, &key->base.has_public, public))
        return 0;
    if (public && (!private || !key->kind->signs))
        return 1;
    if (!public_of(computed, key))
        return 0;
    if (public && !bytes_equal(computed, key->public, ECX_LEN))
        return RAISE(key->base.provider, PROV_R_INVALID_KEY);
    memcpy(key->public, computed, ECX_LEN);
    key->base.has_public = 1;
    return 1;
}

static int ecx_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct ecx *key = keydata;
    const int with_private = selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
    if (!key || !(selection & KEYPAIR) || key->base.has_private)
        return 0;
    if (import_parts(key, with_private ? param_find(params, OSSL_PKEY_PARAM_PRIV_KEY) : NULL,
                     param_find(params, OSSL_PKEY_PARAM_PUB_KEY)))
        return 1;
    key->base.has_private = key->base.has_public = 0;
    WIPE(&key->private);
    return 0;
}

/* ecx_export gives a public key of zeros where there is none, as OpenSSL does. */
static int ecx_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct ecx *key = keydata;
    OSSL_PARAM list[3] = { bytes_param(OSSL_PKEY_PARAM_PUB_KEY, key->public, ECX_LEN), PARAM_END,
                           PARAM_END };
    if (!(selection & KEYPAIR) || !pkey_may_export(&key->base, selection))
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && key->base.has_private)
        list[1] = bytes_param(OSSL_PKEY_PARAM_PRIV_KEY, key->private, ECX_LEN);
    return callback(list, arg);
}

static const OSSL_PARAM *ecx_parts(int selection)
{
    static const struct param_spec specs[] = {
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    return selection & KEYPAIR ? pkey_types(&types, specs) : NULL;
}

/* ---- parameters ---- */

enum { BITS, SECURITY_BITS, MAX_SIZE, NUM_NUMBERS };
enum { PUBLIC = NUM_NUMBERS, PRIVATE, ENCODED, MANDATORY_DIGEST, NUM_KEYS };
static const param_name keys[NUM_KEYS] = {
    [BITS] = OSSL_PKEY_PARAM_BITS,
    [SECURITY_BITS] = OSSL_PKEY_PARAM_SECURITY_BITS,
    [MAX_SIZE] = OSSL_PKEY_PARAM_MAX_SIZE,
    [PUBLIC] = OSSL_PKEY_PARAM_PUB_KEY,
    [PRIVATE] = OSSL_PKEY_PARAM_PRIV_KEY,
    [ENCODED] = OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
    [MANDATORY_DIGEST] = OSSL_PKEY_PARAM_MANDATORY_DIGEST,
};

static int ecx_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct ecx *key = keydata;
    const int signs = key->kind->signs;
    const uint64_t numbers[NUM_NUMBERS] = {
        [BITS] = key->kind->bits, [SECURITY_BITS] = 128, [MAX_SIZE] = key->kind->max_size
    };
    int good = pkey_set_category(key->base.provider, params, 0);
    for (OSSL_PARAM *p = params; p && p->key && good; p++) {
        const int number = param_key(p, keys, NUM_KEYS);
        if (number >= 0 && number < NUM_NUMBERS)
            good = param_set_number(p, numbers[number]);
        else if (number == PUBLIC || (number == ENCODED && !signs))
            good = bytes_set(p, key->public, ECX_LEN);
        else if (number == PRIVATE && key->base.has_private)
            good = bytes_set(p, key->private, ECX_LEN);
        else if (number == MANDATORY_DIGEST && signs)
            good = param_set_text(p, ""); /* the message is never digested before */
    }
    return good;
}

/* ---- functions ---- */

any_function *ecx_keymgmt(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_LOAD:
        return (any_function *)pkey_load;
    case OSSL_FUNC_KEYMGMT_FREE:
        return (any_function *)pkey_release;
    case OSSL_FUNC_KEYMGMT_HAS:
        return (any_function *)ecx_has;
    case OSSL_FUNC_KEYMGMT_MATCH:
        return (any_function *)ecx_match;
    case OSSL_FUNC_KEYMGMT_VALIDATE:
        return (any_function *)ecx_validate;
    case OSSL_FUNC_KEYMGMT_DUP:
        return (any_function *)ecx_dup;
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)ecx_import;
    case OSSL_FUNC_KEYMGMT_EXPORT:
        return (any_function *)ecx_export;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)ecx_parts;
    case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        return (any_function *)ecx_get_params;
    default:
        return ecx_gen_function(id);
    }
}
