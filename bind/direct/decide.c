/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether libcrypto would answer a call with its default provider or with Headrace's.  It
 * is asked once in a generation, by the fetch that the call itself would make. */
#include "direct.h"
#include <stdlib.h>

_Atomic uint64_t generation = 1;
__thread struct aside aside;

const enum row_index hmac_rows[NUM_ROWS] = {
#define HR_MAC(number, sym, SYM, name, names, pkcs11, jce, digest, DIGEST) \
    [INDEX_##digest] = INDEX_##sym,
#include <headrace/algorithms.def>
};

/* fetch_EVP_MD and its siblings return the provider that a fetch finds, or NULL. */
#define FETCH(kind)                                                                            \
    static const OSSL_PROVIDER *fetch_##kind(const struct crypto *c, const char *name)         \
    {                                                                                          \
        kind *object = REAL(c, kind##_fetch)(NULL, name, NULL);                                \
        const OSSL_PROVIDER *provider = object ? REAL(c, kind##_get0_provider)(object) : NULL; \
        REAL(c, kind##_free)(object);                                                          \
        return provider;                                                                       \
    }
FETCH(EVP_MD)
FETCH(EVP_MAC)
FETCH(EVP_KDF)
FETCH(EVP_CIPHER)

/* kinds is indexed by enum hr_class.  The only MAC is HMAC. */
static const struct {
    const OSSL_PROVIDER *(*fetch)(const struct crypto *c, const char *name);
    const char *name; /* NULL: the first of the row's names */
} kinds[] = {
    [HR_CLASS_DIGEST] = { fetch_EVP_MD, NULL },
    [HR_CLASS_MAC] = { fetch_EVP_MAC, "HMAC" },
    [HR_CLASS_CIPHER] = { fetch_EVP_CIPHER, NULL },
    [HR_CLASS_KDF] = { fetch_EVP_KDF, NULL },
};

/* has_engine tells whether an engine is registered for a digest: OpenSSL prefers it to every
 * provider. */
static int has_engine(const struct crypto *c, enum row_index index)
{
    ENGINE *(*engine_for)(int) = (ENGINE * (*)(int)) c->fn[F_ENGINE_get_digest_engine];
    int (*finish)(ENGINE *) = (int (*)(ENGINE *))c->fn[F_ENGINE_finish];
    ENGINE *engine = NULL;
    for (size_t i = 0; i < NUM_DIGESTS && engine_for && finish; i++)
        if (c->digests[i].index == index && (engine = engine_for(c->digests[i].type)))
            finish(engine);
    return engine != NULL;
}

static int ask(struct crypto *c, enum row_index index)
{
    const struct hr_algorithm *row = hr_algorithm_at(index);
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(row->openssl_names, ":"),
             row->openssl_names);
    const char *name = kinds[row->cls].name ? kinds[row->cls].name : first;
    const OSSL_PROVIDER *provider = kinds[row->cls].fetch(c, name);
    const char *is = provider ? REAL(c, OSSL_PROVIDER_get0_name)(provider) : "";
    if (strcmp(is, "default") && strcmp(is, "headrace"))
        return 0;
    atomic_store(&c->providers[index], provider);
    return row->cls != HR_CLASS_DIGEST || !has_engine(c, index);
}

/* decide may run in two threads at once: both get the same verdict, or one stores the verdict of a
 * generation that is over.  A fetch may load a configuration, whose modules may call us: libcrypto
 * answers those calls. */
int decide(struct crypto *c, enum row_index index)
{
    static _Atomic int stops_at_exit;
    const uint64_t now = atomic_load(&generation);
    int yes = 0;
    if (aside.deciding || aside.other_context)
        return 0;
    aside.deciding = 1;
    if (atomic_load(&c->usable)) {
        REAL(c, ERR_set_mark)();
        yes = ask(c, index);
        REAL(c, ERR_pop_to_mark)();
        atomic_store(&c->asked, 1);
        if (!atomic_exchange(&stops_at_exit, 1))
            atexit(crypto_stop);
    }
    aside.deciding = 0;
    atomic_store_explicit(&c->verdicts[index], now << 1 | (uint64_t)yes, memory_order_release);
    return yes;
}

/* plain_digest treats two kinds of EVP_MD.  OpenSSL fetches the result of EVP_sha256() and the like
 * anew for each call, by the default properties.  A fetched EVP_MD is plain if it comes from the
 * provider that a fetch finds now.  An EVP_MD that a program made itself is never plain. */
enum row_index plain_digest(struct crypto *c, const EVP_MD *md)
{
    for (size_t i = 0; i < NUM_DIGESTS && md; i++)
        if (c->digests[i].md == md)
            return plain(c, c->digests[i].index) ? c->digests[i].index : NUM_ROWS;
    const OSSL_PROVIDER *provider =
        md && atomic_load(&c->usable) ? REAL(c, EVP_MD_get0_provider)(md) : NULL;
    const int type = provider ? REAL(c, EVP_MD_get_type)(md) : 0;
    for (size_t i = 0; i < NUM_DIGESTS && type; i++) {
        const enum row_index index = c->digests[i].index;
        if (c->digests[i].type == type && plain(c, index))
            return atomic_load(&c->providers[index]) == provider ? index : NUM_ROWS;
    }
    return NUM_ROWS;
}

enum row_index plain_named(struct crypto *c, const char *name)
{
    const enum row_index index = digest_by_name(name);
    return index != NUM_ROWS && plain(c, index) ? index : NUM_ROWS;
}
