/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcrypto that public keys need: digests of the library context, and the keys of
 * another provider. */
#ifndef HR_PROVIDER_PKEY_LIBCRYPTO_H
#define HR_PROVIDER_PKEY_LIBCRYPTO_H

#include "../libcrypto.h"
#include <openssl/provider.h>

#define PKEY_LIBCRYPTO_FUNCTIONS(X)        \
    X(EVP_MD_fetch)                        \
    X(EVP_MD_up_ref)                       \
    X(EVP_MD_free)                         \
    X(EVP_MD_is_a)                         \
    X(EVP_MD_get0_name)                    \
    X(EVP_MD_get_size)                     \
    X(EVP_MD_get_flags)                    \
    X(EVP_MD_gettable_ctx_params)          \
    X(EVP_MD_settable_ctx_params)          \
    X(EVP_MD_CTX_new)                      \
    X(EVP_MD_CTX_free)                     \
    X(EVP_MD_CTX_copy_ex)                  \
    X(EVP_MD_CTX_get_params)               \
    X(EVP_MD_CTX_set_params)               \
    X(EVP_DigestInit_ex2)                  \
    X(EVP_DigestUpdate)                    \
    X(EVP_DigestFinal_ex)                  \
    X(EVP_KEYMGMT_fetch)                   \
    X(EVP_KEYMGMT_free)                    \
    X(EVP_KEYMGMT_get0_provider)           \
    X(OSSL_PROVIDER_get_capabilities)      \
    X(EVP_PKEY_free)                       \
    X(EVP_PKEY_up_ref)                     \
    X(EVP_PKEY_dup)                        \
    X(EVP_PKEY_eq)                         \
    X(EVP_PKEY_parameters_eq)              \
    X(EVP_PKEY_get_size)                   \
    X(EVP_PKEY_get_params)                 \
    X(EVP_PKEY_set_params)                 \
    X(EVP_PKEY_export)                     \
    X(EVP_PKEY_fromdata_init)              \
    X(EVP_PKEY_fromdata)                   \
    X(EVP_PKEY_keygen_init)                \
    X(EVP_PKEY_paramgen_init)              \
    X(EVP_PKEY_generate)                   \
    X(EVP_PKEY_CTX_new_from_name)          \
    X(EVP_PKEY_CTX_new_from_pkey)          \
    X(EVP_PKEY_CTX_free)                   \
    X(EVP_PKEY_CTX_get_params)             \
    X(EVP_PKEY_CTX_set_params)             \
    X(EVP_PKEY_param_check)                \
    X(EVP_PKEY_param_check_quick)          \
    X(EVP_PKEY_public_check)               \
    X(EVP_PKEY_public_check_quick)         \
    X(EVP_PKEY_private_check)              \
    X(EVP_PKEY_pairwise_check)             \
    X(EVP_PKEY_sign_init_ex)               \
    X(EVP_PKEY_sign)                       \
    X(EVP_PKEY_verify_init_ex)             \
    X(EVP_PKEY_verify)                     \
    X(EVP_PKEY_verify_recover_init_ex)     \
    X(EVP_PKEY_verify_recover)             \
    X(EVP_PKEY_encrypt_init_ex)            \
    X(EVP_PKEY_encrypt)                    \
    X(EVP_PKEY_decrypt_init_ex)            \
    X(EVP_PKEY_decrypt)                    \
    X(EVP_PKEY_CTX_dup)                    \
    X(EVP_PKEY_CTX_gettable_params)        \
    X(EVP_PKEY_CTX_settable_params)        \
    X(EVP_PKEY_CTX_set_cb)                 \
    X(EVP_PKEY_CTX_get_keygen_info)        \
    X(EVP_KEYMGMT_gettable_params)         \
    X(EVP_KEYMGMT_settable_params)         \
    X(EVP_KEYMGMT_gen_settable_params)     \
    X(EVP_SIGNATURE_fetch)                 \
    X(EVP_SIGNATURE_free)                  \
    X(EVP_SIGNATURE_gettable_ctx_params)   \
    X(EVP_SIGNATURE_settable_ctx_params)   \
    X(EVP_ASYM_CIPHER_fetch)               \
    X(EVP_ASYM_CIPHER_free)                \
    X(EVP_ASYM_CIPHER_gettable_ctx_params) \
    X(EVP_ASYM_CIPHER_settable_ctx_params) \
    X(EVP_KEYEXCH_fetch)                   \
    X(EVP_KEYEXCH_free)                    \
    X(EVP_KEYEXCH_gettable_ctx_params)     \
    X(EVP_KEYEXCH_settable_ctx_params)     \
    X(OSSL_PARAM_dup)                      \
    X(OSSL_PARAM_merge)                    \
    X(OSSL_PARAM_free)                     \
    X(EVP_PKEY_derive_init_ex)             \
    X(EVP_PKEY_derive_set_peer_ex)         \
    X(EVP_PKEY_derive)

struct pkey_libcrypto {
    const struct libcrypto *base; /* the others, and the library context */
#define X(name) __typeof__(name) *name;
    PKEY_LIBCRYPTO_FUNCTIONS(X)
#undef X
};

struct provider;
/* pkey_libcrypto_of returns these functions, or NULL if they were not found. */
const struct pkey_libcrypto *pkey_libcrypto_of(const struct provider *provider);

#endif
