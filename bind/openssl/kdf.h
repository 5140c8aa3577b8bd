/* SPDX-License-Identifier: Apache-2.0 */
/* An EVP_KDF_CTX's provider side.  Digests that we have serve here; every other one, and whoever
 * asks for a digest by properties, is left to the KDF of another provider (libcrypto.c): what
 * OpenSSL alone can derive must not fail because we are there. */
#ifndef HR_PROVIDER_KDF_H
#define HR_PROVIDER_KDF_H

#include "../stats.h"
#include "provider.h"

/* Bytes of a parameter, copied, and a zero; `at` is NULL where it was never given. */
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
/* Forgets every parameter, and wipes it. */
void kdf_clear(struct kdf *k);
/* Replaces *out by a copy of the bytes.  1, or 0 where memory is short: *out is then not given. */
int kdf_bytes_set(struct kdf_bytes *out, const void *bytes, size_t len);
void kdf_bytes_wipe(struct kdf_bytes *bytes);
/* The octet string `key` of a list, if it is there.  1; 0 where it is of another type: then nothing
 * derives from an older one by mistake. */
int kdf_take_octets(struct kdf_bytes *out, const OSSL_PARAM params[], const char *key);
/* Parameters "digest" and "properties".  1, or 0 with an error raised and no digest set. */
int kdf_take_digest(struct kdf *k, const OSSL_PARAM params[]);
/* Counts a derivation of out_len bytes, or raises what the library said. */
int kdf_done(struct kdf *k, int error, size_t out_len);

/* ---- kdf_other.c: the same KDF of another provider, with all parameters of `k` ---- */

/* Whether it knows the digest. */
int kdf_other_accepts(const struct kdf *k);
int kdf_other_derive(const struct kdf *k, unsigned char *out, size_t out_len);
/* Bytes that it derives, or 0. */
size_t kdf_other_size(const struct kdf *k);

#endif
