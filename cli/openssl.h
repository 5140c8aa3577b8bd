/* SPDX-License-Identifier: Apache-2.0
 *
 * libcrypto, loaded at run time, because `headrace info` must work without it, and `--libcrypto
 * PATH` selects one of several. OPENSSL_FUNCTIONS lists the functions that are used; OpenSSL 3.0
 * has all of them.
 */
#ifndef TOOLS_OPENSSL_H
#define TOOLS_OPENSSL_H

#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>

#define OPENSSL_FUNCTIONS(X)                 \
    X(OpenSSL_version)                       \
    X(OPENSSL_info)                          \
    X(OPENSSL_init_crypto)                   \
    X(OSSL_LIB_CTX_new)                      \
    X(OSSL_LIB_CTX_free)                     \
    X(OSSL_LIB_CTX_load_config)              \
    X(OSSL_PROVIDER_load)                    \
    X(OSSL_PROVIDER_unload)                  \
    X(OSSL_PROVIDER_available)               \
    X(OSSL_PROVIDER_do_all)                  \
    X(OSSL_PROVIDER_get_params)              \
    X(OSSL_PROVIDER_get0_name)               \
    X(OSSL_PROVIDER_set_default_search_path) \
    X(OSSL_PARAM_construct_utf8_ptr)         \
    X(OSSL_PARAM_construct_utf8_string)      \
    X(OSSL_PARAM_construct_octet_string)     \
    X(OSSL_PARAM_construct_uint64)           \
    X(OSSL_PARAM_construct_end)              \
    X(NCONF_new)                             \
    X(NCONF_free)                            \
    X(NCONF_load_bio)                        \
    X(NCONF_get_section)                     \
    X(NCONF_get_string)                      \
    X(BIO_new_mem_buf)                       \
    X(BIO_free)                              \
    X(OPENSSL_sk_num)                        \
    X(OPENSSL_sk_value)                      \
    X(ERR_get_error_all)                     \
    X(ERR_peek_last_error)                   \
    X(ERR_clear_error)                       \
    X(ERR_reason_error_string)               \
    X(EVP_set_default_properties)            \
    X(EVP_MD_fetch)                          \
    X(EVP_MD_free)                           \
    X(EVP_MD_get0_provider)                  \
    X(EVP_MD_CTX_new)                        \
    X(EVP_MD_CTX_free)                       \
    X(EVP_DigestInit_ex)                     \
    X(EVP_DigestInit_ex2)                    \
    X(EVP_DigestUpdate)                      \
    X(EVP_DigestFinal_ex)                    \
    X(EVP_Digest)                            \
    X(EVP_get_digestbyname)                  \
    X(HMAC)                                  \
    X(EVP_MAC_fetch)                         \
    X(EVP_MAC_free)                          \
    X(EVP_MAC_get0_provider)                 \
    X(EVP_MAC_CTX_new)                       \
    X(EVP_MAC_CTX_free)                      \
    X(EVP_MAC_init)                          \
    X(EVP_MAC_update)                        \
    X(EVP_MAC_final)                         \
    X(EVP_CIPHER_fetch)                      \
    X(EVP_CIPHER_free)                       \
    X(EVP_CIPHER_get0_provider)              \
    X(EVP_CIPHER_CTX_new)                    \
    X(EVP_CIPHER_CTX_free)                   \
    X(EVP_CIPHER_CTX_reset)                  \
    X(EVP_CIPHER_CTX_set_padding)            \
    X(EVP_CIPHER_CTX_ctrl)                   \
    X(EVP_CipherInit_ex)                     \
    X(EVP_CipherInit_ex2)                    \
    X(EVP_CipherUpdate)                      \
    X(EVP_CipherFinal_ex)                    \
    X(EVP_get_cipherbyname)                  \
    X(EVP_KDF_fetch)                         \
    X(EVP_KDF_free)                          \
    X(EVP_KDF_get0_provider)                 \
    X(EVP_KDF_CTX_new)                       \
    X(EVP_KDF_CTX_free)                      \
    X(EVP_KDF_CTX_set_params)                \
    X(EVP_KDF_derive)                        \
    X(EVP_KEYMGMT_fetch)                     \
    X(EVP_KEYMGMT_free)                      \
    X(EVP_KEYMGMT_get0_provider)             \
    X(EVP_PKEY_CTX_new_from_name)            \
    X(EVP_PKEY_CTX_new_from_pkey)            \
    X(EVP_PKEY_CTX_free)                     \
    X(EVP_PKEY_CTX_set_params)               \
    X(EVP_PKEY_get0_provider)                \
    X(EVP_PKEY_fromdata_init)                \
    X(EVP_PKEY_fromdata)                     \
    X(EVP_PKEY_todata)                       \
    X(EVP_PKEY_is_a)                         \
    X(PEM_read_bio_PrivateKey)               \
    X(PEM_read_bio_PUBKEY)                   \
    X(PEM_read_bio_X509)                     \
    X(d2i_PrivateKey_bio)                    \
    X(d2i_PUBKEY_bio)                        \
    X(d2i_X509_bio)                          \
    X(i2d_PUBKEY)                            \
    X(i2d_X509)                              \
    X(i2d_X509_NAME)                         \
    X(i2d_ASN1_INTEGER)                      \
    X(i2d_ASN1_OBJECT)                       \
    X(ASN1_OBJECT_free)                      \
    X(OBJ_txt2obj)                           \
    X(PEM_def_callback)                      \
    X(PEM_read_bio_PKCS8)                    \
    X(PEM_read_bio_PKCS8_PRIV_KEY_INFO)      \
    X(PEM_read_bio_X509_PUBKEY)              \
    X(d2i_PKCS8_bio)                         \
    X(d2i_PKCS8_PRIV_KEY_INFO_bio)           \
    X(d2i_X509_PUBKEY_bio)                   \
    X(i2d_X509_PUBKEY)                       \
    X(EVP_PKCS82PKEY)                        \
    X(PKCS8_decrypt)                         \
    X(PKCS8_pkey_get0)                       \
    X(PKCS8_PRIV_KEY_INFO_free)              \
    X(X509_SIG_free)                         \
    X(X509_PUBKEY_free)                      \
    X(X509_PUBKEY_get0_param)                \
    X(X509_get_X509_PUBKEY)                  \
    X(OBJ_obj2txt)                           \
    X(CRYPTO_free)                           \
    X(X509_free)                             \
    X(X509_get0_pubkey)                      \
    X(X509_get_subject_name)                 \
    X(X509_get_issuer_name)                  \
    X(X509_get0_serialNumber)                \
    X(EVP_PKEY_encapsulate_init)             \
    X(EVP_PKEY_encapsulate)                  \
    X(EVP_PKEY_decapsulate_init)             \
    X(EVP_PKEY_decapsulate)                  \
    X(OSSL_PARAM_free)                       \
    X(EVP_PKEY_free)                         \
    X(EVP_PKEY_keygen_init)                  \
    X(EVP_PKEY_paramgen_init)                \
    X(EVP_PKEY_generate)                     \
    X(EVP_PKEY_derive_init)                  \
    X(EVP_PKEY_derive_set_peer)              \
    X(EVP_PKEY_derive)                       \
    X(EVP_PKEY_sign_init)                    \
    X(EVP_PKEY_sign)                         \
    X(EVP_DigestSignInit_ex)                 \
    X(EVP_DigestSign)                        \
    X(EVP_DigestVerifyInit_ex)               \
    X(EVP_DigestVerify)

struct openssl {
    void *handle;
    const char *path; /* as given, or the soname that was found */
#define X(name) __typeof__(name) *name;
    OPENSSL_FUNCTIONS(X)
#undef X
};

/* Loads libcrypto, once: from `path`, or the system's libcrypto.so.3, else .so.4. On failure
 * prints one line and returns NULL. libcrypto reads its configuration at its first use, so
 * OPENSSL_CONF must be set before. */
const struct openssl *openssl_open(const char *path);
/* Gets the reason of the oldest error in libcrypto's queue, with its data, and empties the
 * queue. */
void openssl_reason(const struct openssl *ssl, char *out, size_t out_len);

#endif
