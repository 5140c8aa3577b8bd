/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto's functions for public keys are found apart from the others, which are fewer, so that
 * only a process that uses such keys pays for them. */
#include "libcrypto.h"
#include "../provider.h"
#include <stdlib.h>

#define X(f) static_assert(sizeof #f <= sizeof((struct libcrypto_function *)0)->name, "too long");
PKEY_LIBCRYPTO_FUNCTIONS(X)
#undef X

static void *find(const struct provider *provider)
{
    static const struct libcrypto_function functions[] = {
#define X(name) { #name, offsetof(struct pkey_libcrypto, name) },
        PKEY_LIBCRYPTO_FUNCTIONS(X)
#undef X
    };
    struct pkey_libcrypto *found = calloc(1, sizeof *found);
    const struct libcrypto *base = libcrypto_of(provider);
    if (found && base &&
        libcrypto_resolve(found, functions, COUNT(functions), (void (*)(void))provider->get_libctx))
        found->base = base;
    return found;
}

const struct pkey_libcrypto *pkey_libcrypto_of(const struct provider *provider)
{
    const struct pkey_libcrypto *found = part_of(provider, PART_LIBCRYPTO_PKEY, find);
    return found && found->base ? found : NULL;
}
