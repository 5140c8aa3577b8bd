/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) of ML-KEM, ML-DSA and SLH-DSA: keys, their comparison, copies and export. */
#include "lattice.h"
#include <headrace/kem.h>
#include <headrace/sign.h>
#include <stdlib.h>

enum { KEYPAIR = OSSL_KEYMGMT_SELECT_KEYPAIR };
#define PARAM_SEED "seed"

/* ---- the library's key ---- */

static size_t made_size(const struct hr_algorithm *row)
{
    return lattice_is_kem(row) ? hr_kem_key_size(row->alg) : hr_sign_key_size(row->alg);
}

void lattice_reset(struct lattice *key)
{
    bytes_free(key->made, made_size(key->row));
    key->made = NULL;
    key->has_seed = key->base.has_private = key->base.has_public = 0;
}

static void destroy(struct pkey *base)
{
    lattice_reset((struct lattice *)base);
    free(base);
}

struct lattice *lattice_new(const struct provider *provider, enum row_index index)
{
    struct lattice *key = calloc(1, sizeof *key);
    if (!key)
        return NULL;
    pkey_init(&key->base, provider, destroy);
    key->index = index;
    key->row = hr_algorithm_at(index);
    return key;
}

size_t lattice_part_len(const struct hr_algorithm *row, enum lattice_part part)
{
    switch (part) {
    case PART_SEED:
        return lattice_is_slhdsa(row) ? 3 * row->key_len / 4 : lattice_is_kem(row) ? 64 : 32;
    case PART_PRIVATE:
        return row->key_len;
    default:
        return row->public_len;
    }
}

int lattice_has_part(const struct lattice *key, enum lattice_part part)
{
    return part == PART_SEED      ? key->has_seed
           : part == PART_PRIVATE ? key->base.has_private
                                  : key->base.has_public;
}

static int kem_part(uint8_t *out, size_t *len, const struct hr_kem_key *key, enum lattice_part part)
{
    return part == PART_SEED      ? hr_kem_key_seed(out, len, key)
           : part == PART_PRIVATE ? hr_kem_key_private(out, len, key)
                                  : hr_kem_key_public(out, len, key);
}

static int sign_part(uint8_t *out, size_t *len, const struct hr_sign_key *key,
                     enum lattice_part part)
{
    return part == PART_SEED      ? hr_sign_key_seed(out, len, key)
           : part == PART_PRIVATE ? hr_sign_key_private(out, len, key)
                                  : hr_sign_key_public(out, len, key);
}

int lattice_part(uint8_t *out, const struct lattice *key, enum lattice_part part)
{
    size_t len = lattice_part_len(key->row, part);
    return lattice_has_part(key, part) &&
           !(lattice_is_kem(key->row) ? kem_part(out, &len, key->made, part)
                                      : sign_part(out, &len, key->made, part));
}

static int init(void *made, const struct hr_algorithm *row, const uint8_t *bytes, size_t len,
                int is_public)
{
    if (lattice_is_kem(row))
        return is_public ? hr_kem_key_init_public(made, row->alg, bytes, len)
                         : hr_kem_key_init(made, row->alg, bytes, len);
    return is_public ? hr_sign_key_init_public(made, row->alg, bytes, len)
                     : hr_sign_key_init(made, row->alg, bytes, len);
}

int lattice_make(struct lattice *key, const uint8_t *bytes, size_t len, int is_public)
{
    const size_t size = made_size(key->row);
    void *made = pkey_aligned(size);
    if (!made)
        return HR_ESYSTEM;
    const int error = init(made, key->row, bytes, len, is_public);
    if (error) {
        bytes_free(made, size);
        return error;
    }
    key->made = made;
    key->base.has_public = 1;
    key->base.has_private = !is_public;
    key->has_seed = !is_public && len != key->row->key_len && !lattice_is_slhdsa(key->row);
    return 0;
}

/* ---- questions ---- */

static int lattice_has(const void *keydata, int selection)
{
    const struct lattice *key = keydata;
    if (!key)
        return 0;
    if (!(selection & KEYPAIR))
        return 1;
    return selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY ? pkey_has_secret(&key->base)
                                                       : key->base.has_public;
}

