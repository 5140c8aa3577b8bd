/* SPDX-License-Identifier: Apache-2.0 */
/* provider-keymgmt(7) of the hybrid key encapsulations. */
#include "hybrid.h"
#include "lattice.h"
#include <stdlib.h>

enum { KEYPAIR = OSSL_KEYMGMT_SELECT_KEYPAIR };

const struct hybrid_group hybrid_groups[NUM_HYBRIDS] = {
    [X25519MLKEM768] = { "X25519MLKEM768", 0x11ec, INDEX_mlkem768, INDEX_x25519, 1 },
    [SECP256R1MLKEM768] = { "SecP256r1MLKEM768", 0x11eb, INDEX_mlkem768, INDEX_ecdh_p256, 0 },
    [SECP384R1MLKEM1024] = { "SecP384r1MLKEM1024", 0x11ed, INDEX_mlkem1024, INDEX_ecdh_p384, 0 },
};

/* ---- keys ---- */

static void forget(struct hybrid *key)
{
    bytes_free(key->kem_key, hr_kem_key_size(key->kem->alg));
    key->kem_key = NULL;
    WIPE(&key->curve_private);
    key->base.has_private = key->base.has_public = 0;
}

static void destroy(struct pkey *base)
{
    forget((struct hybrid *)base);
    free(base);
}

static struct hybrid *new_key(const struct provider *provider, const struct hybrid_group *group)
{
    struct hybrid *key = calloc(1, sizeof *key);
    if (!key)
        return NULL;
    pkey_init(&key->base, provider, destroy);
    key->group = group;
    key->kem = hr_algorithm_at(group->kem_row);
    key->curve = hr_algorithm_at(group->curve_row);
    return key;
}

void hybrid_count(const struct hybrid *key)
{
    const enum row_index rows[] = { key->group->kem_row, key->group->curve_row };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct served served;
        served_init(&served, rows[i]);
        served_add(&served, 0);
        stats_fold(&served);
    }
}

/* new_private draws until the bytes are a scalar of the curve, which few are not. */
static int new_private(const struct hybrid *key, struct hr_agree_key *pair, uint8_t *private)
{
    const size_t len = key->curve->key_len;
    int error = HR_EKEY;
    for (int tries = 0; error == HR_EKEY && tries < 64; tries++) {
        if (!random_secret(key->base.provider, private, len))
            return HR_ESYSTEM;
        if (key->group->curve_row == INDEX_x25519) { /* as OpenSSL keeps it; RFC 7748 section 5 */
            private[0] &= 248;
            private[len - 1] = (private[len - 1] & 127) | 64;
        }
        error = hr_agree_key_init(pair, key->curve->alg, private, len);
    }
    return error;
}

static int with_public(const struct hybrid *key, const struct hr_agree_key *pair, uint8_t *public)
{
    size_t len = key->curve->public_len;
    return hr_agree_key_public(public, &len, pair);
}

int hybrid_new_pair(const struct hybrid *key, struct hr_agree_key *pair, uint8_t *public)
{
    uint8_t private[HYBRID_MAX_CURVE_PRIVATE];
    int error = new_private(key, pair, private);
    WIPE(&private);
    if (!error)
        error = with_public(key, pair, public);
    return error ? RAISE_HR(key->base.provider, error) : 1;
}

/* ---- parts ---- */

static int make_kem(struct hybrid *key, const uint8_t *bytes, size_t len, int is_public)
{
    key->kem_key = pkey_aligned(hr_kem_key_size(key->kem->alg));
    if (!key->kem_key)
        return HR_ESYSTEM;
    return is_public ? hr_kem_key_init_public(key->kem_key, key->kem->alg, bytes, len)
                     : hr_kem_key_init(key->kem_key, key->kem->alg, bytes, len);
}

static int fail(struct hybrid *key, uint32_t reason)
{
    forget(key);
    return RAISE(key->base.provider, reason);
}

/* make_public takes both public keys.  The check of a NIST curve's point is cheap, and done here,
 * where TLS gives it; that of X25519's is the multiplication that will follow. */
static int make_public(struct hybrid *key, const uint8_t *bytes)
{
    const struct hybrid_halves at = hybrid_split(key, key->kem->public_len, key->curve->public_len);
    if ((key->group->curve_row != INDEX_x25519 &&
         hr_agree_check(key->curve->alg, bytes + at.curve, key->curve->public_len)) ||
        make_kem(key, bytes + at.kem, key->kem->public_len, 1))
        return fail(key, PROV_R_INVALID_KEY);
    memcpy(key->curve_public, bytes + at.curve, key->curve->public_len);
    key->base.has_public = 1;
    return 1;
}

