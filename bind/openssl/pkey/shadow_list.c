/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of parameters: the other provider's, which are part of its code. */
#include "shadow.h"

#define LIST(name, KIND, lister)                                                     \
    const OSSL_PARAM *shadow_##name(void *provctx, const char *type)                 \
    {                                                                                \
        const struct pkey_libcrypto *ssl = pkey_libcrypto_of(provctx);               \
        EVP_##KIND *found = ssl->EVP_##KIND##_fetch(ssl->base->libctx, type, OTHER); \
        const OSSL_PARAM *list = found ? ssl->EVP_##KIND##_##lister(found) : NULL;   \
        ssl->EVP_##KIND##_free(found);                                               \
        return list;                                                                 \
    }
SHADOW_LISTS(LIST)
#undef LIST
