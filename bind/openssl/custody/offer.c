/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders and the store.  The tables are written when OpenSSL first asks for them, since
 * tables in the module would be relocated at the start of every process. */
#include "custody.h"
#include <stdlib.h>

enum { MAX_FUNCTION = 20 }; /* of a decoder, and of a store */

struct table {
    OSSL_ALGORITHM *next;
    OSSL_DISPATCH *next_function;
};

static OSSL_ALGORITHM *begin(struct table *table, size_t num)
{
    OSSL_ALGORITHM *first =
        calloc(1, (num + 1) * sizeof *first + num * (MAX_FUNCTION + 1) * sizeof(OSSL_DISPATCH));
    if (first)
        *table = (struct table){ first, (OSSL_DISPATCH *)(first + num + 1) };
    return first;
}

static void add(struct table *table, any_function *(*function)(int id), const char *names,
                const char *properties)
{
    *table->next++ = (OSSL_ALGORITHM){ names, properties, table->next_function,
                                       "Headrace, named keys of the accelerator" };
    for (int id = 1; id <= MAX_FUNCTION; id++)
        if (function(id))
            *table->next_function++ = (OSSL_DISPATCH){ id, function(id) };
    table->next_function++; /* memory that was zeroed makes its end */
}

#define PROPERTIES "provider=headrace,input=der,structure=" REFERENCE_STRUCTURE

/* add_one offers the decoder of all types under the name of the first that has a key management. */
static void add_one(struct table *table, const struct provider *provider)
{
    const char *names = NULL;
#define X(name, keymgmt, alg) \
    if (!names)               \
        names = pkey_names(provider, custody_type(alg));
    CUSTODY_DECODERS(X)
#undef X
    if (names)
        add(table, custody_any_decoder, names, PROPERTIES);
}

/* add_each offers the decoders of types that have a key management. */
static void add_each(struct table *table, const struct provider *provider)
{
#define X(name, keymgmt, alg)                          \
    if (pkey_has_keymgmt(provider, custody_type(alg))) \
        add(table, custody_##name##_decoder, pkey_names(provider, custody_type(alg)), PROPERTIES);
    CUSTODY_DECODERS(X)
#undef X
}

static void *make_decoders(const struct provider *provider)
{
    enum {
        NUM = 1
#define X(...) +1
        CUSTODY_DECODERS(X)
#undef X
    };
    struct table table;
    OSSL_ALGORITHM *first = begin(&table, NUM);
    if (!first || !pkey_libcrypto_of(provider) || !provider->bio_gets || !provider->bio_read_ex)
        return first;
    add(&table, custody_pem_decoder, "DER", "provider=headrace,input=pem");
    if (custody_has_one_decoder(provider))
        add_one(&table, provider);
    else
        add_each(&table, provider);
    return first;
}

static void *make_stores(const struct provider *provider)
{
    struct table table;
    OSSL_ALGORITHM *first = begin(&table, 1);
    if (first && pkey_libcrypto_of(provider))
        add(&table, custody_store, "headrace", "provider=headrace");
    return first;
}

const OSSL_ALGORITHM *custody_algorithms_of(const struct provider *provider, int operation)
{
    switch (operation) {
    case OSSL_OP_DECODER:
        return part_of(provider, PART_DECODERS, make_decoders);
    case OSSL_OP_STORE:
        return part_of(provider, PART_STORES, make_stores);
    default:
        return NULL;
    }
}