/* make_private takes what OpenSSL takes: ML-KEM's part must open what it closes. */
static int make_private(struct hybrid *key, const uint8_t *bytes)
{
    const struct hybrid_halves at = hybrid_split(key, key->kem->key_len, key->curve->key_len);
    struct hr_agree_key pair;
    memcpy(key->curve_private, bytes + at.curve, key->curve->key_len);
    int error = make_kem(key, bytes + at.kem, key->kem->key_len, 0);
    if (!error && (!lattice_is_reduced(key->kem, bytes + at.kem) ||
                   !lattice_is_consistent(key->base.provider, key->kem_key)))
        error = HR_EKEY;
    if (!error)
        error = hr_agree_key_init(&pair, key->curve->alg, bytes + at.curve, key->curve->key_len);
    if (!error)
        error = with_public(key, &pair, key->curve_public);
    hr_agree_key_wipe(&pair);
    if (error)
        return fail(key, PROV_R_INVALID_KEY);
    key->base.has_public = key->base.has_private = 1;
    return 1;
}

static int write_public(uint8_t *out, const struct hybrid *key)
{
    const struct hybrid_halves at = hybrid_split(key, key->kem->public_len, key->curve->public_len);
    size_t len = key->kem->public_len;
    memcpy(out + at.curve, key->curve_public, key->curve->public_len);
    return !hr_kem_key_public(out + at.kem, &len, key->kem_key);
}

static int write_private(uint8_t *out, const struct hybrid *key)
{
    const struct hybrid_halves at = hybrid_split(key, key->kem->key_len, key->curve->key_len);
    size_t len = key->kem->key_len;
    memcpy(out + at.curve, key->curve_private, key->curve->key_len);
    return !hr_kem_key_private(out + at.kem, &len, key->kem_key);
}

static size_t public_len(const struct hybrid *key)
{
    return (size_t)key->kem->public_len + key->curve->public_len;
}

static size_t private_len(const struct hybrid *key)
{
    return (size_t)key->kem->key_len + key->curve->key_len;
}

/* ---- questions ---- */

static int has(const void *keydata, int selection)
{
    const struct hybrid *key = keydata;
    return key && (!(selection & KEYPAIR) ||
                   (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY ? key->base.has_private
                                                                : key->base.has_public));
}

static int match(const void *keydata, const void *other_keydata, int selection)
{
    const struct hybrid *key = keydata, *other = other_keydata;
    uint8_t a[HYBRID_MAX_PUBLIC], b[HYBRID_MAX_PUBLIC];
    if (key->group != other->group || key->base.has_public != other->base.has_public)
        return key->group == other->group && !(selection & KEYPAIR);
    return !(selection & KEYPAIR) || !key->base.has_public ||
           (write_public(a, key) && write_public(b, other) && bytes_equal(a, b, public_len(key)));
}

static void *dup(const void *keydata, int selection)
{
    const struct hybrid *key = keydata;
    struct hybrid *copy = new_key(key->base.provider, key->group);
    uint8_t public[HYBRID_MAX_PUBLIC];
    int good = copy != NULL;
    if (!copy || !key->kem_key || !(selection & KEYPAIR))
        return copy;
    if (key->base.has_private && selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) {
        const size_t size = hr_kem_key_size(key->kem->alg);
        copy->kem_key = pkey_aligned(size);
        good = copy->kem_key != NULL;
        if (good)
            memcpy(copy->kem_key, key->kem_key, size);
        memcpy(copy->curve_public, key->curve_public, sizeof key->curve_public);
        memcpy(copy->curve_private, key->curve_private, sizeof key->curve_private);
        copy->base.has_private = copy->base.has_public = 1;
    } else {
        good = write_public(public, key) && make_public(copy, public);
    }
    if (good)
        return copy;
    pkey_release(copy);
    return NULL;
}

/* ---- import and export ---- */

