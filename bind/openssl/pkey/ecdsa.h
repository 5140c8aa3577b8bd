/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_PKEY_CTX or EVP_MD_CTX that signs or verifies with ECDSA
 * (EVP_SIGNATURE-ECDSA(7)).  Digests are EVP's, of the library context: so a signature has any
 * digest that another provider brings. */
#ifndef HR_PROVIDER_PKEY_ECDSA_H
#define HR_PROVIDER_PKEY_ECDSA_H

#include "ec.h"

struct ecdsa {
    const struct provider *provider;
    char *properties; /* of digests; NULL: none were asked for */
    struct ec_key *key;
    struct served served;
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    size_t md_size;      /* 0: a digest of any length */
    unsigned nonce_type; /* 1: RFC 6979 */
    uint8_t is_running;  /* a message has begun: its digest cannot change */
    char md_name[50];    /* as the program gave it; OpenSSL's limit */
};

/* ---- ecdsa_params.c ---- */

/* ecdsa_set_digest takes a digest by its name.  It returns 1, or 0 with an error raised. */
int ecdsa_set_digest(struct ecdsa *e, const char *name, const char *properties);
int ecdsa_set_params(void *ctx, const OSSL_PARAM params[]);
int ecdsa_get_params(void *ctx, OSSL_PARAM params[]);
const OSSL_PARAM *ecdsa_settable(void *ctx, void *provctx);
const OSSL_PARAM *ecdsa_gettable(void *ctx, void *provctx);
int ecdsa_set_md_params(void *ctx, const OSSL_PARAM params[]);
int ecdsa_get_md_params(void *ctx, OSSL_PARAM params[]);
const OSSL_PARAM *ecdsa_md_settable(void *ctx);
const OSSL_PARAM *ecdsa_md_gettable(void *ctx);

/* ---- ecdsa_raw.c: signatures of digests, in DER ---- */

/* ecdsa_sign_digest writes a signature into at least ec_key_size bytes.  It returns 1 or 0. */
int ecdsa_sign_digest(struct ecdsa *e, uint8_t *sig, size_t *sig_len, const uint8_t *digest,
                      size_t digest_len);
/* ecdsa_verify_digest returns 1; 0 for a wrong signature; -1 for what is none. */
int ecdsa_verify_digest(struct ecdsa *e, const uint8_t *sig, size_t sig_len, const uint8_t *digest,
                        size_t digest_len);

#endif
