/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files ways_*.c share; each handles one class of algorithms. */
#ifndef WAYS_STATE_H
#define WAYS_STATE_H

#include "ways.h"
#include <headrace/queue.h>
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
typedef int cmac_fn(uint8_t *out, const void *in, size_t in_len, const struct hr_cmac_key *key);

/* The context of a contender. Members that a class does not use are NULL. */
struct way_state {
    union hr_any_key keys;
    struct hr_wrap_key wrap_key;
    struct cell cell;
    const struct openssl *ssl;
    size_t kernel;
    struct lanes *lanes; /* see ways_lanes.c */
    struct hr_job job;   /* see ways_job.c */
    struct pk_state *pk; /* see ways_pk.c */
    uint8_t bytes[64];   /* a key or a password */
    uint8_t iv[HR_CIPHER_MAX_IV];
    uint8_t *in, *out;
    EVP_MD *md; /* a fetched object */
    EVP_MD_CTX *md_ctx;
    const EVP_MD *constant_md; /* a constant object such as EVP_sha256() */
    digest_fn *hash;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    const EVP_CIPHER *constant_cipher;
    cipher_fn *crypt;
    seal_fn *seal;
    unseal_fn *unseal;
    uint8_t tag[HR_AEAD_MAX_TAG]; /* tag of the message to be decrypted */
    unit_fn *crypt_unit;
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    mac_fn *authenticate;
    nmac_fn *nmac;
    cmac_fn *cmac;
    EVP_KDF *kdf;
    EVP_KDF_CTX *kdf_ctx; /* kept, with the digest set */
    OSSL_PARAM params[5]; /* parameters of a call */
    size_t num_first;     /* the first num_first are only for a new context */
    uint64_t iterations;
    size_t derived_len;
    char digest[64];
};

/* Sets up a way: fills the contender and everything that it needs. Returns whether that
 * succeeded. */
typedef bool open_fn(struct way_state *s, struct contender *c, OSSL_LIB_CTX *libctx);

struct way_class {
    open_fn *opens[NUM_WAYS];
    open_fn *kernel; /* NULL if there are no kernels */
};
extern const struct way_class digest_ways, mac_ways, cipher_ways, kdf_ways, aead_ways, nmac_ways,
    cmac_ways, xts_ways, wrap_ways, pk_ways, job_ways;

/* Checks a call whose arguments were tried before: a failure now is a bug. */
static inline void must(int good)
{
    if (!good)
        abort();
}

/* Gets the first name of a colon-separated list of OpenSSL names. */
const char *ways_openssl_name(const char *names, char *out, size_t out_len);
/* The constant object, such as EVP_sha256(), for any of these names; the old tables differ in
 * which name they know. */
const void *ways_old_constant(const struct openssl *ssl, const char *names,
                              const void *(*by_name)(const struct openssl *ssl, const char *name));

/* ---- ways_lanes.c: HR_OP_LANES of any class ---- */

open_fn lanes_open;
void lanes_close(struct way_state *s);

/* ---- ways_pk.c: operations of public key ---- */

/* The number of operations that are measured of a row, and the name of each; 0: the row is of
 * another kind. */
unsigned pk_num_directions(const struct hr_algorithm *row);
const char *pk_direction(const struct hr_algorithm *row, unsigned op);
enum way pk_num_ways(const struct cell *cell, const struct sides *sides);
void pk_state_close(struct way_state *s);

/* ---- ways_pk_many.c: jobs of public key side by side ---- */

struct pk_many {
    struct hr_job *jobs;
    uint8_t *tags;
    size_t num;
    void *memory; /* of the queue */
    struct hr_queue *queue;
    bool failed;
};
/* The operation of jobs that has this word and may share lanes: signatures and agreement; -1 if
 * there is none. */
int pk_many_op(const struct hr_algorithm *row, const char *word);
/* Makes num jobs like this one; outputs have its tag_len bytes. */
bool pk_many_open(struct pk_many *many, const struct hr_job *like, size_t num);
/* Runs all jobs n times.  ctx is a struct pk_many. */
void pk_many_run(void *ctx, uint64_t n);
void pk_many_close(struct pk_many *many);

/* ---- ways_cipher.c: ciphers whose messages consist of an IV and text ---- */

open_fn cipher_open_ours, cipher_open_openssl, cipher_open_naive;
const void *cipher_by_name(const struct openssl *ssl, const char *name);

#endif
