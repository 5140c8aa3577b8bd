/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the provider calls in the libcrypto that loaded it, because no upcall
 * (function of OpenSSL's core) does the same. */
#ifndef HR_PROVIDER_LIBCRYPTO_H
#define HR_PROVIDER_LIBCRYPTO_H

#include <openssl/core.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

#define LIBCRYPTO_FUNCTIONS(X)  \
    X(EVP_KDF_fetch)            \
    X(EVP_KDF_free)             \
    X(EVP_KDF_CTX_new)          \
    X(EVP_KDF_CTX_free)         \
    X(EVP_KDF_CTX_set_params)   \
    X(EVP_KDF_CTX_get_kdf_size) \
    X(EVP_KDF_derive)           \
    X(EVP_MAC_fetch)            \
    X(EVP_MAC_free)             \
    X(EVP_MAC_CTX_new)          \
    X(EVP_MAC_CTX_dup)          \
    X(EVP_MAC_CTX_free)         \
    X(EVP_MAC_CTX_set_params)   \
    X(EVP_MAC_init)             \
    X(EVP_MAC_update)           \
    X(EVP_MAC_final)            \
    X(RAND_bytes_ex)            \
    X(RAND_priv_bytes_ex)

struct libcrypto {
    OSSL_LIB_CTX *libctx; /* the library context that the provider serves; NULL: the default one */
    int found;            /* 0: the functions were not found */
#define X(name) __typeof__(name) *name;
    LIBCRYPTO_FUNCTIONS(X)
#undef X
};

/* libcrypto_find finds the functions in the object that contains `upcall`, any function of
 * OpenSSL's core.  It returns 1, or 0 if that object does not export them, as a program that is
 * linked with libcrypto.a. */
int libcrypto_find(struct libcrypto *out, void (*upcall)(void));

#endif