static int import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct hybrid *key = keydata;
    const OSSL_PARAM *public = param_find(params, OSSL_PKEY_PARAM_PUB_KEY);
    const OSSL_PARAM *private = selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY
                                    ? param_find(params, OSSL_PKEY_PARAM_PRIV_KEY)
                                    : NULL;
    const void *pub = NULL, *priv = NULL;
    size_t pub_len = 0, priv_len = 0;
    if (!key || key->kem_key || !(selection & KEYPAIR) ||
        (public && !param_get_octets(public, &pub, &pub_len)) ||
        (private && !param_get_octets(private, &priv, &priv_len)))
        return 0;
    if (!pub_len && !priv_len)
        return RAISE(key->base.provider, PROV_R_MISSING_KEY);
    if ((pub_len && pub_len != public_len(key)) || (priv_len && priv_len != private_len(key)))
        return RAISE(key->base.provider, PROV_R_INVALID_KEY_LENGTH);
    return priv_len ? make_private(key, priv) : make_public(key, pub);
}

static int export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct hybrid *key = keydata;
    uint8_t pub[HYBRID_MAX_PUBLIC], priv[HYBRID_MAX_PRIVATE];
    OSSL_PARAM list[3] = { PARAM_END, PARAM_END, PARAM_END }, *next = list;
    if (!(selection & KEYPAIR))
        return 0;
    if (!key->kem_key)
        return RAISE(key->base.provider, PROV_R_MISSING_KEY);
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && write_public(pub, key))
        *next++ = bytes_param(OSSL_PKEY_PARAM_PUB_KEY, pub, public_len(key));
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && key->base.has_private &&
        write_private(priv, key))
        *next++ = bytes_param(OSSL_PKEY_PARAM_PRIV_KEY, priv, private_len(key));
    const int good = callback(list, arg);
    WIPE(&priv);
    return good;
}

static const OSSL_PARAM *parts(int selection)
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

/* answer writes a part in place if the parameter has room. */
static int answer(OSSL_PARAM *p, const struct hybrid *key, size_t len,
                  int (*write)(uint8_t *out, const struct hybrid *key))
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return 0;
    p->return_size = len;
    if (!p->data)
        return 1;
    if (p->data_size < len)
        return RAISE(key->base.provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    return write(p->data, key);
}

/* get_params: the bits are ML-KEM's. */
static int get_params(void *keydata, OSSL_PARAM params[])
{
    const struct hybrid *key = keydata;
    const int large = key->group->kem_row == INDEX_mlkem1024;
    OSSL_PARAM *pub = (OSSL_PARAM *)param_find(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    OSSL_PARAM *priv = (OSSL_PARAM *)param_find(params, OSSL_PKEY_PARAM_PRIV_KEY);
    const size_t ct = hr_kem_ciphertext_len(key->kem->alg) + key->curve->public_len;
    return pkey_set_int(params, OSSL_PKEY_PARAM_BITS, large ? 1024 : 768) &&
           pkey_set_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, large ? 256 : 192) &&
           pkey_set_int(params, OSSL_PKEY_PARAM_MAX_SIZE, (int)ct) &&
           pkey_set_category(key->base.provider, params, large ? 5 : 3) &&
           (!pub || !key->base.has_public || answer(pub, key, public_len(key), write_public)) &&
           (!priv || !key->base.has_private || answer(priv, key, private_len(key), write_private));
}

static const OSSL_PARAM *gettable(void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_INT(OSSL_PKEY_PARAM_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_SECURITY_BITS),
        PARAM_INT(OSSL_PKEY_PARAM_MAX_SIZE),
        PARAM_INT_SINCE(CATEGORY_SINCE, PARAM_CATEGORY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
        PARAM_OCTETS(OSSL_PKEY_PARAM_PRIV_KEY),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_HYBRID_GOT, list);
}

static int set_params(void *keydata, const OSSL_PARAM params[])
{
    struct hybrid *key = keydata;
    const OSSL_PARAM *p = param_find(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    const void *bytes;
    size_t len;
    if (!p)
        return 1;
    if (key->kem_key)
        return RAISE(key->base.provider, PROV_R_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE);
    if (!param_get_octets(p, &bytes, &len))
        return 0;
    if (len != public_len(key))
        return RAISE(key->base.provider, PROV_R_INVALID_KEY);
    return make_public(key, bytes);
}

static const OSSL_PARAM *settable(void *provctx)
{
    static const struct param_spec list[] = { PARAM_OCTETS(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY),
                                              PARAM_TEXT_SINCE(400, OSSL_PKEY_PARAM_PROPERTIES),
                                              PARAM_LIST_END };
    return param_list(provctx, LIST_HYBRID_TAKEN, list);
}

/* ---- new keys ---- */

struct generator {
    const struct provider *provider;
    const struct hybrid_group *group;
    int selection;
};

static int gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    const OSSL_PARAM *properties = param_find(params, OSSL_PKEY_PARAM_PROPERTIES);
    return !properties || properties->data_type == OSSL_PARAM_UTF8_STRING;
}

