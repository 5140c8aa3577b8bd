/* SPDX-License-Identifier: Apache-2.0 */
/* An EVP_CIPHER_CTX's provider side.  EVP lets a program set key, IV, padding and position in any
 * order and at any time, so the library's stream starts at the first byte of data only. */
#ifndef HR_PROVIDER_CIPHER_H
#define HR_PROVIDER_CIPHER_H

#include "../stats.h"
#include "provider.h"

enum { MAX_MAC = 64 };

/* enum cipher_use says what the last init of a context began: one message, or pipelines, whose
 * messages end together. */
enum cipher_use { SINGLE, PIPES_READY, PIPES_RUNNING, PIPES_ENDED };
struct pipes; /* pipeline.c */

struct cipher {
    struct hr_cipher_key key;
    struct hr_cipher_ctx stream; /* while running */
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct served served;
    struct pipes *pipes; /* NULL: never asked for */
    size_t mac_len;      /* TLS: 0 with encrypt-then-MAC */
    uint32_t tls_version, num;
    uint8_t iv[HR_CIPHER_MAX_IV];   /* set by the program */
    uint8_t next[HR_CIPHER_MAX_IV]; /* the stream's first IV, or the one of cipher_updated_iv */
    uint8_t op, key_set, iv_set, running, padding, use;
    uint8_t is_des, vartime;
    uint8_t mac[MAX_MAC]; /* of the last TLS record */
};

/* cipher_set_key expands the key; NULL leaves the key as it was.  It returns 1, or 0 with an error
 * raised. */
int cipher_set_key(struct cipher *c, const unsigned char *key, size_t key_len);

/* ---- cipher_params.c: these return 1, or 0 with an error raised ---- */

/* cipher_updated_iv sets c->next to the IV that continues the stream; f8 has none.  It returns 1,
 * or 0 with no error raised. */
int cipher_updated_iv(struct cipher *c);
int cipher_get_ctx_params(void *ctx, OSSL_PARAM params[]);
int cipher_set_ctx_params(void *ctx, const OSSL_PARAM params[]);
const OSSL_PARAM *cipher_gettable_ctx(void *ctx, void *provctx);
const OSSL_PARAM *cipher_settable_ctx(void *ctx, void *provctx);

/* ---- pipeline.c: function numbers of OpenSSL 3.5, which older releases ignore ---- */

enum {
    PIPELINE_ENCRYPT_INIT = 15,
    PIPELINE_DECRYPT_INIT = 16,
    PIPELINE_UPDATE = 17,
    PIPELINE_FINAL = 18,
};

int pipeline_encrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num_pipes,
                          const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[]);
int pipeline_decrypt_init(void *ctx, const unsigned char *key, size_t key_len, size_t num_pipes,
                          const unsigned char **iv, size_t iv_len, const OSSL_PARAM params[]);
int pipeline_update(void *ctx, size_t num_pipes, unsigned char **out, size_t *out_len,
                    const size_t *out_size, const unsigned char **in, const size_t *in_len);
int pipeline_final(void *ctx, size_t num_pipes, unsigned char **out, size_t *out_len,
                   const size_t *out_size);
#define PIPELINE_FUNCTIONS                                      \
    FUNCTION(PIPELINE_ENCRYPT_INIT, pipeline_encrypt_init),     \
        FUNCTION(PIPELINE_DECRYPT_INIT, pipeline_decrypt_init), \
        FUNCTION(PIPELINE_UPDATE, pipeline_update), FUNCTION(PIPELINE_FINAL, pipeline_final),

/* pipeline_set_padding gives running pipes the context's padding.  It returns 1, or 0 on
 * failure. */
int pipeline_set_padding(struct cipher *c);
/* pipeline_dup gives a copied context pipes of its own.  It returns 1, or 0 on failure. */
int pipeline_dup(struct cipher *copy);
void pipeline_free(struct cipher *c);

/* ---- tls.c ---- */

/* tls_version_known tells whether records of this protocol version can be served.  Version 0, which
 * turns records off, is known. */
int tls_version_known(uint64_t version);
/* tls_record processes one record in place: it pads and encrypts the record, or decrypts it, copies
 * its MAC to c->mac, and sets *out_len to the length without IV, padding and MAC.  It returns 1, or
 * 0 with an error raised. */
int tls_record(struct cipher *c, unsigned char *out, size_t *out_len, size_t out_size,
               const unsigned char *in, size_t in_len);

#endif
