/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_KDF_CTX.  The library serves its own digests.  Another digest, or one
 * with properties, is left to the KDF of another provider (kdf_other.c): a derivation that OpenSSL
 * alone can do must not fail because Headrace is there. */
#ifndef HR_PROVIDER_KDF_H
#define HR_PROVIDER_KDF_H

#include "../stats.h"
#include "provider.h"

/* struct kdf_bytes is a copy of a parameter's bytes with a zero byte behind it; `at` is NULL if the
 * parameter was never given. */
struct kdf_bytes {
    uint8_t *at;
    size_t len;
};

enum kdf_digest { KDF_DIGEST_NONE, KDF_DIGEST_OURS, KDF_DIGEST_OTHER };

struct kdf {
    const struct provider *provider;
    const struct hr_algorithm *row;
    struct served served;
    enum kdf_digest digest;
    hr_alg hmac;                       /* of KDF_DIGEST_OURS */
    struct kdf_bytes name, properties; /* the digest's, as the program gave them */
    struct kdf_bytes secret;           /* password, or input key */
    struct kdf_bytes salt, info;
    uint64_t iterations;
    int pkcs5; /* PBKDF2: 0 asks for the lower bounds of SP 800-132 */
    int mode;  /* HKDF: enum hkdf_mode */
};

/* ---- kdf.c ---- */

struct kdf *kdf_new(void *provctx, enum row_index index);
void kdf_free(void *ctx);
void *kdf_dup(void *ctx);
/* kdf_clear wipes and forgets every parameter. */
void kdf_clear(struct kdf *k);
/* kdf_bytes_set replaces *out by a copy of the bytes.  It returns 1, or 0 with *out empty if there
 * is no memory. */
int kdf_bytes_set(struct kdf_bytes *out, const void *bytes, size_t len);
void kdf_bytes_wipe(struct kdf_bytes *bytes);
/* kdf_take_octets copies the octet string `key` of a list, if it is there.  It returns 1, or 0 with
 * *out empty if the parameter has another type: an older value must not be used by mistake. */
int kdf_take_octets(struct kdf_bytes *out, const OSSL_PARAM params[], const char *key);
/* kdf_take_digest takes the parameters "digest" and "properties".  It returns 1, or 0 with an error
 * raised. */
int kdf_take_digest(struct kdf *k, const OSSL_PARAM params[]);
/* kdf_done counts a derivation of out_len bytes, or raises the library's error.  It returns 1, or 0
 * with an error raised. */
int kdf_done(struct kdf *k, int error, size_t out_len);

/* ---- kdf_other.c: the same KDF of another provider, with the parameters of `k` ---- */

/* kdf_other_accepts tells whether the other provider knows the digest. */
int kdf_other_accepts(const struct kdf *k);
int kdf_other_derive(const struct kdf *k, unsigned char *out, size_t out_len);
/* kdf_other_size returns the number of bytes that the other provider derives, or 0. */
size_t kdf_other_size(const struct kdf *k);

#endif