/* gen_settable: OpenSSL 3.5 lists the properties as octets, though it takes text. */
static const OSSL_PARAM *gen_settable(void *genctx, void *provctx)
{
    static const struct param_spec octets[] = { PARAM_OCTETS(OSSL_PKEY_PARAM_PROPERTIES),
                                                PARAM_LIST_END };
    static const struct param_spec text[] = { PARAM_TEXT(OSSL_PKEY_PARAM_PROPERTIES),
                                              PARAM_LIST_END };
    return param_list(provctx, LIST_HYBRID_GENERATE, is_openssl_4(provctx) ? text : octets);
}

static void *gen_init(void *provctx, int selection, const OSSL_PARAM params[],
                      enum hybrid_name name)
{
    struct generator *g = gen_set_params(NULL, params) ? malloc(sizeof *g) : NULL;
    if (g)
        *g = (struct generator){ provctx, &hybrid_groups[name], selection };
    return g;
}

static int generate(struct hybrid *key)
{
    uint8_t seed[HR_KEM_SEED_LEN];
    struct hr_agree_key pair;
    int error = random_secret(key->base.provider, seed, sizeof seed)
                    ? make_kem(key, seed, sizeof seed, 0)
                    : HR_ESYSTEM;
    WIPE(&seed);
    if (!error)
        error = new_private(key, &pair, key->curve_private);
    if (!error)
        error = with_public(key, &pair, key->curve_public);
    hr_agree_key_wipe(&pair);
    if (error)
        return fail(key, PROV_R_FAILED_TO_GENERATE_KEY);
    key->base.has_private = key->base.has_public = 1;
    hybrid_count(key);
    return 1;
}

static void *gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    const struct generator *g = genctx;
    if ((g->selection & KEYPAIR) == OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
        return NULL;
    struct hybrid *key = new_key(g->provider, g->group);
    if (!key || !(g->selection & KEYPAIR) || generate(key))
        return key;
    pkey_release(key);
    return NULL;
}

/* ---- functions ---- */

static any_function *shared(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_FREE:
        return (any_function *)pkey_release;
    case OSSL_FUNC_KEYMGMT_HAS:
        return (any_function *)has;
    case OSSL_FUNC_KEYMGMT_MATCH:
        return (any_function *)match;
    case OSSL_FUNC_KEYMGMT_DUP:
        return (any_function *)dup;
    case OSSL_FUNC_KEYMGMT_IMPORT:
        return (any_function *)import;
    case OSSL_FUNC_KEYMGMT_EXPORT:
        return (any_function *)export;
    case OSSL_FUNC_KEYMGMT_IMPORT_TYPES:
    case OSSL_FUNC_KEYMGMT_EXPORT_TYPES:
        return (any_function *)parts;
    case OSSL_FUNC_KEYMGMT_GET_PARAMS:
        return (any_function *)get_params;
    case OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS:
        return (any_function *)gettable;
    case OSSL_FUNC_KEYMGMT_SET_PARAMS:
        return (any_function *)set_params;
    case OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS:
        return (any_function *)settable;
    case OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS:
        return (any_function *)gen_set_params;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)gen_settable;
    case OSSL_FUNC_KEYMGMT_GEN:
        return (any_function *)gen;
    case OSSL_FUNC_KEYMGMT_GEN_CLEANUP:
        return (any_function *)free;
    default:
        return NULL;
    }
}

#define HYBRID(sym, name)                                                                \
    static void *sym##_new(void *provctx)                                                \
    {                                                                                    \
        return new_key(provctx, &hybrid_groups[name]);                                   \
    }                                                                                    \
    static void *sym##_gen_init(void *provctx, int selection, const OSSL_PARAM params[]) \
    {                                                                                    \
        return gen_init(provctx, selection, params, name);                               \
    }                                                                                    \
    any_function *sym##_keymgmt(int id)                                                  \
    {                                                                                    \
        return id == OSSL_FUNC_KEYMGMT_NEW        ? (any_function *)sym##_new            \
               : id == OSSL_FUNC_KEYMGMT_GEN_INIT ? (any_function *)sym##_gen_init       \
                                                  : shared(id);                          \
    }
HYBRID(x25519mlkem768, X25519MLKEM768)
HYBRID(secp256r1mlkem768, SECP256R1MLKEM768)
HYBRID(secp384r1mlkem1024, SECP384R1MLKEM1024)
