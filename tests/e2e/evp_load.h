/* SPDX-License-Identifier: Apache-2.0 */
/* Both providers in one library context, for tests that have functions of test.h or of evp.h. */
#ifndef HR_TEST_EVP_LOAD_H
#define HR_TEST_EVP_LOAD_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>

#define OURS "provider=headrace"
#define THEIRS "provider!=headrace,headrace.keys!=accelerator"

/* MUST ends the test at the first condition that is false, and says where. */
#define MUST(condition)                                                      \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("Bail out! %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            ERR_print_errors_fp(stdout);                                     \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

/* struct loaded is a library context with OpenSSL's default provider (theirs), its legacy one if
 * that is installed, and ours, from the file that HEADRACE_MODULE names. */
struct loaded {
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *theirs, *legacy, *ours;
};

static inline struct loaded load_both(void)
{
    const char *module = getenv("HEADRACE_MODULE");
    struct loaded l = { .libctx = OSSL_LIB_CTX_new() };
    MUST(module && l.libctx);
    MUST((l.theirs = OSSL_PROVIDER_load(l.libctx, "default")));
    if (!(l.legacy = OSSL_PROVIDER_load(l.libctx, "legacy")))
        ERR_clear_error();
    MUST((l.ours = OSSL_PROVIDER_load(l.libctx, module)));
    return l;
}

static inline void unload_both(struct loaded *l)
{
    MUST(OSSL_PROVIDER_unload(l->ours) && OSSL_PROVIDER_unload(l->theirs));
    MUST(!l->legacy || OSSL_PROVIDER_unload(l->legacy));
    OSSL_LIB_CTX_free(l->libctx);
}

#endif
