/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_PKEY_CTX that derives with ECDH (EVP_KEYEXCH-ECDH(7)). */
#ifndef HR_PROVIDER_PKEY_ECDH_H
#define HR_PROVIDER_PKEY_ECDH_H

#include "ec.h"

struct ecdh {
    const struct provider *provider;
    struct ec_key *key, *peer;
    struct served served;
    int cofactor_mode; /* -1: as the key says */
    uint8_t with_kdf;  /* X9.63 */
    EVP_MD *kdf_md;
    uint8_t *ukm; /* user keying material */
    size_t ukm_len, kdf_len;
};

/* ---- ecdh_params.c ---- */

int ecdh_set_params(void *ctx, const OSSL_PARAM params[]);
int ecdh_get_params(void *ctx, OSSL_PARAM params[]);
const OSSL_PARAM *ecdh_settable(void *ctx, void *provctx);
const OSSL_PARAM *ecdh_gettable(void *ctx, void *provctx);
/* ecdh_set_ukm copies the bytes.  It returns 1, or 0 if there is no memory. */
int ecdh_set_ukm(struct ecdh *e, const void *bytes, size_t len);

#endif
