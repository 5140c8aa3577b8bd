/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL algorithms whose keys the accelerator keeps.  A program finds these implementations only
 * by PROPERTY, so that they cost the others nothing.  It gives a key as the name that a long-term
 * key has in the service (HANDLE_PARAM), as an EVP_SKEY, or as bytes, which go to the service at
 * once. */
#ifndef HR_PROVIDER_HANDLE_H
#define HR_PROVIDER_HANDLE_H

#include "../stats.h"
#include "provider.h"
#include <headrace/accel_stream.h>
#include <stdatomic.h>

/* HANDLE_PROPERTY does not contain provider=headrace, because a program that asks for that property
 * means keys in memory. */
#define HANDLE_PROPERTY "headrace.keys=accelerator"

/* struct handle is a key of the accelerator: in OpenSSL's words, its key data. */
struct handle {
    atomic_uint refs;
    const struct provider *provider;
    uint64_t number;
    char id[64]; /* for people */
};

/* ---- handle.c: the accelerator's client, libheadrace-accel ---- */

#define CLIENT_FUNCTIONS(X)        \
    X(hr_accel_key_import)         \
    X(hr_accel_key_generate)       \
    X(hr_accel_key_open)           \
    X(hr_accel_key_close)          \
    X(hr_accel_key_public)         \
    X(hr_accel_offer_rsa)          \
    X(hr_accel_try)                \
    X(hr_accel_take_back)          \
    X(hr_accel_run)                \
    X(hr_accel_cipher_init)        \
    X(hr_accel_cipher_update)      \
    X(hr_accel_cipher_final)       \
    X(hr_accel_cipher_get_iv)      \
    X(hr_accel_cipher_get_num)     \
    X(hr_accel_cipher_set_padding) \
    X(hr_accel_cipher_set_key)     \
    X(hr_accel_cipher_copy)        \
    X(hr_accel_cipher_wipe)        \
    X(hr_accel_aead_init)          \
    X(hr_accel_aead_lengths)       \
    X(hr_accel_aead_expect)        \
    X(hr_accel_aead_aad)           \
    X(hr_accel_aead_update)        \
    X(hr_accel_aead_final)         \
    X(hr_accel_aead_verify_short)  \
    X(hr_accel_aead_set_key)       \
    X(hr_accel_aead_copy)          \
    X(hr_accel_aead_wipe)          \
    X(hr_accel_mac_init)           \
    X(hr_accel_mac_update)         \
    X(hr_accel_mac_final)          \
    X(hr_accel_mac_set_key)        \
    X(hr_accel_mac_copy)           \
    X(hr_accel_mac_wipe)

/* struct client has the library's functions.  They are set after client_loaded has returned 1, and
 * therefore wherever there is a key. */
struct client {
#define X(name) __typeof__(name) *name;
    CLIENT_FUNCTIONS(X)
#undef X
};
extern struct client client;
/* client_loaded loads the library at its first call.  It returns 1, or 0 with an error raised. */
int client_loaded(const struct provider *provider);
/* client_there does the same without an error. */
int client_there(void);
/* client_prepare loads the library for later, without an error if there is none: a program may
 * change its root before it uses a key. */
void client_prepare(void);

/* ---- handle.c: these return a key, or NULL with an error raised ---- */

struct handle *handle_open(const struct provider *provider, const OSSL_PARAM *name);
struct handle *handle_import(const struct provider *provider, hr_alg alg, const void *bytes,
                             size_t bytes_len);
struct handle *handle_generate(const struct provider *provider, hr_alg alg, size_t key_len);
struct handle *handle_hold(struct handle *handle);
void handle_release(struct handle *handle); /* NULL is allowed */
/* handle_replace releases *at and puts another key, or NULL, in its place.  It returns 1, or 0 if
 * the new one is NULL. */
int handle_replace(struct handle **at, struct handle *handle);
/* handle_take_bytes and handle_take_object do the same with a key of these bytes, or with an
 * EVP_SKEY's; NULL leaves the key as it was. */
int handle_take_bytes(struct handle **at, const struct provider *provider, hr_alg alg,
                      const void *bytes, size_t bytes_len);
int handle_take_object(struct handle **at, void *key);
/* handle_result turns the result of a client's call that took data into 1, or 0 with an error
 * raised. */
int handle_result(const struct provider *provider, int error);

/* ---- handle_cipher.c, handle_aead.c, handle_mac.c, skey.c ---- */

extern const struct functions handle_cipher_functions, handle_aead_functions;
extern const OSSL_ALGORITHM handle_mac_rows[1];
extern const OSSL_ALGORITHM skey_rows[2]; /* with an end */

/* Numbers of OpenSSL 3.5: the provider is built with the headers of 3.0. */
enum {
    OP_SKEYMGMT = 15,
    CIPHER_ENCRYPT_SKEY_INIT = 19,
    CIPHER_DECRYPT_SKEY_INIT = 20,
    MAC_INIT_SKEY = 13,
    SKEYMGMT_FREE = 1,
    SKEYMGMT_IMPORT,
    SKEYMGMT_EXPORT,
    SKEYMGMT_GENERATE,
    SKEYMGMT_GET_KEY_ID,
    SKEYMGMT_IMP_SETTABLE_PARAMS,
    SKEYMGMT_GEN_SETTABLE_PARAMS,
};

/* HANDLE_FUNCTIONS has no entry for whole messages: OpenSSL then calls update and final. */
#define HANDLE_FUNCTIONS                                     \
    CIPHER_FUNCTIONS_BUT_WHOLE(handle, handle)               \
    FUNCTION(CIPHER_ENCRYPT_SKEY_INIT, handle_encrypt_skey), \
        FUNCTION(CIPHER_DECRYPT_SKEY_INIT, handle_decrypt_skey),

#endif
