/* SPDX-License-Identifier: Apache-2.0 */
/* Makes keys: the other provider does. */
#include "shadow.h"
#include <stdlib.h>

struct generation {
    const struct provider *provider;
    struct shadow_key *key; /* the new key is like this one */
    EVP_PKEY_CTX *other;
    OSSL_PARAM *params;      /* those that were set, for a context of a template */
    OSSL_CALLBACK *callback; /* for progress */
    void *arg;
};

void *shadow_generate_init(struct shadow_key *empty, int selection, const OSSL_PARAM params[])
{
    struct generation *g = empty ? calloc(1, sizeof *g) : NULL;
    if (!g) {
        pkey_release(empty);
        return NULL;
    }
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(empty->head.provider);
    g->provider = empty->head.provider;
    g->key = empty;
    g->other = other_begin(g->provider, empty->kind->type);
    if (g->other &&
        (selection & OSSL_KEYMGMT_SELECT_KEYPAIR ? ssl->EVP_PKEY_keygen_init(g->other)
                                                 : ssl->EVP_PKEY_paramgen_init(g->other)) > 0 &&
        shadow_generate_set_params(g, params))
        return g;
    shadow_generate_cleanup(g);
    return NULL;
}

void shadow_generate_cleanup(void *genctx)
{
    struct generation *g = genctx;
    if (!g)
        return;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(g->provider);
    ssl->EVP_PKEY_CTX_free(g->other);
    ssl->OSSL_PARAM_free(g->params);
    pkey_release(g->key);
    free(g);
}

/* remember adds to the parameters that were set. */
static int remember(struct generation *g, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(g->provider);
    OSSL_PARAM *all = ssl->OSSL_PARAM_merge(g->params, params);
    OSSL_PARAM *copy = all ? ssl->OSSL_PARAM_dup(all) : NULL;
    ssl->OSSL_PARAM_free(all);
    if (!copy)
        return 0;
    ssl->OSSL_PARAM_free(g->params);
    g->params = copy;
    return 1;
}

int shadow_generate_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *g = genctx;
    if (!params || !params->key)
        return 1;
    return pkey_libcrypto_of(g->provider)->EVP_PKEY_CTX_set_params(g->other, params) > 0 &&
           remember(g, params);
}

/* shadow_generate_set_template: the other provider's context is for a group from its beginning, so
 * there is a new one. */
int shadow_generate_set_template(void *genctx, void *from)
{
    struct generation *g = genctx;
    const struct shadow_key *key = from;
    if (!g || !key || !key->other)
        return 0;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(g->provider);
    EVP_PKEY_CTX *other = other_with(g->provider, key->other);
    if (other && ssl->EVP_PKEY_keygen_init(other) > 0 &&
        (!g->params || ssl->EVP_PKEY_CTX_set_params(other, g->params) > 0)) {
        ssl->EVP_PKEY_CTX_free(g->other);
        g->other = other;
        return 1;
    }
    ssl->EVP_PKEY_CTX_free(other);
    return 0;
}

/* EVP_PKEY_CTX_set_cb passes no argument on, but calls in the thread that generates. */
static _Thread_local const struct generation *running;

/* tell passes progress on, and returns whether to go on. */
static int tell(EVP_PKEY_CTX *other)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(running->provider);
    int potential = ssl->EVP_PKEY_CTX_get_keygen_info(other, 0);
    int iteration = ssl->EVP_PKEY_CTX_get_keygen_info(other, 1);
    const OSSL_PARAM params[] = {
        { OSSL_GEN_PARAM_POTENTIAL, OSSL_PARAM_INTEGER, &potential, sizeof potential, PARAM_NONE },
        { OSSL_GEN_PARAM_ITERATION, OSSL_PARAM_INTEGER, &iteration, sizeof iteration, PARAM_NONE },
        PARAM_END,
    };
    return running->callback(params, running->arg);
}

static EVP_PKEY *run(struct generation *g)
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(g->provider);
    const struct generation *outer = running; /* a program may generate keys in its callback */
    EVP_PKEY *made = NULL;
    running = g;
    ssl->EVP_PKEY_CTX_set_cb(g->other, g->callback ? tell : NULL);
    (void)!ssl->EVP_PKEY_generate(g->other, &made);
    running = outer;
    return made;
}

void *shadow_generate(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *g = genctx;
    struct shadow_key *key = shadow_key_new_like(g->key);
    g->callback = callback;
    g->arg = arg;
    if (key && shadow_key_hold(key, run(g)))
        return key;
    pkey_release(key);
    return NULL;
}
