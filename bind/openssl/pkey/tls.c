/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and signatures of TLS (provider-base(7), CAPABILITIES).  libssl takes a group only from
 * the provider whose key management it fetches for the group's algorithm.  Where that is ours, the
 * groups of the default provider would vanish, with all curves that it passes on.  So its own
 * entries are given, for each algorithm of ours. */
#include "other.h"
#include "pq/hybrid.h"
#include <strings.h>

/* struct filter passes on an entry whose algorithm is offered here. */
struct filter {
    const struct provider *provider;
    OSSL_CALLBACK *callback;
    void *arg;
};

/* The parameters that may name an entry's key management.  The last two came with OpenSSL 3.2. */
static const param_name algorithm_keys[] = { "tls-group-alg", "tls-sigalg-keytype",
                                             "tls-sigalg-name" };

static int pass_on(const OSSL_PARAM params[], void *arg)
{
    const struct filter *filter = arg;
    const char *name;
    size_t len;
    for (size_t i = 0; i < COUNT(algorithm_keys); i++) {
        const OSSL_PARAM *p = param_find(params, algorithm_keys[i]);
        if (p && param_get_text(p, &name, &len))
            return !pkey_has_keymgmt(filter->provider, name) ||
                   filter->callback(params, filter->arg);
    }
    return 1;
}

/* other_provider returns the provider that has the algorithm without us, or NULL. */
static const OSSL_PROVIDER *other_provider(const struct pkey_libcrypto *ssl, const char *names)
{
    char name[32];
    const size_t len = strcspn(names, ":");
    if (len >= sizeof name)
        return NULL;
    memcpy(name, names, len);
    name[len] = '\0';
    EVP_KEYMGMT *keymgmt = ssl->EVP_KEYMGMT_fetch(ssl->base->libctx, name, OTHER);
    const OSSL_PROVIDER *provider = keymgmt ? ssl->EVP_KEYMGMT_get0_provider(keymgmt) : NULL;
    ssl->EVP_KEYMGMT_free(keymgmt);
    return provider;
}

/* pkey_capabilities asks the provider of the first algorithm that another one has: the others are
 * of the same. */
int pkey_capabilities(void *provctx, const char *capability, OSSL_CALLBACK *callback, void *arg)
{
    struct filter filter = { provctx, callback, arg };
    const OSSL_PROVIDER *other = NULL;
    const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);
    const OSSL_ALGORITHM *ours = pkey_algorithms_of(provctx, OSSL_OP_KEYMGMT);
    for (; ssl && ours && ours->algorithm_names && !other; ours++)
        other = other_provider(ssl, ours->algorithm_names);
    if (other && !ssl->OSSL_PROVIDER_get_capabilities(other, capability, pass_on, &filter))
        return 0;
    return strcasecmp(capability, "TLS-GROUP") || groups_offer(provctx, callback, arg);
}
