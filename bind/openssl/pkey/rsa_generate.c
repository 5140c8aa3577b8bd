/* SPDX-License-Identifier: Apache-2.0 */
/* Makes RSA keys: the other provider does. */
#include "rsa.h"
#include <stdlib.h>

struct generation {
    const struct provider *provider;
    EVP_PKEY_CTX *other;
    OSSL_CALLBACK *callback; /* for progress */
    void *arg;
};

void *rsa_generate_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);
    struct generation *g = selection & OSSL_KEYMGMT_SELECT_KEYPAIR ? calloc(1, sizeof *g) : NULL;
    if (!g)
        return NULL;
    g->provider = provctx;
    g->other = other_begin(provctx, RSA_TYPE);
    if (g->other && ssl->EVP_PKEY_keygen_init(g->other) > 0 && rsa_generate_set_params(g, params))
        return g;
    rsa_generate_cleanup(g);
    return NULL;
}

void rsa_generate_cleanup(void *genctx)
{
    struct generation *g = genctx;
    if (!g)
        return;
    pkey_libcrypto_of(g->provider)->EVP_PKEY_CTX_free(g->other);
    free(g);
}

int rsa_generate_set_params(void *genctx, const OSSL_PARAM params[])
{
    const struct generation *g = genctx;
    return !params || pkey_libcrypto_of(g->provider)->EVP_PKEY_CTX_set_params(g->other, params) > 0;
}

const OSSL_PARAM *rsa_generate_settable(void *genctx, void *provctx)
{
    const struct generation *g = genctx;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);
    if (g)
        return ssl->EVP_PKEY_CTX_settable_params(g->other);
    EVP_KEYMGMT *keymgmt = ssl->EVP_KEYMGMT_fetch(ssl->base->libctx, RSA_TYPE, OTHER);
    const OSSL_PARAM *list = keymgmt ? ssl->EVP_KEYMGMT_gen_settable_params(keymgmt) : NULL;
    ssl->EVP_KEYMGMT_free(keymgmt);
    return list;
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

void *rsa_generate(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *g = genctx;
    struct rsa_key *key = rsa_key_new((void *)(uintptr_t)g->provider);
    g->callback = callback;
    g->arg = arg;
    if (key && rsa_key_hold(key, run(g)))
        return key;
    pkey_release(key);
    return NULL;
}
