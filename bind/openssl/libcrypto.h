/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the provider calls in the libcrypto that loaded it, because no upcall
 * (function of OpenSSL's core) does the same. */
#ifndef HR_PROVIDER_LIBCRYPTO_H
#define HR_PROVIDER_LIBCRYPTO_H

#include <openssl/core.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <stddef.h>

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
    X(EVP_MAC_CTX_get_params)   \
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

/* struct libcrypto_function is a function's name and its place in a struct.  The name is no
 * pointer, which would be relocated when a process starts. */
struct libcrypto_function {
    char name[40];
    size_t offset;
};

/* libcrypto_resolve finds functions in the object that contains `upcall`, any function of OpenSSL's
 * core, and writes pointers to them into *out.  It returns 1, or 0 if that object does not export
 * one of them, as a program that is linked with libcrypto.a. */
int libcrypto_resolve(void *out, const struct libcrypto_function functions[], size_t num,
                      void (*upcall)(void));
/* libcrypto_find does so for struct libcrypto. */
int libcrypto_find(struct libcrypto *out, void (*upcall)(void));

#endif
