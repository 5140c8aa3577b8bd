/* SPDX-License-Identifier: Apache-2.0 */
/* An EVP_CIPHER_CTX's provider side.  EVP lets a program set key, IV, padding and position in any
 * order and at any time, so the library's stream starts at the first byte of data only. */
#ifndef HR_PROVIDER_CIPHER_H
#define HR_PROVIDER_CIPHER_H

#include "../stats.h"
#include "provider.h"

enum { MAX_MAC = 64 };

struct cipher {
    struct hr_cipher_key key;
    struct hr_cipher_ctx stream; /* while running */
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct served served;
    size_t mac_len; /* TLS: 0 with encrypt-then-MAC */
    uint32_t tls_version, num;
    uint8_t iv[HR_CIPHER_MAX_IV];   /* as the program gave it */
    uint8_t next[HR_CIPHER_MAX_IV]; /* where the stream starts, or stood when last asked */
    uint8_t op, key_set, iv_set, running, padding;
    uint8_t mac[MAX_MAC]; /* of the last TLS record */
};

/* ---- cipher_params.c: 1, or 0 with an error raised ---- */

int cipher_get_ctx_params(void *ctx, OSSL_PARAM params[]);
int cipher_set_ctx_params(void *ctx, const OSSL_PARAM params[]);
const OSSL_PARAM *cipher_gettable_ctx(void *ctx, void *provctx);
const OSSL_PARAM *cipher_settable_ctx(void *ctx, void *provctx);

/* ---- tls.c ---- */

/* Can records of this protocol version be served?  Version 0 turns records off. */
int tls_version_known(uint64_t version);
/* One update is one record, in place: padded and encrypted, or decrypted and taken apart. */
int tls_record(struct cipher *c, unsigned char *out, size_t *out_len, size_t out_size,
               const unsigned char *in, size_t in_len);

#endif
