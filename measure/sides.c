/* SPDX-License-Identifier: Apache-2.0 */
/* Opens two library contexts of one libcrypto: one with OpenSSL's own providers, and one with
 * Headrace in addition. */
#include "../cli/algorithm.h"
#include "../cli/module.h"
#include "ways_state.h"
#include <string.h>

/* The module's directory: `chosen`, or that of the module that is found. */
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

static bool load(struct sides *sides, OSSL_LIB_CTX *libctx, const char *name)
{
    size_t i = 0;
    while (sides->providers[i])
        i++;
    sides->providers[i] = sides->ssl->OSSL_PROVIDER_load(libctx, name);
    return sides->providers[i] != NULL;
}

/* Loads the legacy provider for single DES, if its file is installed. One-shot calls use the
 * global context, which loads the default provider by itself only as long as it has no other
 * one. */
static void load_legacy(struct sides *sides)
{
    if (!load(sides, sides->stock, "legacy") || !load(sides, NULL, "default") ||
        !load(sides, NULL, "legacy"))
        sides->ssl->ERR_clear_error();
}

bool sides_compare(const struct sides *sides, const struct hr_algorithm *row)
{
    const struct openssl *ssl = sides->ssl;
    char name[64];
    EVP_CIPHER *cipher = NULL;
    EVP_MAC *mac = NULL;
    if (!*row->openssl_names) /* a MAC to which the cipher is a parameter */
        return algorithm_mac_of_cipher(row, NULL) != NULL;
    ways_openssl_name(row->openssl_names, name, sizeof name);
    if (tool_is_mac(row) && !row->digest)
        mac = ssl->EVP_MAC_fetch(sides->stock, name, NULL);
    else if (row->mode)
        cipher = ssl->EVP_CIPHER_fetch(sides->stock, name, NULL);
    else
        return true;
    const bool has = mac || cipher;
    if (!has)
        ssl->ERR_clear_error();
    ssl->EVP_CIPHER_free(cipher);
    ssl->EVP_MAC_free(mac);
    return has;
}

int sides_open(struct sides *sides, const char *libcrypto, const char *module_dir)
{
    char dir[PATH_MAX], what[PATH_MAX + 64];
    *sides = (struct sides){ .ssl = openssl_open(libcrypto) };
    const struct openssl *ssl = sides->ssl;
    if (!ssl)
        return EXIT_FAILURE;
    module_dir_of(dir, module_dir, ssl);
    /* one-shot calls use the global context, which must not read this machine's configuration */
    ssl->OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    sides->stock = ssl->OSSL_LIB_CTX_new();
    sides->ours = ssl->OSSL_LIB_CTX_new();
    if (!sides->stock || !sides->ours || !load(sides, sides->stock, "default") ||
        !load(sides, sides->ours, "default"))
        return failed(sides, "cannot load OpenSSL's default provider");
    if (!ssl->OSSL_PROVIDER_set_default_search_path(sides->ours, dir) ||
        !load(sides, sides->ours, "headrace")) {
        snprintf(what, sizeof what, "cannot load the provider %s/headrace.so", dir);
        return failed(sides, what);
    }
    load_legacy(sides);
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
