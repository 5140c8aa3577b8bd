/* SPDX-License-Identifier: Apache-2.0 */
/* A scene in which the states of OpenSSL are random: between the calls providers, properties,
 * engines, configurations and library contexts come and go in any order. DIRECT_SEED gives other
 * random numbers. */
#include "direct.h"
#include <openssl/conf.h>
#include <openssl/engine.h>
#include <openssl/provider.h>

enum { STEPS = 120, MAX_LOADED = 6 };

static OSSL_PROVIDER *loaded[MAX_LOADED];
static size_t num_loaded;
static ENGINE *engine;
static OSSL_LIB_CTX *another, *first;

static void load(void)
{
    static const char *const names[] = { "default", "default", "legacy", "null", "odd", "no-such" };
    const char *name = names[random_number() % COUNT(names)];
    if (num_loaded == MAX_LOADED)
        return;
    OSSL_PROVIDER *p = random_number() % 2
                           ? OSSL_PROVIDER_load(NULL, name)
                           : OSSL_PROVIDER_try_load(NULL, name, (int)(random_number() % 2));
    fprintf(out, "-- load %s: %d\n", name, p != NULL);
    if (p)
        loaded[num_loaded++] = p;
}

static void unload(void)
{
    if (!num_loaded)
        return;
    const size_t i = random_number() % num_loaded;
    fprintf(out, "-- unload %zu: %d\n", i, OSSL_PROVIDER_unload(loaded[i]));
    loaded[i] = loaded[--num_loaded];
}

static void set_properties(void)
{
    static const char *const list[] = { "",           "provider=default", "?provider=odd",
                                        "?fips=yes",  "provider=none",    "-provider",
                                        "provider=(", "provider!=default" };
    const char *query = list[random_number() % COUNT(list)];
    fprintf(out, "-- properties %s: %d\n", query, EVP_set_default_properties(NULL, query));
}

static void set_fips(void)
{
    const int on = random_number() % 3 == 0;
    fprintf(out, "-- fips %d: %d\n", on, EVP_default_properties_enable_fips(NULL, on));
}

static void use_engine(void)
{
    const uint64_t how = random_number() % 3;
    fprintf(out, "-- engine %d\n", (int)how);
    if (how == 0)
        ENGINE_unregister_digests(engine);
    else if (!(how == 1 ? ENGINE_set_default_digests : ENGINE_register_digests)(engine))
        fprintf(out, "refused\n");
}

static void configure(void)
{
    fprintf(out, "-- configure %d\n", CONF_modules_load_file(getenv("DIRECT_CONFIG"), NULL, 0));
    if (random_number() % 2)
        CONF_modules_unload(1);
}

static void change_context(void)
{
    OSSL_LIB_CTX *before = OSSL_LIB_CTX_set0_default(random_number() % 2 ? another : first);
    fprintf(out, "-- context, before %s\n", before == another ? "another" : "the first");
}

static void (*const changes[])(void) = { load,       load,      unload,         unload,
                                         use_engine, configure, change_context, change_context,
                                         set_fips,   set_fips,  set_properties, set_properties };
static void (*const calls[])(void) = { digest_calls, mac_calls, aes_calls };

void random_states(void)
{
    const char *with = getenv("DIRECT_SEED");
    types_init();
    seed = with ? strtoull(with, NULL, 0) : 151;
    MUST(OSSL_PROVIDER_add_builtin(NULL, "odd", odd_provider));
    MUST((another = OSSL_LIB_CTX_new()) && (engine = own_engine()));
    MUST((first = OSSL_LIB_CTX_set0_default(NULL)));
    for (int i = 0; i < STEPS; i++) {
        for (uint64_t n = random_number() % 4; n; n--)
            changes[random_number() % COUNT(changes)]();
        say_errors();
        calls[random_number() % COUNT(calls)]();
    }
    OSSL_LIB_CTX_set0_default(first);
    ENGINE_unregister_digests(engine);
    ENGINE_free(engine);
    while (num_loaded)
        unload();
    OSSL_LIB_CTX_free(another);
}
