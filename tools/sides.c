/* SPDX-License-Identifier: Apache-2.0 */
/* Two library contexts of one libcrypto: the default provider alone, and Headrace beside it. */
#define _GNU_SOURCE
#include "ways.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { DIR_LEN = PATH_MAX + 32 };

/* The build tree's provider when the program runs from there, else OpenSSL's own directory. */
static void module_dir_of(char *out, size_t out_len, const struct openssl *ssl)
{
    static const char in_tree[] = "/../bind/openssl";
    char exe[PATH_MAX], file[DIR_LEN + 16];
    const ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash) {
        *slash = '\0';
        snprintf(out, out_len, "%s%s", exe, in_tree);
        snprintf(file, sizeof file, "%s/headrace.so", out);
        if (access(file, R_OK) == 0)
            return;
    }
    const char *modules = ssl->OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
    snprintf(out, out_len, "%s", modules ? modules : "");
}

static int failed(struct sides *sides, const char *what)
{
    char reason[160];
    openssl_reason(sides->ssl, reason, sizeof reason);
    sides_close(sides);
    return tool_error("%s: %s", what, reason);
}

int sides_open(struct sides *sides, const char *libcrypto, const char *module_dir)
{
    char dir[DIR_LEN], what[DIR_LEN + 64];
    *sides = (struct sides){ .ssl = openssl_open(libcrypto) };
    const struct openssl *ssl = sides->ssl;
    if (!ssl)
        return EXIT_FAILURE;
    if (module_dir)
        snprintf(dir, sizeof dir, "%s", module_dir);
    else
        module_dir_of(dir, sizeof dir, ssl);
    /* the one-shot calls use the global context: keep this machine's configuration out of it */
    ssl->OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    sides->stock = ssl->OSSL_LIB_CTX_new();
    sides->ours = ssl->OSSL_LIB_CTX_new();
    if (!sides->stock || !sides->ours || !ssl->OSSL_PROVIDER_load(sides->stock, "default") ||
        !ssl->OSSL_PROVIDER_load(sides->ours, "default"))
        return failed(sides, "cannot load OpenSSL's default provider");
    if (!ssl->OSSL_PROVIDER_set_default_search_path(sides->ours, dir) ||
        !ssl->OSSL_PROVIDER_load(sides->ours, "headrace")) {
        snprintf(what, sizeof what, "cannot load the provider %s/headrace.so", dir);
        return failed(sides, what);
    }
    return EXIT_SUCCESS;
}

/* Freeing a library context unloads its providers. */
void sides_close(struct sides *sides)
{
    if (!sides->ssl)
        return;
    sides->ssl->OSSL_LIB_CTX_free(sides->stock);
    sides->ssl->OSSL_LIB_CTX_free(sides->ours);
    sides->stock = sides->ours = NULL;
}
