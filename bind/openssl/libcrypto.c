/* SPDX-License-Identifier: Apache-2.0 */
/* A provider must not be linked with libcrypto: the process may have another one, or several.  The
 * libcrypto that loaded the provider is the object that contains the functions of its core
 * (upcalls). */
#define _GNU_SOURCE /* dladdr1 */
#include "libcrypto.h"
#include "../common.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define X(name) { #name, offsetof(struct libcrypto, name) },
    LIBCRYPTO_FUNCTIONS(X)
#undef X
};

/* lies_in checks that dlsym found a function in the object itself: it searches dependencies, too,
 * and for the program itself all objects. */
static int lies_in(const void *symbol, const void *base)
{
    Dl_info info;
    return symbol && dladdr(symbol, &info) && info.dli_fbase == base;
}

static int resolve(struct libcrypto *out, void *object, const void *base)
{
    for (size_t i = 0; i < COUNT(functions); i++) {
        void *symbol = dlsym(object, functions[i].name);
        if (!lies_in(symbol, base))
            return 0;
        memcpy((char *)out + functions[i].offset, &symbol, sizeof symbol);
    }
    return 1;
}

int libcrypto_find(struct libcrypto *out, void (*upcall)(void))
{
    Dl_info info;
    struct link_map *map = NULL;
    void *address, *more = NULL;
    memcpy(&address, &upcall, sizeof address);
    if (!address || !dladdr1(address, &info, &more, RTLD_DL_LINKMAP) || !more)
        return 0;
    map = more;
    /* RTLD_NOLOAD: the loaded object of this name, or the program for NULL; no file is read */
    void *object = dlopen(*map->l_name ? map->l_name : NULL, RTLD_NOLOAD | RTLD_LAZY);
    if (!object)
        return 0;
    const int found = resolve(out, object, info.dli_fbase);
    dlclose(object); /* the object that loaded us stays loaded as long as we do */
    return found;
}
