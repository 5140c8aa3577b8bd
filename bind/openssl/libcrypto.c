/* SPDX-License-Identifier: Apache-2.0 */
/* A provider must not be linked with libcrypto: the process may have another one, or several.  The
 * libcrypto that loaded the provider is the object that contains the functions of its core
 * (upcalls). */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "libcrypto.h"
#include "../common.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded object, and the addresses of its segments. */
struct object {
    uintptr_t inside, from, to;
    const char *name; /* empty: the program itself */
};

/* is_object is called for each loaded object until it returns 1, for the one that contains
 * o->inside.  dladdr would search the object's symbols too, which takes 25 us in libcrypto. */
static int is_object(struct dl_phdr_info *info, size_t size, void *object)
{
    struct object *o = object;
    (void)size;
    o->from = UINTPTR_MAX;
    o->to = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        o->from = from < o->from ? from : o->from;
        o->to = to > o->to ? to : o->to;
    }
    o->name = info->dlpi_name;
    return o->inside >= o->from && o->inside < o->to;
}

/* resolve takes only functions in the object itself: dlsym searches dependencies, too, and for the
 * program itself all objects. */
static int resolve(void *out, const struct libcrypto_function functions[], size_t num, void *handle,
                   const struct object *o)
{
    for (size_t i = 0; i < num; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if ((uintptr_t)symbol < o->from || (uintptr_t)symbol >= o->to)
            return 0;
        memcpy((char *)out + functions[i].offset, &symbol, sizeof symbol);
    }
    return 1;
}

int libcrypto_resolve(void *out, const struct libcrypto_function functions[], size_t num,
                      void (*upcall)(void))
{
    struct object object = { .inside = (uintptr_t)upcall };
    if (!upcall || !dl_iterate_phdr(is_object, &object))
        return 0;
    /* RTLD_NOLOAD: the loaded object of this name, or the program for NULL; no file is read */
    void *handle = dlopen(*object.name ? object.name : NULL, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle)
        return 0;
    const int found = resolve(out, functions, num, handle, &object);
    dlclose(handle); /* the object that loaded us stays loaded as long as we do */
    return found;
}

#define X(f) static_assert(sizeof #f <= sizeof((struct libcrypto_function *)0)->name, "too long");
LIBCRYPTO_FUNCTIONS(X)
#undef X

int libcrypto_find(struct libcrypto *out, void (*upcall)(void))
{
    static const struct libcrypto_function functions[] = {
#define X(name) { #name, offsetof(struct libcrypto, name) },
        LIBCRYPTO_FUNCTIONS(X)
#undef X
    };
    return libcrypto_resolve(out, functions, COUNT(functions), upcall);
}
