/* SPDX-License-Identifier: Apache-2.0 */
/* Calls after which libcrypto may answer otherwise: handed on, then a new generation begins. */
#include "direct.h"

/* Calls of other libcryptos end it too: deciding again costs little. */
static void changed(struct crypto *crypto)
{
    atomic_store(&crypto->asked, 1);
    atomic_fetch_add(&generation, 1);
}

/* After the call, whatever it returned.  The result's name is that of a value or of nothing. */
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

/* A thread that has another default context is libcrypto's alone until it goes back: the first
 * context that a thread leaves is the program's. */
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

/* Of what is left nothing may be asked. */
EXPORT void OPENSSL_cleanup(void)
{
    struct crypto *crypto = crypto_of(F_OPENSSL_cleanup, CALLER);
    if (!crypto)
        return;
    crypto_stop();
    REAL(crypto, OPENSSL_cleanup)();
}