static int same_part(const struct lattice *a, const struct lattice *b, enum lattice_part part)
{
    uint8_t x[LATTICE_MAX_PRIVATE], y[LATTICE_MAX_PRIVATE];
    const int same = lattice_part(x, a, part) && lattice_part(y, b, part) &&
                     bytes_equal(x, y, lattice_part_len(a->row, part));
    if (part != PART_PUBLIC) {
        WIPE(&x);
        WIPE(&y);
    }
    return same;
}

/* lattice_match: two keys of ML-KEM that have no part are the same to OpenSSL. */
static int lattice_match(const void *keydata, const void *other_keydata, int selection)
{
    const struct lattice *key = keydata, *other = other_keydata;
    if (key->index != other->index)
        return 0;
    if (!(selection & KEYPAIR) || (lattice_is_kem(key->row) && !key->made && !other->made))
        return 1;
    return same_part(key, other, PART_PUBLIC);
}

static int lattice_validate(const void *keydata, int selection, int how)
{
    /* the parts of a key were compared when it was made, but of SLH-DSA, for which that takes as
     * long as a new key */
    const struct lattice *key = keydata;
    return lattice_has(key, selection) &&
           (!lattice_is_slhdsa(key->row) || (selection & KEYPAIR) != KEYPAIR ||
            slhdsa_is_consistent(key));
}

static void *lattice_dup(const void *keydata, int selection)
{
    const struct lattice *key = keydata;
    struct lattice *copy = lattice_new(key->base.provider, key->index);
    if (!copy || !key->made || !(selection & KEYPAIR))
        return copy;
    if (key->base.has_private && !(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY)) {
        uint8_t public[LATTICE_MAX_PUBLIC];
        if (lattice_part(public, key, PART_PUBLIC) &&
            !lattice_make(copy, public, key->row->public_len, 1))
            return copy;
    } else if ((copy->made = pkey_aligned(made_size(key->row)))) {
        memcpy(copy->made, key->made, made_size(key->row));
        copy->base.has_public = key->base.has_public;
        copy->base.has_private = key->base.has_private;
        copy->has_seed = key->has_seed;
        pkey_share(&copy->base, &key->base, selection);
        return copy;
    }
    pkey_release(copy);
    return NULL;
}

/* ---- export ---- */

static const param_name part_names[NUM_LATTICE_PARTS] = {
    [PART_SEED] = PARAM_SEED,
    [PART_PRIVATE] = OSSL_PKEY_PARAM_PRIV_KEY,
    [PART_PUBLIC] = OSSL_PKEY_PARAM_PUB_KEY,
};

static int is_selected(int selection, enum lattice_part part)
{
    return selection &
           (part == PART_PUBLIC ? OSSL_KEYMGMT_SELECT_PUBLIC_KEY : OSSL_KEYMGMT_SELECT_PRIVATE_KEY);
}

static int lattice_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct lattice *key = keydata;
    struct {
        uint8_t bytes[NUM_LATTICE_PARTS][LATTICE_MAX_PRIVATE];
    } all;
    OSSL_PARAM list[NUM_LATTICE_PARTS + 1];
    size_t num = 0;
    if (!(selection & KEYPAIR) || !pkey_may_export(&key->base, selection))
        return 0;
    for (enum lattice_part part = PART_SEED; part < NUM_LATTICE_PARTS; part++)
        if (is_selected(selection, part) && lattice_part(all.bytes[part], key, part))
            list[num++] =
                bytes_param(part_names[part], all.bytes[part], lattice_part_len(key->row, part));
    list[num] = (OSSL_PARAM)PARAM_END;
    if (!key->made)
        return lattice_is_kem(key->row) ? RAISE(key->base.provider, PROV_R_MISSING_KEY) : 0;
    /* an empty list is an error of ML-DSA only */
    const int may_be_empty = lattice_is_kem(key->row) || lattice_is_slhdsa(key->row);
    const int good = (num || may_be_empty) && callback(list, arg);
    WIPE(&all);
    return good;
}

