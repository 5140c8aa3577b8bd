/* SPDX-License-Identifier: Apache-2.0 */
/* RSA (EVP_PKEY-RSA(7), EVP_SIGNATURE-RSA(7), EVP_ASYM_CIPHER-RSA(7)).  Another provider in the
 * same library context holds every key, and every context's parameters: it takes them, answers
 * for them, and refuses them with its own errors, which differ between OpenSSL's releases.  The
 * library computes where it can.  What it does not do (other digests and paddings, keys of odd
 * shapes), and what it refuses, goes to the other provider, whose answer it then is. */
#ifndef HR_PROVIDER_PKEY_RSA_H
#define HR_PROVIDER_PKEY_RSA_H

#include "other.h"
#include <headrace/rsa.h>

#define RSA_TYPE "RSA"
enum { RSA_MOST_BYTES = 512, RSA_MOST_PUBLIC_BYTES = 2048, NUM_RSA_ROWS = 4 };

/* struct rsa_ready is the library's key, with the row that counts for it. */
struct rsa_ready {
    struct hr_rsa_key key;
    unsigned bits, row; /* enum row_index */
    int is_usable;      /* 0: the library does not take the key */
};

struct rsa_key {
    struct pkey head;
    EVP_PKEY *other;
    _Atomic(void *) private, public; /* struct rsa_ready, made when they are first used */
};

/* ---- rsa_ready.c ---- */

/* rsa_ready_private and rsa_ready_public return the library's key, or NULL if it takes none of
 * this kind. */
const struct rsa_ready *rsa_ready_private(struct rsa_key *key);
const struct rsa_ready *rsa_ready_public(struct rsa_key *key);
/* rsa_ready_drop wipes and frees a struct rsa_ready.  NULL is allowed. */
void rsa_ready_drop(void *ready);

/* ---- rsa_key.c, rsa_generate.c: functions of the key management ---- */

struct rsa_key *rsa_key_new(void *provctx);
/* rsa_key_hold makes `other` the key's, which is then its owner.  It returns 1, or 0 for NULL. */
int rsa_key_hold(struct rsa_key *key, EVP_PKEY *other);
void *rsa_generate_init(void *provctx, int selection, const OSSL_PARAM params[]);
int rsa_generate_set_params(void *genctx, const OSSL_PARAM params[]);
const OSSL_PARAM *rsa_generate_settable(void *genctx, void *provctx);
void *rsa_generate(void *genctx, OSSL_CALLBACK *callback, void *arg);
void rsa_generate_cleanup(void *genctx);

/* ---- rsa_use.c: what contexts of signatures and of encryption share ---- */

enum rsa_operation { RSA_SIGN, RSA_VERIFY, RSA_RECOVER, RSA_ENCRYPT, RSA_DECRYPT };

struct rsa_use {
    const struct provider *provider;
    char *properties; /* of digests; NULL: none were asked for */
    struct rsa_key *key;
    EVP_PKEY_CTX *other; /* the other provider's context; NULL until the operation is set */
    struct served served;
    enum rsa_operation operation;
    /* signatures of messages */
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    uint8_t is_running; /* a message has begun: its digest cannot change */
    /* decryption */
    uint8_t raises; /* bad padding of PKCS#1 is an error */
};

/* struct rsa_plan is how the library pads, as the other provider's context says. */
struct rsa_plan {
    struct hr_rsa_options options;
    uint8_t random[RSA_MOST_PUBLIC_BYTES];
};

void *rsa_use_new(void *provctx, const char *properties);
void rsa_use_free(void *ctx);
void *rsa_use_dup(void *ctx);
/* rsa_use_begin sets an operation with a key, or without one again.  It returns 1 or 0. */
int rsa_use_begin(struct rsa_use *use, struct rsa_key *key, enum rsa_operation operation,
                  const OSSL_PARAM params[]);
/* rsa_use_counts counts a call that the library served, and returns 1. */
int rsa_use_counts(struct rsa_use *use, const struct rsa_ready *ready, size_t bytes);
int rsa_use_get_params(void *ctx, OSSL_PARAM params[]);
int rsa_use_set_params(struct rsa_use *use, const OSSL_PARAM params[]);
/* rsa_use_digest finds the row of a digest by a name of OpenSSL's; HR_ALG_NONE for "".  It returns
 * 0 if the library has no such digest. */
int rsa_use_digest(hr_alg *alg, const char *name);

/* ---- rsa_message.c: digests of messages ---- */

int rsa_message_sign_init(void *ctx, const char *name, void *keydata, const OSSL_PARAM params[]);
int rsa_message_verify_init(void *ctx, const char *name, void *keydata, const OSSL_PARAM params[]);
int rsa_message_update(void *ctx, const unsigned char *in, size_t in_len);
int rsa_message_sign_final(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size);
int rsa_message_verify_final(void *ctx, const unsigned char *sig, size_t sig_len);
int rsa_sign_set_params(void *ctx, const OSSL_PARAM params[]);
int rsa_message_set_params(void *ctx, const OSSL_PARAM params[]);
int rsa_message_get_params(void *ctx, OSSL_PARAM params[]);
const OSSL_PARAM *rsa_message_gettable(void *ctx);
const OSSL_PARAM *rsa_message_settable(void *ctx);

/* ---- rsa_sign.c ---- */

int rsa_sign(void *ctx, unsigned char *sig, size_t *sig_len, size_t sig_size,
             const unsigned char *in, size_t in_len);
int rsa_verify(void *ctx, const unsigned char *sig, size_t sig_len, const unsigned char *in,
               size_t in_len);

#endif
