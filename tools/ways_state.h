/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of ways, one a class of algorithms, share. */
#ifndef WAYS_STATE_H
#define WAYS_STATE_H

#include "ways.h"
#include <stdlib.h>

typedef void digest_fn(uint8_t *out, const void *in, size_t in_len);
typedef int mac_fn(uint8_t *out, const void *in, size_t in_len, const struct hr_hmac_key *key);
typedef int cipher_fn(uint8_t *out, const uint8_t *in, size_t len, const struct hr_cipher_key *key,
                      const uint8_t *iv);
typedef int seal_fn(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct hr_aead_key *key,
                    const uint8_t *iv, size_t iv_len);
typedef int unseal_fn(uint8_t *out, const uint8_t *tag, size_t tag_len, const uint8_t *in,
                      size_t len, const uint8_t *aad, size_t aad_len, const struct hr_aead_key *key,
                      const uint8_t *iv, size_t iv_len);
typedef int unit_fn(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *key,
                    const uint8_t *iv);
typedef int nmac_fn(uint8_t *out, const void *in, size_t in_len, const struct hr_nmac_key *key,
                    const uint8_t *iv, size_t iv_len);

/* What a contender's ctx points at; what a class does not use is NULL. */
struct way_state {
    union {
        struct hr_cipher_key cipher;
        struct hr_hmac_key hmac;
        struct hr_aead_key aead;
        struct hr_nmac_key nmac;
        struct hr_xts_key xts;
    } keys;
    struct cell cell;
    const struct openssl *ssl;
    size_t kernel;
    struct lanes *lanes; /* ways_lanes.c */
    uint8_t bytes[64]; /* a key or a password */
    uint8_t iv[HR_CIPHER_MAX_IV];
    uint8_t *in, *out;
    EVP_MD *md; /* fetched */
    EVP_MD_CTX *md_ctx;
    const EVP_MD *constant_md; /* EVP_sha256() */
    digest_fn *hash;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    const EVP_CIPHER *constant_cipher;
    cipher_fn *crypt;
    seal_fn *seal;
    unseal_fn *unseal;
    uint8_t tag[HR_AEAD_MAX_TAG]; /* of the message that is decrypted */
    unit_fn *crypt_unit;
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    mac_fn *authenticate;
    nmac_fn *nmac;
    EVP_KDF *kdf;
    EVP_KDF_CTX *kdf_ctx; /* kept, with the digest and the iterations */
    OSSL_PARAM params[5]; /* of a call */
    size_t num_first;     /* of them that a new context only is given */
    uint64_t iterations;
    size_t derived_len;
    char digest[64];
};

/* Sets a way up: what the contender runs, and what that needs; whether it could. */
typedef bool open_fn(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx);

struct way_class {
    open_fn *opens[NUM_WAYS];
    open_fn *kernel; /* NULL where there are no kernels */
};
extern const struct way_class digest_ways, mac_ways, cipher_ways, kdf_ways, aead_ways, nmac_ways,
    xts_ways;

/* Arguments were tried before: a call that fails now is a defect, not a measurement. */
static inline void must(int good)
{
    if (!good)
        abort();
}

/* The first of a list of colon-separated OpenSSL names. */
const char *openssl_name(const char *names, char *out, size_t out_len);
/* What the old tables of constant objects, EVP_sha256() and the like, have under one of these
 * names: which name they know differs. */
const void *old_constant(const struct openssl *ssl, const char *names,
                         const void *(*by_name)(const struct openssl *ssl, const char *name));

/* ---- ways_lanes.c: of HR_OP_LANES of any class ---- */

open_fn open_lanes;
void close_lanes(struct way_state *s);

/* ---- ways_cipher.c: of any cipher whose messages are IV and text ---- */

open_fn open_cipher_ours, open_cipher_openssl, open_cipher_naive;
const void *cipher_by_name(const struct openssl *ssl, const char *name);

#endif