static const OSSL_PARAM *mldsa_parts(int selection)
{
    static const struct param_spec specs[] = {
        PARAM_OCTETS(PARAM_SEED),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    return selection & KEYPAIR ? pkey_types(&types, specs) : NULL;
}

static const OSSL_PARAM *slhdsa_parts(int selection)
{
    static const struct param_spec specs[] = {
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    return selection & KEYPAIR ? pkey_types(&types, specs) : NULL;
}

static const OSSL_PARAM *mlkem_parts(int selection)
{
    static const struct param_spec specs[] = {
        PARAM_OCTETS(PARAM_SEED),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PUB_KEY),
        PARAM_LIST_END,
    };
    static struct pkey_types types;
    return selection & KEYPAIR ? pkey_types(&types, specs) : NULL;
}

/* ---- functions ---- */

static any_function *shared(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_LOAD:
        return (any_function *)pkey_load;
    case OSSL_FUNC_KEYMGMT_FREE:
        return (any_function *)pkey_release;
    case OSSL_FUNC_KEYMGMT_HAS:
        return (any_function *)lattice_has;
    case OSSL_FUNC_KEYMGMT_MATCH:
        return (any_function *)lattice_match;
    case OSSL_FUNC_KEYMGMT_VALIDATE:
        return (any_function *)lattice_validate;
    case OSSL_FUNC_KEYMGMT_DUP:
        return (any_function *)lattice_dup;
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)lattice_import;
    case OSSL_FUNC_KEYMGMT_EXPORT:
        return (any_function *)lattice_export;
    case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        return (any_function *)lattice_get_params;
    default:
        return lattice_gen_function(id);
    }
}

static any_function *kem_function(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)mlkem_parts;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)mlkem_gettable;
    case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        return (any_function *)mlkem_set_params;
    case OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS:
        return (any_function *)mlkem_settable;
    default:
        return shared(id);
    }
}

static any_function *sign_function(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)mldsa_parts;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)mldsa_gettable;
    default:
        return shared(id);
    }
}

static any_function *slhdsa_function(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)slhdsa_import;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)slhdsa_parts;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)slhdsa_gettable;
    default:
        return shared(id);
    }
}

/* Each row has two functions of its own, since OpenSSL does not say for which it calls. */
#define KEYMGMT(sym, others)                                                             \
    static void *sym##_new(void *provctx)                                                \
    {                                                                                    \
        return lattice_new(provctx, INDEX_##sym);                                        \
    }                                                                                    \
    static void *sym##_gen_init(void *provctx, int selection, const OSSL_PARAM params[]) \
    {                                                                                    \
        return lattice_gen_init(provctx, selection, params, INDEX_##sym);                \
    }                                                                                    \
    any_function *sym##_keymgmt(int id)                                                  \
    {                                                                                    \
        return id == OSSL_FUNC_KEYMGMT_NEW        ? (any_function *)sym##_new            \
               : id == OSSL_FUNC_KEYMGMT_GEN_INIT ? (any_function *)sym##_gen_init       \
                                                  : others(id);                          \
    }
KEYMGMT(mlkem512, kem_function)
KEYMGMT(mlkem768, kem_function)
KEYMGMT(mlkem1024, kem_function)
KEYMGMT(mldsa44, sign_function)
KEYMGMT(mldsa65, sign_function)
KEYMGMT(mldsa87, sign_function)
KEYMGMT(slhdsa_sha2_128s, slhdsa_function)
KEYMGMT(slhdsa_sha2_128f, slhdsa_function)
KEYMGMT(slhdsa_sha2_192s, slhdsa_function)
KEYMGMT(slhdsa_sha2_192f, slhdsa_function)
KEYMGMT(slhdsa_sha2_256s, slhdsa_function)
KEYMGMT(slhdsa_sha2_256f, slhdsa_function)
KEYMGMT(slhdsa_shake_128s, slhdsa_function)
KEYMGMT(slhdsa_shake_128f, slhdsa_function)
KEYMGMT(slhdsa_shake_192s, slhdsa_function)
KEYMGMT(slhdsa_shake_192f, slhdsa_function)
KEYMGMT(slhdsa_shake_256s, slhdsa_function)
KEYMGMT(slhdsa_shake_256f, slhdsa_function)
