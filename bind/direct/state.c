/* SPDX-License-Identifier: Apache-2.0 */
/* Calls after which libcrypto may answer later calls differently: they are handed on, then a new
 * generation begins. */
#include "direct.h"

/* changed begins a new generation for every libcrypto of the process: deciding again costs
 * little. */
static void changed(struct crypto *crypto)
{
    atomic_store(&crypto->asked, 1);
    atomic_fetch_add(&generation, 1);
}

/* end_generation runs after the call, whatever it returned: it is the cleanup of the variable
 * `crypto`.  CHANGE's argument `failed` is a value, or empty for a function that returns
 * nothing. */
static inline void end_generation(struct crypto **crypto)
{
    if (*crypto)
        changed(*crypto);
}

#define CHANGE(result, failed, name, parameters, arguments)              \
    result name parameters;                                              \
    EXPORT result name parameters                                        \
    {                                                                    \
        __attribute__((cleanup(end_generation))) struct crypto *crypto = \
            crypto_of(F_##name, CALLER);                                 \
        if (!crypto || !crypto->fn[F_##name])                            \
            return failed;                                               \
        return ((__typeof__(&name))crypto->fn[F_##name])arguments;       \
    }
#include "functions.def"

/* OSSL_LIB_CTX_set0_default: libcrypto answers all calls of a thread while its default context is
 * not the program's, which is the one that the thread's first call replaces. */
EXPORT OSSL_LIB_CTX *OSSL_LIB_CTX_set0_default(OSSL_LIB_CTX *libctx)
{
    static __thread OSSL_LIB_CTX *programs;
    struct crypto *crypto = crypto_of(F_OSSL_LIB_CTX_set0_default, CALLER);
    if (!crypto || !crypto->fn[F_OSSL_LIB_CTX_set0_default])
        return NULL;
    OSSL_LIB_CTX *before = REAL(crypto, OSSL_LIB_CTX_set0_default)(libctx);
    if (!programs)
        programs = before;
    if (libctx)
        aside.other_context = libctx != programs;
    return before;
}

/* OPENSSL_cleanup: afterwards libcrypto must not be asked for decisions. */
EXPORT void OPENSSL_cleanup(void)
{
    struct crypto *crypto = crypto_of(F_OPENSSL_cleanup, CALLER);
    if (!crypto)
        return;
    crypto_stop();
    REAL(crypto, OPENSSL_cleanup)();
}
