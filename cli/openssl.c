/* SPDX-License-Identifier: Apache-2.0 */
#include "openssl.h"
#include "tool.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const char *const sonames[] = { "libcrypto.so.3", "libcrypto.so.4" };

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define X(name) { #name, offsetof(struct openssl, name) },
    OPENSSL_FUNCTIONS(X)
#undef X
};

static bool resolve(struct openssl *ssl)
{
    for (size_t i = 0; i < COUNT(functions); i++) {
        void *symbol = dlsym(ssl->handle, functions[i].name);
        if (!symbol) {
            tool_error("%s has no %s: OpenSSL 3.0 or later is needed", ssl->path,
                       functions[i].name);
            return false;
        }
        memcpy((char *)ssl + functions[i].offset, &symbol, sizeof symbol);
    }
    return true;
}

const struct openssl *openssl_open(const char *path)
{
    static struct openssl ssl;
    if (ssl.handle)
        return &ssl;
    struct openssl found = { .path = path };
    if (path)
        found.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !path && !found.handle && i < COUNT(sonames); i++) {
        found.path = sonames[i];
        found.handle = dlopen(found.path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!found.handle) {
        tool_error("cannot open OpenSSL: %s", dlerror());
        return NULL;
    }
    if (!resolve(&found)) {
        dlclose(found.handle);
        return NULL;
    }
    ssl = found;
    return &ssl;
}

void openssl_reason(const struct openssl *ssl, char *out, size_t out_len)
{
    const char *file, *func, *data = NULL;
    int line, flags = 0;
    const unsigned long code = ssl->ERR_get_error_all(&file, &line, &func, &data, &flags);
    const char *reason = code ? ssl->ERR_reason_error_string(code) : NULL;
    snprintf(out, out_len, "%s%s%s", reason ? reason : "unknown reason",
             data && *data && flags & ERR_TXT_STRING ? ": " : "",
             data && flags & ERR_TXT_STRING ? data : "");
    ssl->ERR_clear_error();
}
