/* SPDX-License-Identifier: Apache-2.0 */
/* New keys of ML-KEM, ML-DSA and SLH-DSA: of a seed that a program gives, or of random bytes of the
 * library context's private generator. */
#include "lattice.h"
#include <stdlib.h>

#define PARAM_SEED "seed"
enum { KEYPAIR = OSSL_KEYMGMT_SELECT_KEYPAIR };

struct generator {
    const struct provider *provider;
    enum row_index index;
    const struct hr_algorithm *row;
    int selection;
    int has_seed; /* a seed was given */
    size_t
        seed_len; /* OpenSSL's ML-DSA and SLH-DSA refuse a short one only when it makes the key */
    uint8_t seed[LATTICE_MAX_SEED];
};

static int take_seed(struct generator *g, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    const size_t want = lattice_part_len(g->row, PART_SEED);
    if (!p)
        return 1;
    g->has_seed = 0;
    const int good = param_get_octets(p, &bytes, &len) && len <= want;
    if (lattice_is_kem(g->row) ? !good || len != want : !good)
        return lattice_is_kem(g->row) ? RAISE(g->provider, PROV_R_INVALID_SEED_LENGTH) : 0;
    if (len)
        memcpy(g->seed, bytes, len);
    g->seed_len = len;
    g->has_seed = len > 0;
    return 1;
}

static int gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generator *g = genctx;
    const OSSL_PARAM *properties = param_find(params, OSSL_PKEY_PARAM_PROPERTIES);
    return (!properties || properties->data_type == OSSL_PARAM_UTF8_STRING) &&
           take_seed(g, param_find(params, PARAM_SEED));
}

/* gen_settable: "properties" is taken by ML-KEM, too, but OpenSSL 3.5 does not list it. */
static const OSSL_PARAM *gen_settable(void *genctx, void *provctx)
{
    static const struct param_spec list[] = { PARAM_TEXT(OSSL_PKEY_PARAM_PROPERTIES),
                                              PARAM_OCTETS(PARAM_SEED), PARAM_LIST_END };
    const struct generator *g = genctx;
    const OSSL_PARAM *all = param_list(provctx, LIST_LATTICE_GENERATE, list);
    return all && g && lattice_is_kem(g->row) && !is_openssl_4(provctx) ? all + 1 : all;
}

static void gen_cleanup(void *genctx)
{
    struct generator *g = genctx;
    if (g)
        WIPE(g);
    free(g);
}

void *lattice_gen_init(void *provctx, int selection, const OSSL_PARAM params[],
                       enum row_index index)
{
    struct generator *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->provider = provctx;
    g->index = index;
    g->row = hr_algorithm_at(index);
    g->selection = selection;
    if (gen_set_params(g, params))
        return g;
    gen_cleanup(g);
    return NULL;
}

static int make_key(struct lattice *key, struct generator *g)
{
    const size_t len = lattice_part_len(g->row, PART_SEED);
    if (g->has_seed && g->seed_len != len)
        return 0;
    if (!g->has_seed && !random_secret(g->provider, g->seed, len))
        return 0;
    g->has_seed = 0; /* it is used once */
    const int error = lattice_make(key, g->seed, len, 0);
    WIPE(&g->seed);
    return error ? RAISE(g->provider, PROV_R_FAILED_TO_GENERATE_KEY) : 1;
}

/* gen makes a key without parts for ML-KEM's parameters alone, to which TLS gives the peer's key.
 */
static void *gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generator *g = genctx;
    struct served served;
    const int kem = lattice_is_kem(g->row);
    if (kem && (g->selection & KEYPAIR) == OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
        return NULL;
    struct lattice *key = lattice_new(g->provider, g->index);
    if (!key || (kem && !(g->selection & KEYPAIR)))
        return key;
    if (!make_key(key, g)) {
        pkey_release(key);
        return NULL;
    }
    served_init(&served, g->index);
    served_add(&served, 0);
    stats_fold(&served);
    return key;
}

any_function *lattice_gen_function(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS:
        return (any_function *)gen_set_params;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)gen_settable;
    case OSSL_FUNC_KEYMGMT_GEN:
        return (any_function *)gen;
    case OSSL_FUNC_KEYMGMT_GEN_CLEANUP:
        return (any_function *)gen_cleanup;
    default:
        return NULL;
    }
}
