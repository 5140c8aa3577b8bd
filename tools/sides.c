/* SPDX-License-Identifier: Apache-2.0 */
/* Two library contexts of one libcrypto: the default provider alone, and Headrace beside it. */
#include "module.h"
#include "ways.h"
#include <string.h>

/* `chosen`, or the directory of the module that is found. */
static void module_dir_of(char out[PATH_MAX], const char *chosen, const struct openssl *ssl)
{
    struct module module;
    module_find(&module, ssl);
    snprintf(out, PATH_MAX, "%s", chosen ? chosen : module.path);
    if (!chosen)
        *strrchr(out, '/') = '\0';
}

static int failed(struct sides *sides, const char *what)
{
    char reason[512];
    openssl_reason(sides->ssl, reason, sizeof reason);
    sides_close(sides);
    return tool_error("%s: %s", what, reason);
}

static bool load(struct sides *sides, int i, OSSL_LIB_CTX *libctx, const char *name)
{
    sides->providers[i] = sides->ssl->OSSL_PROVIDER_load(libctx, name);
    return sides->providers[i] != NULL;
}

int sides_open(struct sides *sides, const char *libcrypto, const char *module_dir)
{
    char dir[PATH_MAX], what[PATH_MAX + 64];
    *sides = (struct sides){ .ssl = openssl_open(libcrypto) };
    const struct openssl *ssl = sides->ssl;
    if (!ssl)
        return EXIT_FAILURE;
    module_dir_of(dir, module_dir, ssl);
    /* the one-shot calls use the global context: keep this machine's configuration out of it */
    ssl->OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    sides->stock = ssl->OSSL_LIB_CTX_new();
    sides->ours = ssl->OSSL_LIB_CTX_new();
    if (!sides->stock || !sides->ours || !load(sides, 0, sides->stock, "default") ||
        !load(sides, 1, sides->ours, "default"))
        return failed(sides, "cannot load OpenSSL's default provider");
    if (!ssl->OSSL_PROVIDER_set_default_search_path(sides->ours, dir) ||
        !load(sides, 2, sides->ours, "headrace")) {
        snprintf(what, sizeof what, "cannot load the provider %s/headrace.so", dir);
        return failed(sides, what);
    }
    return EXIT_SUCCESS;
}

void sides_close(struct sides *sides)
{
    if (!sides->ssl)
        return;
    for (size_t i = 0; i < COUNT(sides->providers); i++)
        if (sides->providers[i])
            sides->ssl->OSSL_PROVIDER_unload(sides->providers[i]);
    sides->ssl->OSSL_LIB_CTX_free(sides->stock);
    sides->ssl->OSSL_LIB_CTX_free(sides->ours);
    *sides = (struct sides){ 0 };
}
